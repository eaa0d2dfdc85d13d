import { versions } from '../../../protocol/gaps/versions.js';
import type { EntryName, EntryRecord, EntryVersion, NewEntry, Owner, PlacedRecord } from '../records.js';
import type { UpdateOutcome, UpdateRequest } from '../requests.js';
import { accountKey, lockAccount, whereAccount } from './accounts.js';
import { keepSnapshot, surplusSnapshots } from './snapshots.js';
import { firstRow, integerOf, RaceError, rows, type SqlRow, type Steps, textOf } from './statement.js';

const columns = 'key, body, version, changed_at';
const whereEntry = `${whereAccount} AND collection = $4 AND key = $5`;

export function* listEntries(owner: Owner): Steps<PlacedRecord[]> {
  const text = `SELECT collection, ${columns} FROM @entries WHERE ${whereAccount} ORDER BY collection, key`;
  const found = yield* rows(text, ...accountKey(owner));
  return found.map((row) => ({ collection: textOf(row, 'collection'), ...entryFromRow(row) }));
}

/** `Store.readCollection`, in one statement: a row without an entry says that the account is there. */
export function* readCollection(owner: Owner, collection: string): Steps<EntryRecord[] | null> {
  const text = `
    SELECT e.key, e.body, e.version, e.changed_at FROM @accounts a LEFT JOIN @entries e
      ON e.account_id = a.account_id AND e.environment = a.environment AND e.game_id = a.game_id AND e.collection = $4
      WHERE a.account_id = $1 AND a.environment = $2 AND a.game_id = $3 ORDER BY e.key`;
  const found = yield* rows(text, ...accountKey(owner), collection);
  if (found.length === 0) return null;
  return found.filter(({ key }) => key !== null).map(entryFromRow);
}

/** An entry, null where there is none, `no_account` where there is not even the account. */
export function* findEntry(owner: Owner, { collection, key }: EntryName): Steps<EntryRecord | null | 'no_account'> {
  const text = `
    SELECT e.key, e.body, e.version, e.changed_at FROM @accounts a LEFT JOIN @entries e
      ON e.account_id = a.account_id AND e.environment = a.environment AND e.game_id = a.game_id
        AND e.collection = $4 AND e.key = $5
      WHERE a.account_id = $1 AND a.environment = $2 AND a.game_id = $3`;
  const row = yield* firstRow(text, ...accountKey(owner), collection, key);
  if (row === null) return 'no_account';
  return row['key'] === null ? null : entryFromRow(row);
}

/**
 * Writes if the stored version is the one given, and answers the new one. Null where it is not, or nothing is stored.
 */
export function* replaceEntry(
  owner: Owner,
  entry: NewEntry,
  write: { version: number; now: number },
): Steps<number | null> {
  const row = yield* firstRow(
    `UPDATE @entries SET body = $6, version = version + 1, changed_at = $7
      WHERE ${whereEntry} AND version = $8 RETURNING version`,
    ...accountKey(owner),
    entry.collection,
    entry.key,
    entry.text,
    write.now,
    write.version,
  );
  return row === null ? null : integerOf(row, 'version');
}

/**
 * Overwrites an entry whatever its version is, and keeps the former one as a snapshot, all in one statement. Null where
 * nothing is stored, and where another write came first. Only for engines that can write in a WITH.
 */
export function* forceEntry({ owner, snapshot, ...request }: UpdateRequest): Steps<number | null> {
  const row = yield* firstRow(
    forceEntrySql,
    ...accountKey(owner),
    request.collection,
    request.key,
    request.text,
    request.now,
    snapshot.snapshotId,
    snapshot.expiresAt,
    snapshot.max,
  );
  return row === null ? null : integerOf(row, 'version');
}

const forceEntrySql = `
  WITH old AS (
    SELECT body, version, changed_at FROM @entries WHERE ${whereEntry}
  ), written AS (
    UPDATE @entries AS e SET body = $6, version = e.version + 1, changed_at = $7 FROM old
      WHERE e.account_id = $1 AND e.environment = $2 AND e.game_id = $3 AND e.collection = $4 AND e.key = $5
        AND e.version = old.version
      RETURNING e.version
  ), overwritten AS (
    SELECT old.body, old.version, old.changed_at FROM old, written WHERE old.body <> $6
  ), gone AS (
    DELETE FROM @snapshots WHERE ${whereAccount} AND EXISTS (SELECT 1 FROM overwritten) AND snapshot_id IN (
      ${surplusSnapshots.replace('$4', '$10')})
  ), kept AS (
    INSERT INTO @snapshots (account_id, environment, game_id, snapshot_id, created_at, expires_at, reason, from_id,
        entries, entry_count, bytes, ordinal)
      SELECT CAST($1 AS text), CAST($2 AS smallint), CAST($3 AS text), CAST($8 AS text), CAST($7 AS bigint),
        CAST($9 AS bigint), 'overwrite', CAST($1 AS text),
        '[' || CAST(json_build_object('collection', CAST($4 AS text), 'key', CAST($5 AS text), 'text', overwritten.body,
          'version', overwritten.version, 'changedAt', overwritten.changed_at) AS text) || ']',
        1, octet_length(overwritten.body),
        (SELECT coalesce(max(ordinal), 0) + 1 FROM @snapshots WHERE ${whereAccount})
      FROM overwritten
  )
  SELECT version FROM written`;

/**
 * `Store.updateEntry` for any entry and version. It locks the account, so that nothing changes between read and write.
 */
export function* updateLockedEntry(request: UpdateRequest): Steps<UpdateOutcome> {
  const { owner, collection, key, text, version, maxEntries, snapshot, now } = request;
  if ((yield* lockAccount(owner)) === null) return { outcome: 'no_account' };
  const found = yield* findEntry(owner, request);
  const current = found === 'no_account' ? null : found;
  if (version !== versions.force && version !== (current?.version ?? 'absent')) return { outcome: 'mismatch', current };
  if (current === null && (yield* countEntries(owner, collection)) >= maxEntries) return { outcome: 'full' };
  if (version === versions.force && current !== null && current.text !== text) {
    yield* keepSnapshot(owner, { reason: 'overwrite', entries: [{ collection, ...current }], snapshot, now });
  }
  const written = yield* putEntry(owner, { collection, key, text }, { current, now });
  return { outcome: 'written', version: written.version };
}

function* countEntries(owner: Owner, collection: string): Steps<number> {
  const text = `SELECT count(*) AS entries FROM @entries WHERE ${whereAccount} AND collection = $4`;
  const row = yield* firstRow(text, ...accountKey(owner), collection);
  return row === null ? 0 : integerOf(row, 'entries');
}

/**
 * Writes an entry that this transaction has read as `current`. The account is locked, so that nobody else makes
 * entries.
 */
export function* putEntry(
  owner: Owner,
  entry: NewEntry,
  { current, now }: { current: EntryRecord | null; now: number },
): Steps<EntryVersion> {
  const { collection, key, text } = entry;
  if (current !== null) {
    const version = yield* replaceEntry(owner, entry, { version: current.version, now });
    if (version === null) throw new RaceError();
    return { collection, key, version };
  }
  const made = yield* rows(
    `INSERT INTO @entries (account_id, environment, game_id, collection, key, body, version, changed_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING version`,
    ...accountKey(owner),
    collection,
    key,
    text,
    versions.first,
    now,
  );
  if (made.length === 0) throw new RaceError();
  return { collection, key, version: versions.first };
}

function entryFromRow(row: SqlRow): EntryRecord {
  return {
    key: textOf(row, 'key'),
    text: textOf(row, 'body'),
    version: integerOf(row, 'version'),
    changedAt: integerOf(row, 'changed_at'),
  };
}
