import { accountDefaults } from '../../../protocol/gaps/accounts.js';
import type { Slices } from '../../slices.js';
import type { CollectionRequest } from '../entry-requests.js';
import type { EntryRecord, EntryVersion, Owner, PlacedRecord } from '../records.js';
import { accountKey, whereAccount } from './accounts.js';
import { listCollectionVersions, readCollection, readCollectionAfter, readCollectionUpTo } from './collections.js';
import { listEntries, listEntryVersions, readEntries } from './entries.js';
import { readEntry } from './players.js';
import { newestPlace } from './snapshot-count.js';
import { firstRow, integerOf, rows, type SqlRunner, type Steps, type Turns } from './statement.js';

/** How many entries are read in one statement where nobody knows how large they are: at most some 1.5 MiB. */
const fewEntries = 10;
/** How many entries a page has at most, and how many bytes: one entry may be more. */
const pageEntries = 200;
const pageBytes = 1_024 * 1_024;

/** What the entries of an account were at one moment. */
interface EntriesMark {
  entries: number;
  /** Each write makes it larger. */
  revision: number;
  /** A merge notes an origin of all entries, those too that it does not write, and keeps a snapshot of what came. */
  newestSnapshot: number;
}

/** Looks at nothing that stands behind a value in its row: SQLite would go through the whole value for it. */
function* markOf(owner: Owner): Steps<EntriesMark> {
  const text = `SELECT count(*) AS entries, CAST(coalesce(sum(version + 1), 0) AS bigint) AS revision,
      ${newestPlace} AS newest
    FROM @entries WHERE ${whereAccount}`;
  const row = (yield* firstRow(text, ...accountKey(owner))) ?? {};
  const of = (name: string): number => integerOf(row, name);
  return { entries: of('entries'), revision: of('revision'), newestSnapshot: of('newest') };
}

/** Whether something of another account may have come into an account between two marks. */
function* mayHaveMerged(owner: Owner, before: EntriesMark, now: EntriesMark): Steps<boolean> {
  const since = now.newestSnapshot - before.newestSnapshot;
  if (since === 0) return false;
  const text = `SELECT count(*) AS kept FROM @snapshots
    WHERE ${whereAccount} AND ordinal > $4 AND from_id = account_id`;
  const row = (yield* firstRow(text, ...accountKey(owner), before.newestSnapshot)) ?? {};
  // Of one that has given way to newer ones since, nobody knows what it was of.
  return integerOf(row, 'kept') !== since;
}

/** How many bytes the values of entries have, in their order. `where` takes values from $4 on, and the last one says how many. */
function* entrySizes(owner: Owner, where: string, values: readonly [string, string, number]): Steps<number[]> {
  const text = `SELECT octet_length(body) AS bytes FROM @entries
    WHERE ${whereAccount} AND ${where} ORDER BY collection, key LIMIT $6`;
  return (yield* rows(text, ...accountKey(owner), ...values)).map((row) => integerOf(row, 'bytes'));
}

/** Reads all entries of an account as they are at the moment that all other steps are of. */
export type EntriesOf = (owner: Owner) => Steps<PlacedRecord[]>;

/** What is read of accounts, with all entries. */
interface Read<Result> {
  /** The accounts of which entries are read, as far as somebody knows before. */
  owners: () => Promise<readonly Owner[]>;
  /** Reads all else, and the entries by `entriesOf`, at one moment. */
  read: (entriesOf: EntriesOf) => Steps<Result>;
}

/** Reads accounts as they are at one moment. */
export async function readInTurns<Result>(runner: SqlRunner, { owners, read }: Read<Result>): Promise<Result> {
  const { turns } = runner;
  const entriesOf = turns === null ? listEntries : await readAhead(runner.read, turns, await owners());
  return runner.readTransaction(() => read(entriesOf));
}

/** What a transaction writes that has to know all entries of accounts. */
interface Change<Result> {
  owners: Read<Result>['owners'];
  write: (entriesOf: EntriesOf) => Steps<Result>;
}

/**
 * The same for a transaction that writes. One of them reads ahead at a time, for many would need much memory; who comes
 * meanwhile reads in its transaction, and keeps nobody waiting who waits for its place.
 */
export async function writeInTurns<Result>(runner: SqlRunner, { owners, write }: Change<Result>): Promise<Result> {
  const { turns } = runner;
  const atOnce = () => runner.transaction(() => write(listEntries));
  if (turns === null) return atOnce();
  const known = await owners();
  const change = turns.alone(async () => {
    const entriesOf = await readAhead(runner.read, turns, known);
    return runner.transaction(() => write(entriesOf));
  });
  return change ?? atOnce();
}

interface Marked {
  owner: Owner;
  mark: EntriesMark;
}

function* marksOf(owners: readonly Owner[]): Steps<Marked[]> {
  const marked: Marked[] = [];
  for (const owner of owners) marked.push({ owner, mark: yield* markOf(owner) });
  return marked;
}

/** One turn is enough to read it. */
const isSmall = ({ mark }: Marked): boolean => mark.entries <= fewEntries;

/**
 * Reads many entries in many turns, so that others are served in between. What somebody writes until a transaction asks
 * for them is read again there.
 */
async function readAhead(read: SqlRunner['read'], turns: Turns, owners: readonly Owner[]): Promise<EntriesOf> {
  const [slices, source] = [turns.slices(), turns.source()];
  const marked = await read(() => marksOf(owners));
  if (marked.every(isSmall)) return listEntries;
  const ahead = new Map<string, ReadAhead>();
  for (const { owner, mark } of marked) {
    const entries: PlacedRecord[] = [];
    await readPages(read, slices, entries, (last) => pageOfAccount(owner, last));
    ahead.set(owner.accountId, { mark, entries });
  }
  return (owner) => (turns.source() === source ? entriesNow(owner, ahead.get(owner.accountId)) : listEntries(owner));
}

/** The entries that were read of an account, and its mark from before that. */
interface ReadAhead {
  mark: EntriesMark;
  entries: PlacedRecord[];
}

function* entriesNow(owner: Owner, known: ReadAhead | undefined): Steps<PlacedRecord[]> {
  const mark = yield* markOf(owner);
  if (known === undefined) return yield* listEntries(owner);
  const isMerged = yield* mayHaveMerged(owner, known.mark, mark);
  if (isMerged) return yield* listEntries(owner);
  if (mark.entries === known.mark.entries && mark.revision === known.mark.revision) return known.entries;
  return yield* asTheyAre(owner, known.entries, yield* listEntryVersions(owner));
}

/**
 * The entries that there are now, with what was read of them before; what has changed since then is read here. Both are in
 * the same order, and none goes.
 */
function* asTheyAre(owner: Owner, read: readonly PlacedRecord[], now: readonly EntryVersion[]): Steps<PlacedRecord[]> {
  const entries: PlacedRecord[] = [];
  let at = 0;
  for (const { collection, key, version } of now) {
    const next = read[at];
    const known = next?.collection === collection && next.key === key ? next : null;
    if (known !== null) at += 1;
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

type ReadPage<Entry> = (last: Entry | undefined) => Steps<Page<Entry>>;

/** Reads on after the entries that there are, and adds to them, in as many turns as it takes. */
async function readPages<Entry extends EntryRecord>(
  read: SqlRunner['read'],
  slices: Slices,
  entries: Entry[],
  pageAfter: ReadPage<Entry>,
): Promise<void> {
  let isWhole = false;
  while (!isWhole) {
    if (slices.isOver()) await slices.pause();
    isWhole = await read(() => readSlice(slices, entries, pageAfter));
  }
}

/** Reads on in one turn until its slice is over. Says whether nothing is left. */
function* readSlice<Entry extends EntryRecord>(
  slices: Slices,
  entries: Entry[],
  pageAfter: ReadPage<Entry>,
): Steps<boolean> {
  for (;;) {
    const page = yield* pageAfter(entries.at(-1));
    entries.push(...page.entries);
    if (page.isLast || slices.isOver()) return page.isLast;
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

function* bytesOfCollection({ owner, collection }: CollectionRequest): Steps<number> {
  const text = `SELECT coalesce(sum(octet_length(body)), 0) AS bytes FROM @entries WHERE ${whereAccount} AND collection = $4`;
  return integerOf((yield* firstRow(text, ...accountKey(owner), collection)) ?? {}, 'bytes');
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

/** `Store.readCollection` where others are served meanwhile: a large one is read when its turn comes, and by then as it is. */
async function readCollectionAtOnce(
  { read, readOften }: SqlRunner,
  request: CollectionRequest,
): Promise<EntryRecord[] | null> {
  const { grows } = request;
  if (grows === undefined) return read(() => readCollection(request));
  const found = await readOften(() => readCollectionUpTo(request, accountDefaults.largeReadBytes));
  if (typeof found !== 'number') return found;
  await grows(found);
  return read(() => readCollection(request));
}

/**
 * `Store.readCollection`, a large one in many turns in the same way. One of a few entries is read in one statement.
 */
export async function readCollectionInTurns(
  runner: SqlRunner,
  request: CollectionRequest,
): Promise<EntryRecord[] | null> {
  const { read, turns } = runner;
  if (turns === null) return readCollectionAtOnce(runner, request);
  const [slices, source] = [turns.slices(), turns.source()];
  const { owner, collection, grows } = request;
  // By itself, without steps around it: most collections end here.
  let entries = await read(() => readCollection(request, fewEntries));
  if (entries === null || entries.length < fewEntries) return entries;
  const turn = grows?.(await read(() => bytesOfCollection(request))) ?? null;
  if (turn !== null) {
    // Many may wait, and together they would hold more than a process has.
    entries = [];
    await turn;
  }
  const known: EntryRecord[] = entries;
  await readPages(read, slices, known, (last) => pageOfCollection(request, last?.key ?? ''));
  return read(function* () {
    if (turns.source() !== source) return yield* readCollection(request);
    const now = yield* listCollectionVersions(request);
    if (now === null) return null;
    const placed = known.map((entry) => ({ collection, ...entry }));
    return (yield* asTheyAre(owner, placed, now)).map(({ collection: _, ...entry }) => entry);
  });
}
