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

export interface Notes {
  /** By field, then by the device's name for itself in this account (not its device id, which is a secret). */
  readonly sums: { readonly [field: string]: { readonly [device: string]: Part } };
  /** By field: when it was set, ms since 1970 by the service's clock. */
  readonly at: { readonly [field: string]: number };
}

const none: Notes = { sums: {}, at: {} };

/** Takes a stored value apart. Notes that do not have their form are dropped: they are the wire's, so anyone's. */
export function openNotes(stored: JsonObject): { value: JsonObject; notes: Notes } {
  if (!Object.hasOwn(stored, notesMember)) return { value: stored, notes: none };
  const { [notesMember]: raw, ...value } = stored;
  if (!isPlainObject(raw)) return { value, notes: none };
  return { value, notes: { sums: mapObject(raw['sums'], readParts), at: mapObject(raw['at'], readTime) } };
}

/** Puts a value and its notes together; a value without notes stays as it is. */
export function closeNotes(value: JsonObject, notes: Notes): JsonObject {
  const sums = Object.keys(notes.sums).length > 0 ? { sums: notes.sums } : {};
  const at = Object.keys(notes.at).length > 0 ? { at: notes.at } : {};
  const written = { ...sums, ...at };
  return Object.keys(written).length === 0 ? value : { ...value, [notesMember]: written };
}

function readParts(raw: unknown): { [device: string]: Part } | undefined {
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
