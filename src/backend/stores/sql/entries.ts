import { versions } from '../../../protocol/gaps/versions.js';
import type { WriteName } from '../../../protocol/idempotency-key.js';
import type { EntriesRequest, EntryQuotas, UpdateOutcome, UpdateRequest, WriteRefusal } from '../entry-requests.js';
import type { CarriedEntry } from '../import-requests.js';
import type { EntryRecord, EntryVersion, NewEntry, Owner, PlacedRecord } from '../records.js';
import {
  bytesAfter,
  findEntry as findHeldEntry,
  type HeldEntries,
  noOrigins,
  putEntry as putHeldEntry,
} from '../rules/held-entries.js';
import {
  addToLedger,
  emptyLedger,
  type Ledger,
  outcomeWithoutWriting,
  readLedger,
  type WrittenLedger,
  writeLedger,
} from '../rules/ledger.js';
import { type Origin, withOrigin } from '../rules/origins.js';
import { bytesOf, entryBytes, exceededQuota, type Growths, noTimes } from '../rules/quotas.js';
import { refusedWrite } from '../rules/write-access.js';
import { accountKey, findAccountRecord, whereAccount } from './accounts.js';
import type { LedgerSql } from './ledger-sql.js';
import { noLocks, type RowLocks } from './row-locks.js';
import { keepSnapshot } from './snapshots.js';
import {
  firstRow,
  integerOf,
  integerOrNull,
  RaceError,
  rows,
  type SqlRow,
  type SqlRunner,
  type SqlValue,
  type Steps,
  textOf,
  textOrNull,
} from './statement.js';
import {
  countAnew,
  countColumns,
  countFor,
  countFromRow,
  countsRooms,
  hasRoom,
  moreBytes,
  place,
  setCount,
  timesBytesSql,
  type ValueCount,
} from './value-bytes.js';
import { lockForWrite, writeAccess } from './write-access.js';

export const entryColumns = 'key, body, version, changed_at, times, origins';
export const whereEntry = `${whereAccount} AND collection = $4 AND key = $5`;

/**
 * What a write has to know: the entry as a database has it, null where there is none, and how the
 * account counts its values.
 */
interface FoundEntry {
  record: EntryRecord | null;
  ledger: Ledger;
  room: number;
  count: ValueCount;
}

export function* listEntries(owner: Owner): Steps<PlacedRecord[]> {
  const text = `SELECT collection, ${entryColumns} FROM @entries WHERE ${whereAccount} ORDER BY collection, key`;
  const found = yield* rows(text, ...accountKey(owner));
  return found.map((row) => ({ collection: textOf(row, 'collection'), ...entryFromRow(row) }));
}

/** The same, each with its ledger. */
export function* listCarriedEntries(owner: Owner): Steps<CarriedEntry[]> {
  const text = `SELECT collection, ${entryColumns}, CAST(writes AS text) AS writes FROM @entries
    WHERE ${whereAccount} ORDER BY collection, key`;
  const found = yield* rows(text, ...accountKey(owner));
  return found.map((row) => {
    const ledger = ledgerFromRow(row);
    const entry = { collection: textOf(row, 'collection'), ...entryFromRow(row) };
    return ledger.size === 0 ? entry : { ...entry, writes: writeLedger(ledger) };
  });
}

/** All entries without their values. */
export function* listEntryVersions(owner: Owner): Steps<EntryVersion[]> {
  const text = `SELECT collection, key, version FROM @entries WHERE ${whereAccount} ORDER BY collection, key`;
  return (yield* rows(text, ...accountKey(owner))).map(entryVersionFromRow);
}

export function entryVersionFromRow(row: SqlRow): EntryVersion {
  return { collection: textOf(row, 'collection'), key: textOf(row, 'key'), version: integerOf(row, 'version') };
}

/** `Store.readEntries`. No name is empty, so that every entry comes after one of empty names. */
export function* readEntries({ owner, after, max }: EntriesRequest): Steps<PlacedRecord[] | null> {
  const { collection, key } = after ?? { collection: '', key: '' };
  const text = `SELECT collection, ${entryColumns} FROM @entries
    WHERE ${whereAccount} AND (collection, key) > ($4, $5) ORDER BY collection, key LIMIT $6`;
  const found = yield* rows(text, ...accountKey(owner), collection, key, max);
  if (found.length === 0 && (yield* findAccountRecord(owner)) === null) return null;
  return found.map((row) => ({ collection: textOf(row, 'collection'), ...entryFromRow(row) }));
}

/** An entry for whoever may write it; else why they may not. All in one statement. */
export function* findEntry(request: UpdateRequest): Steps<FoundEntry | WriteRefusal> {
  const { owner, sessionId, collection, key } = request;
  const text = `
    SELECT a.deleted_at, ${countColumns}, e.key, e.body, e.version, e.changed_at, e.times, e.origins, e.growth,
        CAST(e.writes AS text) AS writes,
        (SELECT session_id FROM @sessions WHERE ${whereAccount} AND session_id = $6) AS session_id
      FROM @accounts a LEFT JOIN @entries e
      ON e.account_id = a.account_id AND e.environment = a.environment AND e.game_id = a.game_id
        AND e.collection = $4 AND e.key = $5
      WHERE a.account_id = $1 AND a.environment = $2 AND a.game_id = $3`;
  const row = yield* firstRow(text, ...accountKey(owner), collection, key, sessionId);
  const account = row === null ? null : { deletedAt: integerOrNull(row, 'deleted_at') };
  const hasSession = row !== null && textOrNull(row, 'session_id') !== null;
  const refused = refusedWrite(account, { sessionId, hasSession });
  if (refused !== null) return refused;
  // Nobody may write where there is no account.
  const found = row as SqlRow;
  const count = countFromRow(found);
  if (found['key'] === null) return { record: null, ledger: emptyLedger, room: 0, count };
  return { record: entryFromRow(found), ledger: ledgerFromRow(found), room: integerOf(found, 'growth'), count };
}

/** What an entry becomes where the stored version is the one that the write rests on. */
interface Replacement {
  version: number;
  now: number;
  /** The new ledger; the stored one stays if left out. */
  ledger?: Ledger | undefined;
  /** The room of the value; the stored one stays if left out. */
  room?: number | undefined;
  /** A write that the database itself is to put into the ledger, if its device is there already with another one. */
  named?: { name: WriteName; ledgerSql: LedgerSql } | undefined;
  /**
   * Whose right to write, and that nothing has to be counted, the statement is to see; left out
   * where the transaction has.
   */
  asked?: { sessionId: string | null; rowLocks: RowLocks; maxBytes: number };
}

/**
 * Writes if the stored version is the one given, and answers the new one. Null where it is not, or nothing is stored;
 * with `named` also where the ledger has the write, or does not have its device; with `asked` also where they may not
 * write, or the value does not fit its room.
 */
function* replaceEntry(
  owner: Owner,
  entry: NewEntry,
  { version, now, ledger, room, named, asked }: Replacement,
): Steps<number | null> {
  const values: SqlValue[] = [...accountKey(owner), entry.collection, entry.key, entry.text, now, version];
  const bind = (value: SqlValue): string => `$${values.push(value)}`;
  const set = ['body = $6', 'version = version + 1', 'changed_at = $7'];
  const conditions = [whereEntry, 'version = $8'];
  if (entry.times !== undefined) set.push(`times = ${bind(entry.times)}`);
  if (entry.origins !== undefined) set.push(`origins = ${bind(entry.origins)}`);
  if (ledger !== undefined) set.push(`writes = ${bind(ledgerText(ledger))}`);
  if (room !== undefined) set.push(`growth = ${bind(room)}`);
  if (named !== undefined) {
    const { name, ledgerSql } = named;
    const written = ledgerText(addToLedger(emptyLedger, name, version + 1));
    set.push(`writes = ${ledgerSql.withWrite(bind(written))}`);
    conditions.push(`${ledgerSql.lastWrite(bind(name.device))} <> ${bind(name.write)}`);
  }
  if (asked !== undefined) {
    const { sessionId, rowLocks, maxBytes } = asked;
    const session = sessionId === null ? null : bind(sessionId);
    conditions.push(hasRoom(bytesWritten(entry, bind)), writeAccess(session, rowLocks, countsRooms(bind(maxBytes))));
  }
  const text = `UPDATE @entries SET ${set.join(', ')} WHERE ${conditions.join(' AND ')} RETURNING version`;
  const row = yield* firstRow(text, ...values);
  return row === null ? null : integerOf(row, 'version');
}

/** An SQL expression for what the entry counts after the write: the row's times stay where it brings none. */
function bytesWritten({ text, times }: NewEntry, bind: (value: SqlValue) => string): string {
  return times === undefined
    ? `CAST(${bind(bytesOf(text))} AS bigint) + ${timesBytesSql}`
    : bind(entryBytes({ text, times }));
}

/**
 * Writes if the stored version is the one that the request rests on, and answers the new one; null where the statement
 * of `replaceEntry` finds nothing. One statement, without a look at what is stored.
 */
export function replaceStoredEntry(
  { ledgerSql, rowLocks }: SqlRunner,
  request: UpdateRequest & { version: number },
): Steps<number | null> {
  const { owner, sessionId, version, name, now, quotas } = request;
  const named = name === undefined ? undefined : { name, ledgerSql };
  return replaceEntry(owner, request, { version, now, named, asked: { sessionId, rowLocks, maxBytes: quotas.values } });
}

/**
 * `Store.updateEntry` for any entry and version. It locks the account, so that nothing changes between read and write.
 */
export function* updateLockedEntry(request: UpdateRequest, rowLocks: RowLocks): Steps<UpdateOutcome> {
  const { owner, collection, text, version, name, quotas, snapshot, now } = request;
  // Where transactions run one by one, what is found stays as it is.
  const refused = rowLocks === noLocks ? null : yield* lockForWrite(request, rowLocks);
  const found = refused ?? (yield* findEntry(request));
  if (isRefusal(found)) return found;
  const { record: current, ledger, room } = found;
  const settled = outcomeWithoutWriting(request, current, ledger);
  if (settled !== null) return settled;
  const bytes = current === null ? 0 : entryBytes(current);
  const replaced = { from: { bytes, room }, to: bytesAfter(request, current ?? undefined), limit: quotas.values };
  const count = yield* countFor(owner, found.count, replaced);
  const values = { used: count.bytes, by: moreBytes(replaced, count) };
  const added = current === null ? yield* countAround(owner, collection) : nothingAdded;
  const exceeded = exceededQuota({ ...added, values }, quotas);
  if (exceeded !== null) return exceeded;
  const keepsFormer = version === versions.force || request.keepsFormer === true;
  if (keepsFormer && current !== null && current.text !== text) {
    yield* keepSnapshot(owner, { reason: 'overwrite', entries: [{ collection, ...current }], snapshot, now });
  }
  const next = current === null ? versions.first : current.version + 1;
  const changed = name === undefined ? undefined : addToLedger(ledger, name, next);
  const placed = place(replaced, count);
  yield* putEntry(owner, request, { current, now, ledger: changed, room: placed.room });
  if (placed.count.bytes !== count.bytes) yield* setCount(owner, placed.count);
  return { outcome: 'written', version: next };
}

export function isRefusal(found: FoundEntry | WriteRefusal): found is WriteRefusal {
  return 'outcome' in found;
}

const nothingAdded: Omit<Growths, 'values'> = { entries: { used: 0, by: 0 }, collections: { used: 0, by: 0 } };

/**
 * What one more entry of a collection adds. The collections are counted only where it would be the first of its own.
 */
function* countAround(owner: Owner, collection: string): Steps<Omit<Growths, 'values'>> {
  const text = `SELECT count(*) AS entries FROM @entries WHERE ${whereAccount} AND collection = $4`;
  const row = yield* firstRow(text, ...accountKey(owner), collection);
  const entries = { used: row === null ? 0 : integerOf(row, 'entries'), by: 1 };
  if (entries.used > 0) return { ...nothingAdded, entries };
  return { entries, collections: { used: yield* countCollections(owner), by: 1 } };
}

/** Goes from one collection to the next by the index, past all entries. */
function* countCollections(owner: Owner): Steps<number> {
  const text = `
    WITH RECURSIVE names (name) AS (
      SELECT min(collection) FROM @entries WHERE ${whereAccount}
      UNION ALL
      SELECT (SELECT min(collection) FROM @entries WHERE ${whereAccount} AND collection > names.name)
        FROM names WHERE names.name IS NOT NULL
    ) SELECT count(name) AS collections FROM names`;
  const row = yield* firstRow(text, ...accountKey(owner));
  return row === null ? 0 : integerOf(row, 'collections');
}

/**
 * Writes entries that this transaction has read as `held`, and counts the account's values again. The account is
 * locked, so that nobody else makes entries. Their ledgers stay as they are.
 */
export function* putEntries(
  owner: Owner,
  held: HeldEntries,
  { writes, now, quotas }: { writes: readonly NewEntry[]; now: number; quotas: EntryQuotas },
): Steps<void> {
  for (const write of writes) {
    yield* putEntry(owner, write, { current: findHeldEntry(held, write) ?? null, now });
    putHeldEntry(held, write, now);
  }
  yield* countAnew(owner, { more: 0, limit: quotas.values });
}

/**
 * Writes an entry that this transaction has read as `current`. The ledger stays where none is
 * given, and so does the room.
 */
function* putEntry(
  owner: Owner,
  entry: NewEntry,
  {
    current,
    now,
    ledger,
    room,
  }: { current: EntryRecord | null; now: number; ledger?: Ledger | undefined; room?: number },
): Steps<void> {
  if (current !== null) {
    const version = yield* replaceEntry(owner, entry, { version: current.version, now, ledger, room });
    if (version === null) throw new RaceError();
    return;
  }
  const { collection, key, text, times, origins } = entry;
  const record = {
    collection,
    key,
    text,
    version: versions.first,
    changedAt: now,
    ...(times === undefined ? {} : { times }),
    ...(origins === undefined ? {} : { origins }),
  };
  const isAdded = yield* addEntry(owner, record, { ledger: ledger ?? emptyLedger, room: room ?? 0 });
  if (!isAdded) throw new RaceError();
}

/** Makes an entry. False where there is one of its name. */
export function* addEntry(
  owner: Owner,
  { collection, key, text, version, changedAt, times = noTimes, origins = noOrigins }: PlacedRecord,
  { ledger, room }: { ledger: Ledger; room: number },
): Steps<boolean> {
  const found = yield* rows(
    `INSERT INTO @entries (account_id, environment, game_id, collection, key, body, version, changed_at, times, writes, growth, origins)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING RETURNING version`,
    ...accountKey(owner),
    collection,
    key,
    text,
    version,
    changedAt,
    times,
    ledgerText(ledger),
    room,
    origins,
  );
  return found.length > 0;
}

function ledgerFromRow(row: SqlRow): Ledger {
  return readLedger(JSON.parse(textOf(row, 'writes')) as WrittenLedger);
}

function ledgerText(ledger: Ledger): string {
  return JSON.stringify(writeLedger(ledger));
}

export function entryFromRow(row: SqlRow): EntryRecord {
  const times = textOf(row, 'times');
  const origins = textOrNull(row, 'origins');
  const entry: EntryRecord = {
    key: textOf(row, 'key'),
    text: textOf(row, 'body'),
    version: integerOf(row, 'version'),
    changedAt: integerOf(row, 'changed_at'),
  };
  if (times !== noTimes) entry.times = times;
  if (origins !== noOrigins) entry.origins = origins;
  return entry;
}

/** `noteOrigin`, in an account that is locked: one statement for all entries that have noted the same. */
export function* noteOriginOfAll(owner: Owner, origin: Origin): Steps<void> {
  const noted = `SELECT DISTINCT origins FROM @entries WHERE ${whereAccount}`;
  for (const row of yield* rows(noted, ...accountKey(owner))) {
    const before = textOrNull(row, 'origins');
    const isSame = before === null ? 'origins IS NULL' : 'origins = $5';
    const text = `UPDATE @entries SET origins = $4 WHERE ${whereAccount} AND ${isSame}`;
    yield* rows(text, ...accountKey(owner), withOrigin(before, origin), ...(before === null ? [] : [before]));
  }
}
