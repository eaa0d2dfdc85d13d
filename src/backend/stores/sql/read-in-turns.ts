import type { Slices } from '../../slices.js';
import type { CollectionRequest } from '../entry-requests.js';
import type { EntryRecord, EntryVersion, Owner, PlacedRecord } from '../records.js';
import { findEntry, holdEntries } from '../rules/held-entries.js';
import { accountKey, whereAccount } from './accounts.js';
import {
  listCollectionVersions,
  listEntryVersions,
  readCollection,
  readCollectionAfter,
  readEntries,
} from './entries.js';
import { readEntry } from './players.js';
import { firstRow, integerOf, rows, type SqlRunner, type Steps } from './statement.js';

/** How many entries are read in one statement where nobody knows how large they are: at most some 1.5 MiB. */
const fewEntries = 10;
/** How many entries a page has at most, and how many bytes: one entry may be more. */
const pageEntries = 200;
const pageBytes = 1_024 * 1_024;

/** What the entries of an account were at one moment: each write makes the sum larger. */
interface EntriesMark {
  entries: number;
  revision: number;
}

function* markOf(owner: Owner): Steps<EntriesMark> {
  const text = `SELECT count(*) AS entries, CAST(coalesce(sum(version + 1), 0) AS bigint) AS revision
    FROM @entries WHERE ${whereAccount}`;
  const row = (yield* firstRow(text, ...accountKey(owner))) ?? {};
  return { entries: integerOf(row, 'entries'), revision: integerOf(row, 'revision') };
}

/** How many bytes the values of entries have, in their order. `where` takes values from $4 on, and the last one says how many. */
function* entrySizes(owner: Owner, where: string, values: readonly [string, string, number]): Steps<number[]> {
  const text = `SELECT octet_length(body) AS bytes FROM @entries
    WHERE ${whereAccount} AND ${where} ORDER BY collection, key LIMIT $6`;
  return (yield* rows(text, ...accountKey(owner), ...values)).map((row) => integerOf(row, 'bytes'));
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
  const first = await runner.read(() => markedHead({ head: readHead, owners }));
  if (first === null || first.marks.every(({ entries }) => entries <= fewEntries)) return null;
  const read = new Map<string, { mark: EntriesMark; entries: PlacedRecord[] }>();
  for (const [at, owner] of owners(first.head).entries()) {
    const mark = first.marks[at] as EntriesMark;
    const { entries } = await readPages<PlacedRecord>(runner, slices, [], (last) => pageOfAccount(owner, last));
    read.set(owner.accountId, { mark, entries });
  }
  return runner.read(function* () {
    const head = yield* readHead();
    if (head === null) return null;
    const entries: PlacedRecord[][] = [];
    for (const owner of owners(head)) {
      const known = read.get(owner.accountId) ?? { mark: null, entries: [] };
      const isSame = isEqual(yield* markOf(owner), known.mark);
      entries.push(isSame ? known.entries : yield* asTheyAre(owner, known.entries, yield* listEntryVersions(owner)));
    }
    return { head, entries };
  });
}

function* markedHead<Head>({ head: readHead, owners }: Read<Head>): Steps<{ head: Head; marks: EntriesMark[] } | null> {
  const head = yield* readHead();
  if (head === null) return null;
  const marks: EntriesMark[] = [];
  for (const owner of owners(head)) marks.push(yield* markOf(owner));
  return { head, marks };
}

function isEqual(left: EntriesMark, right: EntriesMark | null): boolean {
  return left.entries === right?.entries && left.revision === right.revision;
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

/** Entries that are read in one statement, and whether they are the last ones. */
interface Page<Entry> {
  entries: readonly Entry[];
  isLast: boolean;
}

/** Reads on after the entries of the first turn, and says whether all of it was read in that one turn. */
async function readPages<Entry extends EntryRecord>(
  runner: SqlRunner,
  slices: Slices,
  first: readonly Entry[],
  pageAfter: (last: Entry | undefined) => Steps<Page<Entry>>,
): Promise<{ entries: Entry[]; isOfOneTurn: boolean }> {
  const entries = [...first];
  let isOfOneTurn = true;
  for (;;) {
    if (slices.isOver()) {
      await slices.pause();
      isOfOneTurn = false;
    }
    const page = await runner.read(() => pageAfter(entries.at(-1)));
    entries.push(...page.entries);
    if (page.isLast) return { entries, isOfOneTurn };
  }
}

function* pageOfAccount(owner: Owner, last: PlacedRecord | undefined): Steps<Page<PlacedRecord>> {
  const { collection, key } = last ?? { collection: '', key: '' };
  const sizes = yield* entrySizes(owner, '(collection, key) > ($4, $5)', [collection, key, pageEntries]);
  return yield* pageOf(sizes, function* (max) {
    return (yield* readEntries({ owner, after: { collection, key }, max })) ?? [];
  });
}

function* pageOfCollection({ owner, collection }: CollectionRequest, after: string): Steps<Page<EntryRecord>> {
  const sizes = yield* entrySizes(owner, 'collection = $4 AND key > $5', [collection, after, pageEntries]);
  return yield* pageOf(sizes, (max) => readCollectionAfter(owner, { collection, after, max }));
}

/** Of the next entries those that have so few bytes that one statement may read them. */
function* pageOf<Entry>(sizes: readonly number[], read: (max: number) => Steps<Entry[]>): Steps<Page<Entry>> {
  if (sizes.length === 0) return { entries: [], isLast: true };
  let bytes = 0;
  const tooMuch = sizes.findIndex((size) => {
    bytes += size;
    return bytes > pageBytes;
  });
  const max = tooMuch < 0 ? sizes.length : Math.max(tooMuch, 1);
  return { entries: yield* read(max), isLast: max === sizes.length && max < pageEntries };
}

/**
 * `Store.readCollection`, a large one in many turns in the same way. One of a few entries is read in one statement.
 */
export async function readCollectionInTurns(
  runner: SqlRunner,
  request: CollectionRequest,
): Promise<EntryRecord[] | null> {
  if (runner.slices === null) return runner.read(() => readCollection(request));
  const slices = runner.slices();
  const first = await runner.read(() => readCollection(request, fewEntries));
  if (first === null || first.length < fewEntries) return first;
  const { owner, collection } = request;
  const { entries, isOfOneTurn } = await readPages(runner, slices, first, (last) =>
    pageOfCollection(request, last?.key ?? ''),
  );
  if (isOfOneTurn) return entries;
  return runner.read(function* () {
    const now = yield* listCollectionVersions(request);
    if (now === null) return null;
    const placed = entries.map((entry) => ({ collection, ...entry }));
    return (yield* asTheyAre(owner, placed, now)).map(({ collection: _, ...entry }) => entry);
  });
}
