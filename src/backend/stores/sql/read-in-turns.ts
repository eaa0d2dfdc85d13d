import type { EntryName, Owner, PlacedRecord } from '../records.js';
import { accountKey, whereAccount } from './accounts.js';
import { readEntries } from './entries.js';
import { firstRow, integerOf, type SqlRunner, type Steps } from './statement.js';

/** How many entries are read in one turn: at most some 3 MiB. */
const pageEntries = 20;
const maxTries = 3;

/** What an account's entries were at one moment: each write makes the sum larger. */
interface EntriesMark {
  entries: number;
  revision: number;
}

/** What is read of an account, or of a conflict, beside the entries. */
interface Read<Head> {
  /** Null where there is nothing to read. */
  head: () => Steps<Head | null>;
  owners: (head: Head) => readonly Owner[];
}

/**
 * Reads all entries of some accounts in many turns of the event loop, of an engine whose statements hold it, so that
 * others are served in between. What is read is of one moment all the same: it is read again where somebody has written
 * meanwhile. Null where that has happened too often, and where there is little to read: then one turn is enough.
 */
export async function readInTurns<Head>(
  runner: SqlRunner,
  read: Read<Head>,
): Promise<{ head: Head; entries: PlacedRecord[][] } | null> {
  const { betweenReads } = runner;
  for (let tries = 0; betweenReads !== null && tries < maxTries; tries += 1) {
    const before = await runner.read(() => markedHead(read));
    if (before === null || before.marks.every(({ entries }) => entries <= pageEntries)) return null;
    const entries: PlacedRecord[][] = [];
    for (const owner of read.owners(before.head)) {
      entries.push(await readPages(runner, owner, betweenReads));
    }
    const after = await runner.read(() => markedHead(read));
    if (JSON.stringify(after) === JSON.stringify(before)) return { head: before.head, entries };
  }
  return null;
}

function* markedHead<Head>({ head: readHead, owners }: Read<Head>): Steps<{ head: Head; marks: EntriesMark[] } | null> {
  const head = yield* readHead();
  if (head === null) return null;
  const marks: EntriesMark[] = [];
  for (const owner of owners(head)) marks.push(yield* markOf(owner));
  return { head, marks };
}

function* markOf(owner: Owner): Steps<EntriesMark> {
  const text = `SELECT count(*) AS entries, CAST(coalesce(sum(version + 1), 0) AS bigint) AS revision
    FROM @entries WHERE ${whereAccount}`;
  const row = (yield* firstRow(text, ...accountKey(owner))) ?? {};
  return { entries: integerOf(row, 'entries'), revision: integerOf(row, 'revision') };
}

async function readPages(runner: SqlRunner, owner: Owner, pause: () => Promise<void>): Promise<PlacedRecord[]> {
  const entries: PlacedRecord[] = [];
  let after: EntryName | null = null;
  for (;;) {
    await pause();
    const page: PlacedRecord[] = (await runner.read(() => readEntries({ owner, after, max: pageEntries }))) ?? [];
    entries.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < pageEntries) break;
    after = { collection: last.collection, key: last.key };
  }
  await pause();
  return entries;
}
