import type { JsonObject } from '../protocol/messages.js';
import { isPlainObject } from '../protocol/value-text.js';

/**
 * The member of a stored value that carries what numbers and texts alone cannot say: who added how much, and when
 * something was set. Only fields with the rules `sum` and `latest` leave notes there. The SDK takes it off before a
 * game sees the value; a back end that passes it through (a spread does) keeps it right.
 */
export const notesMember = '$savepoint';

/** A device's own part of a sum: its sub-total, and how often the device has changed it. */
export type Part = readonly [total: number, count: number];

/** By the device's name for itself in this account (not its device id, which is a secret). */
export type Parts = { readonly [device: string]: Part };

export interface Notes {
  /** By field. */
  readonly sums: { [field: string]: Parts };
  /** By field: when it was set, ms since 1970 by the service's clock. */
  readonly at: { [field: string]: number };
}

/** Takes a stored value apart. Notes that do not have their form are dropped: they are the wire's, so anyone's. */
export function openNotes(stored: JsonObject): { value: JsonObject; notes: Notes } {
  const { [notesMember]: raw, ...value } = stored;
  const { sums, at } = isPlainObject(raw) ? (raw as { sums?: unknown; at?: unknown }) : {};
  return { value, notes: { sums: mapObject(sums, readParts), at: mapObject(at, readTime) } };
}

/** Puts a value and its notes together; a value without notes stays as it is. */
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
