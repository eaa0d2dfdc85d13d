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
  readonly sums: { [field: string]: { readonly [device: string]: Part } };
  /** By field: when it was set, ms since 1970 by the service's clock. */
  readonly at: { [field: string]: number };
}

/** Takes a stored value apart; both parts are the caller's own. Notes that do not have their form are dropped: they are the wire's, so anyone's. */
export function openNotes(stored: JsonObject): { value: JsonObject; notes: Notes } {
  const { [notesMember]: raw, ...value } = stored;
  const { sums, at } = isPlainObject(raw) ? raw : {};
  return { value, notes: { sums: mapObject(sums, readParts), at: mapObject(at, readTime) } };
}

/** Puts a value and its notes together; a value without notes stays as it is. */
export function closeNotes(value: JsonObject, notes: Notes): JsonObject {
  const written = Object.fromEntries(Object.entries(notes).filter(([, kind]) => !isEmpty(kind)));
  return isEmpty(written) ? value : { ...value, [notesMember]: written };
}

export function isEmpty(object: object): boolean {
  return Object.keys(object).length === 0;
}

function readParts(raw: unknown): { [device: string]: Part } | undefined {
  const parts = mapObject(raw, readPart);
  return isEmpty(parts) ? undefined : parts;
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
