import * as versions from '../../protocol/gaps/versions.js';
import type { MemoryAccount } from './memory-tables.js';
import type { EntryName, EntryRecord, EntryVersion, NewEntry, PlacedRecord } from './records.js';

/** Writes an entry over whatever is there. */
export function putEntry(account: MemoryAccount, { collection, key, text }: NewEntry, now: number): EntryVersion {
  const entries = account.collections.get(collection) ?? new Map<string, EntryRecord>();
  const version = (entries.get(key)?.version ?? versions.first - 1) + 1;
  account.collections.set(collection, entries.set(key, { key, text, version, changedAt: now }));
  return { collection, key, version };
}

/** Whether a collection would have too many entries after these writes; those that are there already do not count. */
export function overflows(account: MemoryAccount, writes: readonly EntryName[], maxEntries: number): boolean {
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

export function entryOf(account: MemoryAccount, { collection, key }: EntryName): EntryRecord | undefined {
  return account.collections.get(collection)?.get(key);
}

export function readFromAccount(account: MemoryAccount, collection: string): EntryRecord[] {
  const entries = [...(account.collections.get(collection)?.values() ?? [])];
  return entries.map((entry) => ({ ...entry })).sort((left, right) => compareUtf8(left.key, right.key));
}

export function readAllFrom(account: MemoryAccount): PlacedRecord[] {
  return [...account.collections.keys()]
    .sort(compareUtf8)
    .flatMap((collection) => readFromAccount(account, collection).map((entry) => ({ collection, ...entry })));
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
