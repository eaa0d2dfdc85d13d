import { versions } from '../../../protocol/gaps/versions.js';
import type { WriteName } from '../../../protocol/idempotency-key.js';
import type { EntryRecord, EntryVersion, NewEntry, Owner, PlacedRecord } from '../records.js';
import type { EntriesRequest, UpdateOutcome, UpdateRequest, WriteRefusal } from '../requests.js';
import { noTimes } from '../rules/held-entries.js';
import {
  addToLedger,
  emptyLedger,
  type Ledger,
  outcomeWithoutWriting,
  readLedger,
  type WrittenLedger,
  writeLedger,
} from '../rules/ledger.js';
import { refusedWrite } from '../rules/write-access.js';
import { accountKey, findAccountRecord, whereAccount } from './accounts.js';
import type { LedgerSql } from './ledger-sql.js';
import type { RowLocks } from './row-locks.js';
import { keepSnapshot, surplusSnapshots } from './snapshots.js';
import {
  firstRow,
  integerOf,
  integerOrNull,
  RaceError,
  rows,
  type SqlRow,
  type SqlValue,
  type Steps,
  textOf,
  textOrNull,
} from './statement.js';
import { lockForWrite, writeAccess } from './write-access.js';

const columns = 'key, body, version, changed_at, times';
const whereEntry = `${whereAccount} AND collection = $4 AND key = $5`;

/** An entry as a database has it, with its ledger. */
interface LedgeredEntry {
  record: EntryRecord;
  ledger: Ledger;
}

export function* listEntries(owner: Owner): Steps<PlacedRecord[]> {
  const text = `SELECT collection, ${columns} FROM @entries WHERE ${whereAccount} ORDER BY collection, key`;
  const found = yield* rows(text, ...accountKey(owner));
  return found.map((row) => ({ collection: textOf(row, 'collection'), ...entryFromRow(row) }));
}

/** `Store.readCollection`, in one statement: a row without an entry says that the account is there. */
export function* readCollection(owner: Owner, collection: string): Steps<EntryRecord[] | null> {
  const text = `
    SELECT e.key, e.body, e.version, e.changed_at, e.times FROM @accounts a LEFT JOIN @entries e
      ON e.account_id = a.account_id AND e.environment = a.environment AND e.game_id = a.game_id AND e.collection = $4
      WHERE a.account_id = $1 AND a.environment = $2 AND a.game_id = $3 ORDER BY e.key`;
  const found = yield* rows(text, ...accountKey(owner), collection);
  if (found.length === 0) return null;
  return found.filter(({ key }) => key !== null).map(entryFromRow);
}

/** `Store.readEntries`. No name is empty, so that every entry comes after one of empty names. */
export function* readEntries({ owner, after, max }: EntriesRequest): Steps<PlacedRecord[] | null> {
  const { collection, key } = after ?? { collection: '', key: '' };
  const text = `SELECT collection, ${columns} FROM @entries
    WHERE ${whereAccount} AND (collection, key) > ($4, $5) ORDER BY collection, key LIMIT $6`;
  const found = yield* rows(text, ...accountKey(owner), collection, key, max);
  if (found.length === 0 && (yield* findAccountRecord(owner)) === null) return null;
  return found.map((row) => ({ collection: textOf(row, 'collection'), ...entryFromRow(row) }));
}

/** An entry, null where there is none, for whoever may write it; else why they may not. All in one statement. */
export function* findEntry(request: UpdateRequest): Steps<LedgeredEntry | null | WriteRefusal> {
  const { owner, sessionId, collection, key } = request;
  const text = `
    SELECT a.deleted_at, e.key, e.body, e.version, e.changed_at, e.times, CAST(e.writes AS text) AS writes,
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
  if (row === null || row['key'] === null) return null;
  return { record: entryFromRow(row), ledger: readLedger(JSON.parse(textOf(row, 'writes')) as WrittenLedger) };
}

/** What an entry becomes where the stored version is the one that the write rests on. */
interface Replacement {
  version: number;
  now: number;
  /** The new ledger; the stored one stays if left out. */
  ledger?: Ledger | undefined;
  /** A write that the database itself is to put into the ledger, if its device is there already with another one. */
  named?: { name: WriteName; ledgerSql: LedgerSql } | undefined;
  /** Whose right to write the statement itself is to see; left out where the transaction has seen it. */
  asked?: { sessionId: string | null; rowLocks: RowLocks };
}

/**
 * Writes if the stored version is the one given, and answers the new one. Null where it is not, or nothing is stored; with
 * `named` also where the ledger has the write, or does not have its device; with `asked` also where they may not write.
 */
export function* replaceEntry(
  owner: Owner,
  entry: NewEntry,
  { version, now, ledger, named, asked }: Replacement,
): Steps<number | null> {
  const values: SqlValue[] = [...accountKey(owner), entry.collection, entry.key, entry.text, now, version];
  const bind = (value: SqlValue): string => `$${values.push(value)}`;
  const set = ['body = $6', 'version = version + 1', 'changed_at = $7'];
  const conditions = [whereEntry, 'version = $8'];
  if (entry.times !== undefined) set.push(`times = ${bind(entry.times)}`);
  if (ledger !== undefined) set.push(`writes = ${bind(ledgerText(ledger))}`);
  if (named !== undefined) {
    const { name, ledgerSql } = named;
    const written = ledgerText(addToLedger(emptyLedger, name, version + 1));
    set.push(`writes = ${ledgerSql.withWrite(bind(written))}`);
    conditions.push(`${ledgerSql.lastWrite(bind(name.device))} <> ${bind(name.write)}`);
  }
  if (asked !== undefined) {
    const { sessionId, rowLocks } = asked;
    conditions.push(writeAccess(sessionId === null ? null : bind(sessionId), rowLocks));
  }
  const text = `UPDATE @entries SET ${set.join(', ')} WHERE ${conditions.join(' AND ')} RETURNING version`;
  const row = yield* firstRow(text, ...values);
  return row === null ? null : integerOf(row, 'version');
}

/**
 * Overwrites an entry whatever its version is, and keeps the former one as a snapshot, all in one statement. Null where
 * nothing is stored, where another write came first, where they may not write, and for a named write where the ledger has
 * it, or does not have its device. Only for PostgreSQL, which can write in a WITH.
 */
export function* forceEntry(
  { owner, sessionId, snapshot, name, ...request }: UpdateRequest,
  rowLocks: RowLocks,
): Steps<number | null> {
  const session = sessionId === null ? null : name === undefined ? '$12' : '$14';
  const row = yield* firstRow(
    forcingSql({ isNamed: name !== undefined, access: writeAccess(session, rowLocks) }),
    ...accountKey(owner),
    request.collection,
    request.key,
    request.text,
    request.now,
    snapshot.snapshotId,
    snapshot.expiresAt,
    snapshot.max,
    request.times ?? null,
    ...(name === undefined ? [] : [name.device, name.write]),
    ...(sessionId === null ? [] : [sessionId]),
  );
  return row === null ? null : integerOf(row, 'version');
}

const forcingSql = ({ isNamed, access }: { isNamed: boolean; access: string }): string => `
  WITH old AS (
    SELECT body, version, changed_at, times FROM @entries WHERE ${whereEntry} AND ${access}
  ), written AS (
    UPDATE @entries AS e SET body = $6, version = e.version + 1, changed_at = $7,
        times = coalesce(CAST($11 AS text), e.times)${isNamed ? namedSet : ''}
      FROM old
      WHERE e.account_id = $1 AND e.environment = $2 AND e.game_id = $3 AND e.collection = $4 AND e.key = $5
        AND e.version = old.version${isNamed ? isNewWrite : ''}
      RETURNING e.version
  ), overwritten AS (
    SELECT old.body, old.version, old.changed_at, old.times FROM old, written WHERE old.body <> $6
  ), gone AS (
    DELETE FROM @snapshots WHERE ${whereAccount} AND EXISTS (SELECT 1 FROM overwritten) AND snapshot_id IN (
      ${surplusSnapshots.replace('$4', '$10')})
  ), kept AS (
    INSERT INTO @snapshots (account_id, environment, game_id, snapshot_id, created_at, expires_at, reason, from_id,
        entries, entry_count, bytes, ordinal)
      SELECT CAST($1 AS text), CAST($2 AS smallint), CAST($3 AS text), CAST($8 AS text), CAST($7 AS bigint),
        CAST($9 AS bigint), 'overwrite', CAST($1 AS text),
        '[' || CAST(json_strip_nulls(json_build_object('collection', CAST($4 AS text), 'key', CAST($5 AS text),
          'text', overwritten.body, 'version', overwritten.version, 'changedAt', overwritten.changed_at,
          'times', nullif(overwritten.times, '${noTimes}'))) AS text) || ']',
        1, octet_length(overwritten.body),
        (SELECT coalesce(max(ordinal), 0) + 1 FROM @snapshots WHERE ${whereAccount})
      FROM overwritten
  )
  SELECT version FROM written`;

const namedSet = `, writes = e.writes || jsonb_build_object(CAST($12 AS text),
          jsonb_build_array(CAST($13 AS text), e.version + 1))`;
const isNewWrite = `
        AND e.writes -> CAST($12 AS text) ->> 0 <> CAST($13 AS text)`;

/**
 * `Store.updateEntry` for any entry and version. It locks the account, so that nothing changes between read and write.
 */
export function* updateLockedEntry(request: UpdateRequest, rowLocks: RowLocks): Steps<UpdateOutcome> {
  const { owner, collection, text, version, name, maxEntries, snapshot, now } = request;
  const refused = yield* lockForWrite(request, rowLocks);
  if (refused !== null) return refused;
  const found = yield* findEntry(request);
  if (isRefusal(found)) return found;
  const { record: current, ledger } = found ?? noEntry;
  const settled = outcomeWithoutWriting(request, current, ledger);
  if (settled !== null) return settled;
  if (current === null && (yield* countEntries(owner, collection)) >= maxEntries) return { outcome: 'full' };
  if (version === versions.force && current !== null && current.text !== text) {
    yield* keepSnapshot(owner, { reason: 'overwrite', entries: [{ collection, ...current }], snapshot, now });
  }
  const next = current === null ? versions.first : current.version + 1;
  const changed = name === undefined ? undefined : addToLedger(ledger, name, next);
  const written = yield* putEntry(owner, request, { current, now, ledger: changed });
  return { outcome: 'written', version: written.version };
}

/** What stands for an entry that is not there. */
export const noEntry: { record: null; ledger: Ledger } = { record: null, ledger: emptyLedger };

export function isRefusal(found: LedgeredEntry | null | WriteRefusal): found is WriteRefusal {
  return found !== null && 'outcome' in found;
}

function* countEntries(owner: Owner, collection: string): Steps<number> {
  const text = `SELECT count(*) AS entries FROM @entries WHERE ${whereAccount} AND collection = $4`;
  const row = yield* firstRow(text, ...accountKey(owner), collection);
  return row === null ? 0 : integerOf(row, 'entries');
}

/**
 * Writes an entry that this transaction has read as `current`. The account is locked, so that nobody else makes
 * entries. The ledger stays as it is where none is given.
 */
export function* putEntry(
  owner: Owner,
  entry: NewEntry,
  { current, now, ledger }: { current: EntryRecord | null; now: number; ledger?: Ledger | undefined },
): Steps<EntryVersion> {
  const { collection, key, text, times } = entry;
  if (current !== null) {
    const version = yield* replaceEntry(owner, entry, { version: current.version, now, ledger });
    if (version === null) throw new RaceError();
    return { collection, key, version };
  }
  const made = yield* rows(
    `INSERT INTO @entries (account_id, environment, game_id, collection, key, body, version, changed_at, times, writes)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING RETURNING version`,
    ...accountKey(owner),
    collection,
    key,
    text,
    versions.first,
    now,
    times ?? noTimes,
    ledgerText(ledger ?? emptyLedger),
  );
  if (made.length === 0) throw new RaceError();
  return { collection, key, version: versions.first };
}

function ledgerText(ledger: Ledger): string {
  return JSON.stringify(writeLedger(ledger));
}

function entryFromRow(row: SqlRow): EntryRecord {
  const times = textOf(row, 'times');
  return {
    key: textOf(row, 'key'),
    text: textOf(row, 'body'),
    version: integerOf(row, 'version'),
    changedAt: integerOf(row, 'changed_at'),
    ...(times === noTimes ? {} : { times }),
  };
}
