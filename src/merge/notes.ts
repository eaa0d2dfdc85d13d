import type { JsonObject } from '../protocol/messages.js';
import { isPlainObject } from '../protocol/value-text.js';

/**
 * The member of a stored value that holds the notes for a merge: which device has added how much, and when a field was
 * set. Only fields with the rules `sum` and `latest` have notes. The SDK removes the member before a game sees the
 * value. A back end that changes a value must keep the member as it is, as a spread does.
 */
export const notesMember = '$savepoint';

/** A device's part of a sum: its sub-total, and how often the device has changed it. */
export type Part = readonly [total: number, count: number];

/**
 * The parts of a sum by the devices' names for themselves in this account, which are not their device ids: those are
 * secret.
 */
export type Parts = { readonly [device: string]: Part };

/** The notes of an entry, by the path of the field. */
export interface Notes {
  /** The parts of each sum. */
  readonly sums: { [field: string]: Parts };
  /** When the field was set, by the service's clock in ms since 1970. */
  readonly at: { [field: string]: number };
}

/** Separates a stored value from its notes. Malformed notes are dropped: whoever can write the entry can write them. */
export function openNotes(stored: JsonObject): { value: JsonObject; notes: Notes } {
  const { [notesMember]: raw, ...value } = stored;
  const { sums, at } = isPlainObject(raw) ? (raw as { sums?: unknown; at?: unknown }) : {};
  return { value, notes: { sums: mapObject(sums, readParts), at: mapObject(at, readTime) } };
}

/** Adds the notes to a value that is to be stored. Without notes, the value stays as it is. */
export function closeNotes(value: JsonObject, notes: Notes): JsonObject {
  const written = Object.entries(notes).filter(([, note]) => Object.keys(note).length > 0);
  return written.length === 0 ? value : { ...value, [notesMember]: Object.fromEntries(written) };
}

function readParts(raw: unknown): Parts | undefined {
  const parts = mapObject(raw, readPart);
  return Object.keys(parts).length === 0 ? undefined : parts;
}

function readPart(raw: unknown): Part | undefined {
  if (!Array.isArray(raw) || raw.length !== 2) return undefined;
  const [total, count] = raw as unknown[];
  return Number.isFinite(total) && Number.isSafeInteger(count) ? [total as number, count as number] : undefined;
}

function readTime(raw: unknown): number | undefined {
  return Number.isFinite(raw) ? (raw as number) : undefined;
}

function mapObject<T>(raw: unknown, read: (member: unknown) => T | undefined): { [name: string]: T } {
  if (!isPlainObject(raw)) return {};
  const entries = Object.entries(raw).flatMap(([name, member]) => {
    const value = read(member);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}
