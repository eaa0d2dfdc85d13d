import type { SnapshotReason } from '../../../protocol/player-messages.js';
import type { NewSnapshot, Owner, PlacedRecord, SnapshotInfo, SnapshotKey, SnapshotRecord } from '../records.js';
import { owned, owning } from './accounts.js';
import { firstRow, integerOf, rows, type SqlRow, type Steps, textOf } from './statement.js';

interface Loss {
  reason: SnapshotReason;
  entries: readonly PlacedRecord[];
  /** Whose they were; the account's own if left out. */
  from?: Owner;
  lost: NewSnapshot;
  now: number;
}

/** Which snapshots go where an account has `$4` or more, and is to have one more. */
export const surplus = `
  SELECT snapshot_id FROM (
    SELECT snapshot_id, count(*) OVER () AS kept, row_number() OVER (
      ORDER BY CASE WHEN reason IN ('overwrite', 'mismatch') THEN 0 ELSE 1 END, ordinal, snapshot_id) AS place
    FROM @snapshots WHERE ${owned}) AS ranked
  WHERE place <= kept - CAST($4 AS bigint) + 1`;

const encoder = new TextEncoder();

/** Keeps what lost, in an account that is locked; where there is nothing, there is nothing to keep. */
export function* keepSnapshot(owner: Owner, { reason, entries, from, lost, now }: Loss): Steps<void> {
  if (entries.length === 0) return;
  yield* rows(`DELETE FROM @snapshots WHERE ${owned} AND snapshot_id IN (${surplus})`, ...owning(owner), lost.max);
  yield* rows(
    `INSERT INTO @snapshots (account_id, environment, game_id, snapshot_id, created_at, expires_at, reason, from_id,
        entries, entry_count, bytes, ordinal)
      SELECT CAST($1 AS text), CAST($2 AS smallint), CAST($3 AS text), CAST($4 AS text), CAST($5 AS bigint),
        CAST($6 AS bigint), CAST($7 AS text), CAST($8 AS text), CAST($9 AS text), CAST($10 AS bigint),
        CAST($11 AS bigint), coalesce(max(ordinal), 0) + 1
      FROM @snapshots WHERE ${owned}`,
    ...owning(owner),
    lost.snapshotId,
    now,
    lost.expiresAt,
    reason,
    (from ?? owner).accountId,
    JSON.stringify(entries),
    entries.length,
    entries.reduce((sum, { text }) => sum + encoder.encode(text).length, 0),
  );
}

const described = 'snapshot_id, created_at, expires_at, reason, from_id';

export function* listSnapshots(owner: Owner, now: number): Steps<SnapshotInfo[]> {
  const text = `SELECT ${described}, entry_count, bytes FROM @snapshots WHERE ${owned} AND expires_at > $4
    ORDER BY ordinal DESC, snapshot_id DESC`;
  return (yield* rows(text, ...owning(owner), now)).map((row) => ({
    ...descriptionOf(owner, row),
    entries: integerOf(row, 'entry_count'),
    bytes: integerOf(row, 'bytes'),
  }));
}

/** One that has not ended. */
export function* readSnapshot(key: SnapshotKey, now: number): Steps<SnapshotRecord | null> {
  const text = `SELECT ${described}, entries FROM @snapshots WHERE ${owned} AND snapshot_id = $4 AND expires_at > $5`;
  const row = yield* firstRow(text, ...owning(key), key.snapshotId, now);
  if (row === null) return null;
  return { ...descriptionOf(key, row), entries: JSON.parse(textOf(row, 'entries')) as PlacedRecord[] };
}

function descriptionOf({ gameId, environment, accountId }: Owner, row: SqlRow): Omit<SnapshotRecord, 'entries'> {
  return {
    gameId,
    environment,
    accountId,
    snapshotId: textOf(row, 'snapshot_id'),
    createdAt: integerOf(row, 'created_at'),
    expiresAt: integerOf(row, 'expires_at'),
    reason: textOf(row, 'reason') as SnapshotReason,
    fromId: textOf(row, 'from_id'),
  };
}
