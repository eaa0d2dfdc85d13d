import { versions } from '../../../protocol/gaps/versions.js';
import type { EntryName, EntryRecord, EntryVersion, NewEntry, PlacedRecord } from '../records.js';

/** An account's entries as a process holds them: all that the memory store has, or what a database has just answered. */
export interface HeldEntries {
  collections: Map<string, Map<string, EntryRecord>>;
}

export function holdEntries(entries: readonly PlacedRecord[]): HeldEntries {
  const collections: HeldEntries['collections'] = new Map();
  for (const { collection, ...entry } of entries) {
    const stored = collections.get(collection) ?? new Map<string, EntryRecord>();
    collections.set(collection, stored.set(entry.key, entry));
  }
  return { collections };
}

/** Writes an entry over whatever is there. */
export function putEntry(account: HeldEntries, { collection, key, text }: NewEntry, now: number): EntryVersion {
  const entries = account.collections.get(collection) ?? new Map<string, EntryRecord>();
  const version = (entries.get(key)?.version ?? versions.first - 1) + 1;
  account.collections.set(collection, entries.set(key, { key, text, version, changedAt: now }));
  return { collection, key, version };
}

/** Whether a collection would have too many entries after these writes; those that are there already do not count. */
export function overflows(account: HeldEntries, writes: readonly EntryName[], maxEntries: number): boolean {
  const sizes = new Map<string, number>();
  for (const write of writes) {
    if (entryOf(account, write) !== undefined) continue;
    const { collection } = write;
    const size = (sizes.get(collection) ?? account.collections.get(collection)?.size ?? 0) + 1;
    if (size > maxEntries) return true;
    sizes.set(collection, size);
  }
  return false;
}

export function entryOf(account: HeldEntries, { collection, key }: EntryName): EntryRecord | undefined {
  return account.collections.get(collection)?.get(key);
}

export function readFromAccount(account: HeldEntries, collection: string): EntryRecord[] {
  const entries = [...(account.collections.get(collection)?.values() ?? [])];
  return entries.map((entry) => ({ ...entry })).sort((left, right) => compareUtf8(left.key, right.key));
}

export function readAllFrom(account: HeldEntries): PlacedRecord[] {
  return [...account.collections.keys()]
    .sort(compareUtf8)
    .flatMap((collection) => readFromAccount(account, collection).map((entry) => ({ collection, ...entry })));
}

/** Not one entry more or less, and each at its version. */
export function isRestingOn(account: HeldEntries, versions: readonly EntryVersion[]): boolean {
  const rowOf = ({ collection, key, version }: EntryVersion): string => JSON.stringify([collection, key, version]);
  const stored = new Set(readAllFrom(account).map(rowOf));
  const rows = new Set(versions.map(rowOf));
  return rows.size === stored.size && [...rows].every((row) => stored.has(row));
}

/** The order of UTF-8 bytes is that of code points, which is not that of UTF-16: a surrogate sorts after U+FFFF. */
function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return orderOf(a) - orderOf(b);
  }
  return left.length - right.length;
}

function orderOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
