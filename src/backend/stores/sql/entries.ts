import { versions } from '../../../protocol/gaps/versions.js';
import type { WriteName } from '../../../protocol/idempotency-key.js';
import type { EntryRecord, NewEntry, Owner, PlacedRecord } from '../records.js';
import type { EntriesRequest, UpdateOutcome, UpdateRequest, WriteRefusal } from '../requests.js';
import {
  findEntry as findHeldEntry,
  type HeldEntries,
  noTimes,
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
import { bytesOf, exceededQuota, type Growths } from '../rules/quotas.js';
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
  type SqlRunner,
  type SqlValue,
  type Steps,
  textOf,
  textOrNull,
} from './statement.js';
import { counted, holdsWithin, setValueBytes, writeCounted } from './value-bytes.js';
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
  /** Whose right to write, and how much, the statement itself is to see; left out where the transaction has seen it. */
  asked?: { sessionId: string | null; rowLocks: RowLocks; maxBytes: number };
}

/** A statement that writes one entry of an account. */
interface EntryStatement {
  text: string;
  values: [string, number, string, ...SqlValue[]];
}

/** How many bytes longer the text `$6` is than what is stored. */
const growth = 'octet_length(CAST($6 AS text)) - octet_length(body)';

/**
 * A statement that writes if the stored version is the one given, and returns the new one and the growth. It finds nothing
 * where it is not, or nothing is stored; with `named` also where the ledger has the write, or does not have its device; with
 * `asked` also where they may not write, or not so much.
 */
function replacing(owner: Owner, entry: NewEntry, { version, now, ledger, named, asked }: Replacement): EntryStatement {
  const values: EntryStatement['values'] = [
    ...accountKey(owner),
    entry.collection,
    entry.key,
    entry.text,
    now,
    version,
  ];
  const bind = (value: SqlValue): string => `$${values.push(value)}`;
  const set = ['body = $6', 'version = version + 1', 'changed_at = $7', `growth = ${growth}`];
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
    const { sessionId, rowLocks, maxBytes } = asked;
    const session = sessionId === null ? null : bind(sessionId);
    conditions.push(writeAccess(session, rowLocks, holdsWithin(bind(maxBytes), growth)));
  }
  const text = `UPDATE @entries SET ${set.join(', ')} WHERE ${conditions.join(' AND ')} RETURNING version, growth`;
  return { text, values };
}

/**
 * Writes if the stored version is the one that the request rests on, and answers the new one; null where the statement of
 * `replacing` finds nothing. One statement, without a look at what is stored.
 */
export function replaceStoredEntry(
  { canWriteInWith, ledgerSql, rowLocks }: SqlRunner,
  request: UpdateRequest & { version: number },
): Steps<number | null> {
  const { owner, sessionId, version, name, now, quotas } = request;
  const named = name === undefined ? undefined : { name, ledgerSql };
  const asked = { sessionId, rowLocks, maxBytes: quotas.values };
  return writeCounted(canWriteInWith, replacing(owner, request, { version, now, named, asked }));
}

/**
 * Overwrites an entry whatever its version is, and keeps the former one as a snapshot, all in one statement. Null where
 * nothing is stored, where another write came first, where they may not write, or not so much, and for a named write where
 * the ledger has it, or does not have its device. Only for PostgreSQL, which can write in a WITH.
 *
 * A statement that has waited for the account does not see the snapshots that were made meanwhile, and could not say which
 * of them have to go: the account's revision says that it has.
 */
export function* forceEntry(
  { owner, sessionId, snapshot, name, quotas, ...request }: UpdateRequest,
  rowLocks: RowLocks,
): Steps<number | null> {
  const session = sessionId === null ? null : name === undefined ? '$14' : '$16';
  const isPresent = `revision = (SELECT revision FROM @accounts WHERE ${whereAccount})`;
  const access = writeAccess(session, rowLocks, `${holdsWithin('$13', growth)} AND ${isPresent}`);
  const row = yield* firstRow(
    forcingSql({ isNamed: name !== undefined, access }),
    ...accountKey(owner),
    request.collection,
    request.key,
    request.text,
    request.now,
    snapshot.snapshotId,
    snapshot.expiresAt,
    snapshot.max,
    request.times ?? null,
    snapshot.maxBytes,
    quotas.values,
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
        growth = octet_length(CAST($6 AS text)) - octet_length(e.body),
        times = coalesce(CAST($11 AS text), e.times)${isNamed ? namedSet : ''}
      FROM old
      WHERE e.account_id = $1 AND e.environment = $2 AND e.game_id = $3 AND e.collection = $4 AND e.key = $5
        AND e.version = old.version${isNamed ? isNewWrite : ''}
      RETURNING e.version, e.growth
  ), ${counted({ marks: true })}, overwritten AS (
    SELECT old.body, old.version, old.changed_at, old.times FROM old, written WHERE old.body <> $6
  ), gone AS (
    DELETE FROM @snapshots WHERE ${whereAccount} AND EXISTS (SELECT 1 FROM overwritten) AND snapshot_id IN (
      ${surplusSnapshots({ max: '$10', maxBytes: '$12', bytes: '(SELECT octet_length(body) FROM overwritten)', isSingle: true })})
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

const namedSet = `, writes = e.writes || jsonb_build_object(CAST($14 AS text),
          jsonb_build_array(CAST($15 AS text), e.version + 1))`;
const isNewWrite = `
        AND e.writes -> CAST($14 AS text) ->> 0 <> CAST($15 AS text)`;

/**
 * `Store.updateEntry` for any entry and version. It locks the account, so that nothing changes between read and write.
 */
export function* updateLockedEntry(
  request: UpdateRequest,
  { rowLocks, canWriteInWith }: SqlRunner,
): Steps<UpdateOutcome> {
  const { owner, collection, text, version, name, quotas, snapshot, now } = request;
  const account = yield* lockForWrite(request, rowLocks);
  if ('outcome' in account) return account;
  const found = yield* findEntry(request);
  if (isRefusal(found)) return found;
  const { record: current, ledger } = found ?? noEntry;
  const settled = outcomeWithoutWriting(request, current, ledger);
  if (settled !== null) return settled;
  const values = { used: account.valueBytes, by: bytesOf(text) - bytesOf(current?.text ?? '') };
  const added = current === null ? yield* countAround(owner, collection) : nothingAdded;
  const refused = exceededQuota({ ...added, values }, quotas);
  if (refused !== null) return refused;
  const keepsFormer = version === versions.force || request.keepsFormer === true;
  if (keepsFormer && current !== null && current.text !== text) {
    yield* keepSnapshot(owner, { reason: 'overwrite', entries: [{ collection, ...current }], snapshot, now });
  }
  const next = current === null ? versions.first : current.version + 1;
  const changed = name === undefined ? undefined : addToLedger(ledger, name, next);
  const written = yield* writeCounted(canWriteInWith, putting(owner, request, { current, now, ledger: changed }));
  if (written === null) throw new RaceError();
  return { outcome: 'written', version: written };
}

/** What stands for an entry that is not there. */
export const noEntry: { record: null; ledger: Ledger } = { record: null, ledger: emptyLedger };

export function isRefusal(found: LedgeredEntry | null | WriteRefusal): found is WriteRefusal {
  return found !== null && 'outcome' in found;
}

const nothingAdded: Omit<Growths, 'values'> = { entries: { used: 0, by: 0 }, collections: { used: 0, by: 0 } };

/** What one more entry of a collection adds. The collections are counted only where it would be the first of its own. */
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
 * Writes entries that this transaction has read as `held`, and the account's bytes with them. The account is locked, so that
 * nobody else makes entries. Their ledgers stay as they are.
 */
export function* putEntries(
  owner: Owner,
  held: HeldEntries,
  { writes, now }: { writes: readonly NewEntry[]; now: number },
): Steps<void> {
  for (const write of writes) {
    const { text, values } = putting(owner, write, { current: findHeldEntry(held, write) ?? null, now });
    if ((yield* rows(text, ...values)).length === 0) throw new RaceError();
    putHeldEntry(held, write, now);
  }
  yield* setValueBytes(owner, held.valueBytes);
}

/** The statement that writes an entry which this transaction has read as `current`. The ledger stays where none is given. */
function putting(
  owner: Owner,
  entry: NewEntry,
  { current, now, ledger }: { current: EntryRecord | null; now: number; ledger?: Ledger | undefined },
): EntryStatement {
  if (current !== null) return replacing(owner, entry, { version: current.version, now, ledger });
  const { collection, key, text, times = noTimes } = entry;
  return {
    text: `INSERT INTO @entries (account_id, environment, game_id, collection, key, body, version, changed_at, times,
        writes, growth)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, octet_length(CAST($6 AS text)))
      ON CONFLICT DO NOTHING RETURNING version, growth`,
    values: [
      ...accountKey(owner),
      collection,
      key,
      text,
      versions.first,
      now,
      times,
      ledgerText(ledger ?? emptyLedger),
    ],
  };
}

function ledgerText(ledger: Ledger): string {
  return JSON.stringify(writeLedger(ledger));
}

export function entryFromRow(row: SqlRow): EntryRecord {
  const times = textOf(row, 'times');
  return {
    key: textOf(row, 'key'),
    text: textOf(row, 'body'),
    version: integerOf(row, 'version'),
    changedAt: integerOf(row, 'changed_at'),
    ...(times === noTimes ? {} : { times }),
  };
}
