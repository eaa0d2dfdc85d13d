import type { EntryName, EntryRecord, NewEntry, PlacedRecord } from '../records.js';
import { findEntry, type HeldEntries, noOrigins } from './held-entries.js';
import { noTimes } from './quotas.js';

/** How many other accounts an entry remembers: those that came last. */
const mostOrigins = 8;

/** Stands beside accounts where an earlier version may have merged others, and has noted nothing. */
const unknown = '*';

/** The accounts whose saves came into an entry, each with the id of the snapshot that has what came. */
type Origins = ReadonlyMap<string, string>;

/** Another account, and the snapshot in which an account keeps what came from there. */
export interface Origin {
  readonly fromId: string;
  readonly snapshotId: string;
}

/** An account in a conflict, with its entries. */
export interface Side {
  readonly accountId: string;
  readonly entries: readonly PlacedRecord[];
}

/** A snapshot that entries came from. */
type Source = { readonly createdAt: number; readonly entries: readonly PlacedRecord[] };

function readOrigins(text: string | null = noOrigins): Origins {
  return new Map(text === null ? [[unknown, '']] : Object.entries(JSON.parse(text) as Record<string, string>));
}

/** What an entry has noted once something of another account has come into it. */
export function withOrigin(text: string | null | undefined, { fromId, snapshotId }: Origin): string {
  const origins = new Map(readOrigins(text));
  origins.delete(fromId);
  return JSON.stringify(Object.fromEntries([...origins, [fromId, snapshotId] as const].slice(-mostOrigins)));
}

/** Notes in all entries of an account that something has come from another one: what they name has only what came. */
export function noteOrigin({ collections }: HeldEntries, origin: Origin): void {
  for (const entries of collections.values()) {
    for (const [key, entry] of entries) entries.set(key, { ...entry, origins: withOrigin(entry.origins, origin) });
  }
}

/**
 * What the return of entries writes: what the account has with the same text already stays as it is. `origin` is where they
 * are from; null for the account's own, which come with what had come into them.
 */
export function writesOver(
  account: HeldEntries,
  restored: readonly PlacedRecord[],
  origin: Origin | null,
): Required<NewEntry>[] {
  return restored
    .filter((entry) => findEntry(account, entry)?.text !== entry.text)
    .map(({ collection, key, text, times = noTimes, origins }) => {
      const own = origins ?? (findEntry(account, { collection, key })?.origins === null ? null : noOrigins);
      return { collection, key, text, times, origins: origin === null ? own : withOrigin(noOrigins, origin) };
    });
}

/** The snapshots of a side that its entries name as what came from another account. */
export function snapshotsNamed({ entries }: Side, otherId: string): string[] {
  const noted = new Set(entries.map(({ origins }) => origins));
  const named = [...noted].flatMap((origins) => readOrigins(origins).get(otherId) ?? []);
  return [...new Set(named)];
}

/** Whether an earlier version may have merged the sides: then what it kept of its last merge is the common past. */
export function isPastUnknown(sides: readonly Side[]): boolean {
  return sides.some(({ entries }) => entries.some(mayHaveMore));
}

function mayHaveMore({ origins }: EntryRecord): boolean {
  return origins === null || (origins !== undefined && readOrigins(origins).has(unknown));
}

/**
 * The common past of two accounts, entry by entry: what came from one into the other last, by a merge or the return of what
 * was not chosen. `sources` are the snapshots of both that are named, and `earlier` is what an earlier version has merged.
 */
export function commonPast(
  [local, cloud]: readonly [Side, Side],
  sources: ReadonlyMap<string, Source>,
  earlier: readonly PlacedRecord[] = [],
): PlacedRecord[] {
  // As in nearly every conflict: then no entry is looked at, however many there are.
  if (sources.size === 0 && earlier.length === 0) return [];
  const there = byName(cloud.entries);
  const contents = new Map([...sources].map(([id, { entries }]) => [id, byName(entries)]));
  const merged = byName(earlier);
  return local.entries.flatMap((mine) => {
    const theirs = there.get(nameOf(mine));
    if (theirs === undefined) return [];
    const named = [readOrigins(theirs.origins).get(local.accountId), readOrigins(mine.origins).get(cloud.accountId)];
    const [last] = named
      .flatMap((id) => (id !== undefined && sources.has(id) ? [id] : []))
      .sort((left, right) => (sources.get(right)?.createdAt ?? 0) - (sources.get(left)?.createdAt ?? 0));
    if (last !== undefined) return contents.get(last)?.get(nameOf(mine)) ?? [];
    return (mayHaveMore(mine) || mayHaveMore(theirs) ? merged.get(nameOf(mine)) : undefined) ?? [];
  });
}

function byName(entries: readonly PlacedRecord[]): Map<string, PlacedRecord> {
  return new Map(entries.map((entry) => [nameOf(entry), entry]));
}

function nameOf({ collection, key }: EntryName): string {
  return JSON.stringify([collection, key]);
}
