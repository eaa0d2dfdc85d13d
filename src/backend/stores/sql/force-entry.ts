import type { UpdateRequest } from '../entry-requests.js';
import { noOrigins } from '../rules/held-entries.js';
import { bytesOf, noTimes } from '../rules/quotas.js';
import { accountKey, whereAccount } from './accounts.js';
import { whereEntry } from './entries.js';
import type { RowLocks } from './row-locks.js';
import { newestPlace } from './snapshot-count.js';
import { singleReasons } from './snapshots.js';
import { firstRow, integerOf, type Steps } from './statement.js';
import { countsRooms, entryBytesSql, hasRoom, timesBytesSql } from './value-bytes.js';
import { writeAccess } from './write-access.js';

/**
 * Overwrites an entry whatever its version is, and keeps the former one as a snapshot, all in one statement. Null where
 * nothing is stored, where another write came first, where they may not write, where the value does not fit its room,
 * where the snapshots have to be counted or more has to go than the oldest one of a single entry, and for a named write
 * where the ledger has it, or does not have its device. Only for PostgreSQL, which can write in a WITH.
 *
 * A statement that has waited for the account does not see the snapshots that were made meanwhile, and could not say
 * which of them have to go: the account's revision says that it has.
 */
export function* forceEntry(
  { owner, sessionId, snapshot, name, quotas, ...request }: UpdateRequest,
  rowLocks: RowLocks,
): Steps<number | null> {
  const session = sessionId === null ? null : name === undefined ? '$15' : '$17';
  const isPresent = `revision = (SELECT revision FROM @accounts WHERE ${whereAccount})`;
  const access = `${hasRoom(`CAST($14 AS bigint) + ${timesAfterSql}`)} AND ${writeAccess(session, rowLocks, `${countsRooms('$13')} AND ${isPresent}`)}`;
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
    bytesOf(request.text),
    ...(name === undefined ? [] : [name.device, name.write]),
    ...(sessionId === null ? [] : [sessionId]),
  );
  return row === null ? null : integerOf(row, 'version');
}

/** The bytes of the times beside the entry after the write. */
const timesAfterSql = `CASE CAST($11 AS text) WHEN '${noTimes}' THEN 0 ELSE coalesce(octet_length(CAST($11 AS text)), ${timesBytesSql}) END`;

/**
 * The condition of an entry's row that there is a place for it among the snapshots, or the oldest of
 * a single entry makes one.
 */
const takesOneAtMost = `EXISTS (SELECT 1 FROM held LEFT JOIN oldest ON true WHERE
      held.kept < CAST($10 AS bigint) AND held.bytes + ${entryBytesSql} <= CAST($12 AS bigint)
      OR held.kept = CAST($10 AS bigint) AND held.bytes - oldest.bytes + ${entryBytesSql} <= CAST($12 AS bigint))`;

const forcingSql = ({ isNamed, access }: { isNamed: boolean; access: string }): string => `
  WITH held AS (
    SELECT snapshot_count AS kept, snapshot_bytes AS bytes, newest_snapshot AS newest FROM @accounts
      WHERE ${whereAccount} AND newest_snapshot = ${newestPlace} AND snapshots_until > $7
  ), oldest AS (
    SELECT ordinal, snapshot_id, bytes FROM @snapshots WHERE ${whereAccount} AND reason IN (${singleReasons})
      ORDER BY ordinal, snapshot_id LIMIT 1
  ), old AS (
    SELECT body, version, changed_at, times, origins, ${entryBytesSql} AS bytes FROM @entries WHERE ${whereEntry} AND ${takesOneAtMost} AND ${access}
  ), written AS (
    UPDATE @entries AS e SET body = $6, version = e.version + 1, changed_at = $7,
        times = coalesce(CAST($11 AS text), e.times)${isNamed ? namedSet : ''}
      FROM old
      WHERE e.account_id = $1 AND e.environment = $2 AND e.game_id = $3 AND e.collection = $4 AND e.key = $5
        AND e.version = old.version${isNamed ? isNewWrite : ''}
      RETURNING e.version
  ), overwritten AS (
    SELECT old.body, old.version, old.changed_at, old.times, old.origins, old.bytes FROM old, written WHERE old.body <> $6
  ), marked AS (
    UPDATE @accounts AS a SET revision = a.revision + 1, snapshots_until = least(a.snapshots_until, CAST($9 AS bigint)),
        newest_snapshot = held.newest + 1, snapshot_count = least(held.kept + 1, CAST($10 AS bigint)),
        snapshot_bytes = held.bytes + overwritten.bytes
          - CASE WHEN held.kept = CAST($10 AS bigint) THEN oldest.bytes ELSE 0 END
      FROM overwritten, held LEFT JOIN oldest ON true
      WHERE a.account_id = $1 AND a.environment = $2 AND a.game_id = $3
  ), gone AS (
    DELETE FROM @snapshots WHERE ${whereAccount} AND EXISTS (SELECT 1 FROM overwritten)
      AND (ordinal, snapshot_id) = (SELECT oldest.ordinal, oldest.snapshot_id FROM oldest, held WHERE held.kept = CAST($10 AS bigint))
  ), kept AS (
    INSERT INTO @snapshots (account_id, environment, game_id, snapshot_id, created_at, expires_at, reason, from_id,
        entries, entry_count, bytes, ordinal)
      SELECT CAST($1 AS text), CAST($2 AS smallint), CAST($3 AS text), CAST($8 AS text), CAST($7 AS bigint),
        CAST($9 AS bigint), 'overwrite', CAST($1 AS text),
        '[' || CAST(json_strip_nulls(json_build_object('collection', CAST($4 AS text), 'key', CAST($5 AS text),
          'text', overwritten.body, 'version', overwritten.version, 'changedAt', overwritten.changed_at,
          'times', nullif(overwritten.times, '${noTimes}'), 'origins', nullif(overwritten.origins, '${noOrigins}'))) AS text) || ']',
        1, overwritten.bytes, held.newest + 1
      FROM overwritten, held
  )
  SELECT version FROM written`;

const namedSet = `, writes = e.writes || jsonb_build_object(CAST($15 AS text),
          jsonb_build_array(CAST($16 AS text), e.version + 1))`;
const isNewWrite = `
        AND e.writes -> CAST($15 AS text) ->> 0 <> CAST($16 AS text)`;
