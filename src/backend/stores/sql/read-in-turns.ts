import type { Slices } from '../../slices.js';
import type { CollectionRequest } from '../entry-requests.js';
import type { EntryName, EntryRecord, EntryVersion, Owner, PlacedRecord } from '../records.js';
import { findEntry, holdEntries } from '../rules/held-entries.js';
import {
  countEntries,
  listCollectionVersions,
  listEntryVersions,
  readCollection,
  readCollectionAfter,
  readEntries,
} from './entries.js';
import { readEntry } from './players.js';
import type { SqlRunner, Steps } from './statement.js';

/** How many entries the first statement reads, and each further one at least: at most some 1.5 MiB. */
const pageEntries = 10;
/** How many bytes of values the further ones read, where they are like those before. */
const pageBytes = 1_024 * 1_024;

function nextPageEntries(page: readonly EntryRecord[]): number {
  const bytes = page.reduce((sum, { text }) => sum + text.length, 0);
  return Math.max(pageEntries, Math.floor((pageBytes * page.length) / Math.max(bytes, 1)));
}

/** What is read of an account, or of a conflict, beside the entries. */
interface Read<Head> {
  /** Null where there is nothing to read. */
  head: () => Steps<Head | null>;
  owners: (head: Head) => readonly Owner[];
}

/**
 * Reads all entries of some accounts in many turns of the event loop, of an engine whose statements hold it, so that
 * others are served in between. All of it is as it is in the last turn: what somebody has written meanwhile is read
 * again there. Null where there is little to read: then one turn is enough.
 */
export async function readInTurns<Head>(
  runner: SqlRunner,
  { head: readHead, owners }: Read<Head>,
): Promise<{ head: Head; entries: PlacedRecord[][] } | null> {
  if (runner.slices === null) return null;
  const slices = runner.slices();
  const first = await runner.read(() => countedHead({ head: readHead, owners }));
  if (first === null || first.counts.every((count) => count <= pageEntries)) return null;
  const read = new Map<string, PlacedRecord[]>();
  for (const owner of owners(first.head)) read.set(owner.accountId, await readPages(runner, owner, slices));
  return runner.read(function* () {
    const head = yield* readHead();
    if (head === null) return null;
    const entries: PlacedRecord[][] = [];
    for (const owner of owners(head)) {
      entries.push(yield* asTheyAre(owner, read.get(owner.accountId) ?? [], yield* listEntryVersions(owner)));
    }
    return { head, entries };
  });
}

function* countedHead<Head>({ head: readHead, owners }: Read<Head>): Steps<{ head: Head; counts: number[] } | null> {
  const head = yield* readHead();
  if (head === null) return null;
  const counts: number[] = [];
  for (const owner of owners(head)) counts.push(yield* countEntries(owner));
  return { head, counts };
}

/** The entries that there are now, with what was read of them before; what has changed since then is read here. */
function* asTheyAre(owner: Owner, read: readonly PlacedRecord[], now: readonly EntryVersion[]): Steps<PlacedRecord[]> {
  const held = holdEntries(read);
  const entries: PlacedRecord[] = [];
  for (const { collection, key, version } of now) {
    const known = findEntry(held, { collection, key });
    const entry = known?.version === version ? known : yield* readEntry({ owner, collection, key });
    if (entry !== null) entries.push({ collection, ...entry });
  }
  return entries;
}

async function readPages(runner: SqlRunner, owner: Owner, slices: Slices): Promise<PlacedRecord[]> {
  const entries: PlacedRecord[] = [];
  let after: EntryName | null = null;
  let max = pageEntries;
  for (;;) {
    if (slices.isOver()) await slices.pause();
    const page: PlacedRecord[] = (await runner.read(() => readEntries({ owner, after, max }))) ?? [];
    entries.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < max) break;
    after = { collection: last.collection, key: last.key };
    max = nextPageEntries(page);
  }
  if (slices.isOver()) await slices.pause();
  return entries;
}

/**
 * `Store.readCollection`, a large one in many turns in the same way. A collection that fits in a page is read in one
 * statement.
 */
export async function readCollectionInTurns(
  runner: SqlRunner,
  request: CollectionRequest,
): Promise<EntryRecord[] | null> {
  if (runner.slices === null) return runner.read(() => readCollection(request));
  const slices = runner.slices();
  const first = await runner.read(() => readCollection(request, pageEntries));
  if (first === null || first.length < pageEntries) return first;
  const { owner, collection } = request;
  const read: EntryRecord[] = [...first];
  let max = nextPageEntries(first);
  let isOfOneTurn = true;
  for (;;) {
    if (slices.isOver()) {
      await slices.pause();
      isOfOneTurn = false;
    }
    const after = read.at(-1)?.key ?? '';
    const page = await runner.read(() => readCollectionAfter(owner, { collection, after, max }));
    read.push(...page);
    if (page.length < max) break;
    max = nextPageEntries(page);
  }
  if (isOfOneTurn) return read;
  return runner.read(function* () {
    const now = yield* listCollectionVersions(request);
    if (now === null) return null;
    const placed = read.map((entry) => ({ collection, ...entry }));
    return (yield* asTheyAre(owner, placed, now)).map(({ collection: _, ...entry }) => entry);
  });
}
