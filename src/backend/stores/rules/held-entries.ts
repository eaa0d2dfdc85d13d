import { versions } from '../../../protocol/gaps/versions.js';
import type { CollectionRecord, EntryQuotas, QuotaRefusal } from '../entry-requests.js';
import type { EntryName, EntryRecord, EntryVersion, NewEntry, PlacedRecord } from '../records.js';
import { entryBytes, exceededQuota, noTimes } from './quotas.js';

/** Of an entry into which nothing of another account has come. */
export const noOrigins = '{}';

/** An account's entries in memory: those of the memory store, or those that a database has just answered. */
export interface HeldEntries {
  collections: Map<string, Map<string, EntryRecord>>;
  /** The bytes of all entries together (`entryBytes`). */
  valueBytes: number;
}

export function holdEntries(entries: readonly PlacedRecord[]): HeldEntries {
  const collections: HeldEntries['collections'] = new Map();
  let valueBytes = 0;
  for (const { collection, ...entry } of entries) {
    const stored = collections.get(collection) ?? new Map<string, EntryRecord>();
    collections.set(collection, stored.set(entry.key, entry));
    valueBytes += entryBytes(entry);
  }
  return { collections, valueBytes };
}

/**
 * Writes an entry, whatever is stored under its name, and gives it the next version. Its bytes are counted elsewhere.
 */
export function putEntry(
  account: HeldEntries,
  { collection, key, text, times: given, origins }: NewEntry,
  now: number,
): EntryVersion {
  const entries = account.collections.get(collection) ?? new Map<string, EntryRecord>();
  const former = entries.get(key);
  const version = (former?.version ?? versions.first - 1) + 1;
  const times = given ?? former?.times ?? noTimes;
  const from = origins === undefined ? former?.origins : origins;
  const entry: EntryRecord = { key, text, version, changedAt: now };
  if (times !== noTimes) entry.times = times;
  if (from !== undefined && from !== noOrigins) entry.origins = from;
  account.collections.set(collection, entries.set(key, entry));
  return { collection, key, version };
}

/** How much more an account would hold. */
export interface Growth {
  bytes: number;
  /** The new entries of each collection that would have any. */
  added: ReadonlyMap<string, number>;
}

/** What these writes, each of another entry, would add to an account. */
export function growthBy(account: HeldEntries, writes: readonly NewEntry[]): Growth {
  const added = new Map<string, number>();
  let bytes = 0;
  for (const write of writes) {
    const former = findEntry(account, write);
    bytes += bytesAfter(write, former) - (former === undefined ? 0 : entryBytes(former));
    if (former === undefined) added.set(write.collection, (added.get(write.collection) ?? 0) + 1);
  }
  return { bytes, added };
}

/** What an entry counts once a write has taken its place: times that the write does not bring stay. */
export function bytesAfter({ text, times }: Pick<NewEntry, 'text' | 'times'>, former: EntryRecord | undefined): number {
  return entryBytes({ text, times: times ?? former?.times });
}

/** The quota that an account would exceed by growing so; null where it may. */
export function exceededBy(account: HeldEntries, { bytes, added }: Growth, quotas: EntryQuotas): QuotaRefusal | null {
  let made = 0;
  for (const collection of added.keys()) if (!account.collections.has(collection)) made += 1;
  const values = { used: account.valueBytes, by: bytes };
  const collections = { used: account.collections.size, by: made };
  for (const [collection, by] of added) {
    const entries = { used: account.collections.get(collection)?.size ?? 0, by };
    const refused = exceededQuota({ entries, collections, values }, quotas);
    if (refused !== null) return refused;
  }
  return exceededQuota({ entries: { used: 0, by: 0 }, collections, values }, quotas);
}

export function findEntry(account: HeldEntries, { collection, key }: EntryName): EntryRecord | undefined {
  return account.collections.get(collection)?.get(key);
}

/** All entries of a collection: copies, by key. */
export function listCollection(account: HeldEntries, collection: string): EntryRecord[] {
  const entries = [...(account.collections.get(collection)?.values() ?? [])];
  return entries.map((entry) => ({ ...entry })).sort((left, right) => compareByUtf8(left.key, right.key));
}

/** The collections, each with the sum of its entries' versions plus one. */
export function revisionsOf(account: HeldEntries): CollectionRecord[] {
  return [...account.collections.keys()].sort(compareByUtf8).map((collection) => {
    const entries = account.collections.get(collection)?.values() ?? [];
    return { collection, revision: [...entries].reduce((sum, { version }) => sum + version + 1, 0) };
  });
}

/** All entries: copies, by collection and key. */
export function listEntries(account: HeldEntries): PlacedRecord[] {
  return [...account.collections.keys()]
    .sort(compareByUtf8)
    .flatMap((collection) => listCollection(account, collection).map((entry) => ({ collection, ...entry })));
}

/** Up to `max` entries that come after a name, in the same order: copies. */
export function listEntriesAfter(account: HeldEntries, after: EntryName | null, max: number): PlacedRecord[] {
  const page: PlacedRecord[] = [];
  for (const collection of [...account.collections.keys()].sort(compareByUtf8)) {
    const order = after === null ? 1 : compareByUtf8(collection, after.collection);
    if (order < 0) continue;
    const entries = [...(account.collections.get(collection)?.values() ?? [])]
      .filter(({ key }) => order > 0 || compareByUtf8(key, after?.key ?? '') > 0)
      .sort((left, right) => compareByUtf8(left.key, right.key));
    page.push(...entries.slice(0, max - page.length).map((entry) => ({ collection, ...entry })));
    if (page.length === max) break;
  }
  return page;
}

/** Whether an account's entries are exactly these, each at exactly this version. */
export function hasExactly(entries: readonly PlacedRecord[], expected: readonly EntryVersion[]): boolean {
  const rowOf = ({ collection, key, version }: EntryVersion): string => JSON.stringify([collection, key, version]);
  const stored = new Set(entries.map(rowOf));
  const rows = new Set(expected.map(rowOf));
  return rows.size === stored.size && [...rows].every((row) => stored.has(row));
}

/** The order of entries by collection and key. */
export function compareNames(left: EntryName, right: EntryName): number {
  return compareByUtf8(left.collection, right.collection) || compareByUtf8(left.key, right.key);
}

/**
 * The order of UTF-8 bytes is that of code points. UTF-16 has another one: its surrogates sort before U+E000 to U+FFFF.
 */
function compareByUtf8(left: string, right: string): number {
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
