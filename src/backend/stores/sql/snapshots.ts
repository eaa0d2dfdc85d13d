import type { SnapshotReason } from '../../../protocol/player-messages.js';
import type { Owner, PlacedRecord, SnapshotInfo, SnapshotKey, SnapshotRecord } from '../records.js';
import { bytesOfEntries, type SnapshotContent, singleEntryReasons } from '../rules/snapshots.js';
import { accountKey, whereAccount } from './accounts.js';
import { type CountedSnapshots, countSnapshots, noteSnapshots } from './snapshot-count.js';
import { entriesInSlices, entriesOfText, textOfSnapshot } from './snapshot-text.js';
import { firstRow, integerOf, rows, type SqlRow, type SqlRunner, type Steps, textOf } from './statement.js';

export const singleReasons = singleEntryReasons.map((reason) => `'${reason}'`).join(', ');

/** Each is an SQL expression, but for the last. */
interface OneMore {
  /** How many snapshots there may be. */
  max: string;
  /** How many bytes they may have together. */
  maxBytes: string;
  /** The bytes of the new one. */
  bytes: string;
  /** Whether the new one is of a single entry. */
  isSingle: boolean;
  /** The id of one that stays. */
  beside?: string;
}

/**
 * Which snapshots have to go so that an account may have one more; the rule is that of `singleEntryReasons`. Those that
 * go are the first in order, until there is room.
 */
const surplusSnapshots = ({ max, maxBytes, bytes, isSingle, beside = "''" }: OneMore): string => `
  SELECT snapshot_id FROM (
    SELECT snapshot_id, reason, count(*) OVER () AS kept, sum(bytes) OVER () AS held,
      row_number() OVER removal AS place, sum(bytes) OVER removal - bytes AS freed
    FROM @snapshots WHERE ${whereAccount}
    WINDOW removal AS (
      ORDER BY CASE WHEN snapshot_id = ${beside} THEN 2 WHEN reason IN (${singleReasons}) THEN 0 ELSE 1 END, ordinal, snapshot_id)
    ) AS ranked
  WHERE snapshot_id <> ${beside} AND (place <= kept - CAST(${max} AS bigint) + 1
    OR held - freed + CAST(${bytes} AS bigint) > CAST(${maxBytes} AS bigint)${isSingle ? ` AND reason IN (${singleReasons})` : ''})`;

/** Keeps entries as a snapshot in an account that is locked; makes none where there are no entries. */
export function* keepSnapshot(owner: Owner, content: SnapshotContent): Steps<void> {
  const { reason, entries, from, snapshot, now } = content;
  if (entries.length === 0) return;
  const bytes = bytesOfEntries(entries);
  const counted = yield* countSnapshots(owner, now);
  const isFull = counted.kept >= snapshot.max || counted.bytes + bytes > snapshot.maxBytes;
  const there = isFull ? yield* makeRoom(owner, { there: counted, content, bytes }) : counted;
  yield* rows(
    `INSERT INTO @snapshots (account_id, environment, game_id, snapshot_id, created_at, expires_at, reason, from_id,
        entries, entry_count, bytes, ordinal)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    ...accountKey(owner),
    snapshot.snapshotId,
    now,
    snapshot.expiresAt,
    reason,
    (from ?? owner).accountId,
    textOfSnapshot(entries),
    entries.length,
    bytes,
    there.newest + 1,
  );
  yield* noteSnapshots(owner, {
    kept: there.kept + 1,
    bytes: there.bytes + bytes,
    newest: there.newest + 1,
    until: Math.min(there.until, snapshot.expiresAt),
  });
}

/**
 * Removes what has to go for one more, and answers what is left. For most forced writes that is the oldest of a single
 * entry, which is found quickly.
 */
function* makeRoom(
  owner: Owner,
  { there, content, bytes }: { there: CountedSnapshots; content: SnapshotContent; bytes: number },
): Steps<CountedSnapshots> {
  const { max, maxBytes } = content.snapshot;
  const oldest = yield* oldestOfSingle(owner);
  if (oldest !== null && there.kept <= max && there.bytes - oldest.bytes + bytes <= maxBytes) {
    const text = `DELETE FROM @snapshots WHERE ${whereAccount} AND ordinal = $4 AND snapshot_id = $5`;
    yield* rows(text, ...accountKey(owner), oldest.ordinal, oldest.snapshotId);
    return { ...there, kept: there.kept - 1, bytes: there.bytes - oldest.bytes };
  }
  const isSingle = singleEntryReasons.includes(content.reason);
  const surplus = surplusSnapshots({ max: '$4', maxBytes: '$5', bytes: '$6', isSingle, beside: '$7' });
  const gone = yield* rows(
    `DELETE FROM @snapshots WHERE ${whereAccount} AND snapshot_id IN (${surplus}) RETURNING bytes`,
    ...accountKey(owner),
    max,
    maxBytes,
    bytes,
    content.beside?.snapshotId ?? '',
  );
  const freed = gone.reduce((sum, row) => sum + integerOf(row, 'bytes'), 0);
  return { ...there, kept: there.kept - gone.length, bytes: there.bytes - freed };
}

/** The snapshot of a single entry that was made first. */
function* oldestOfSingle(owner: Owner): Steps<{ ordinal: number; snapshotId: string; bytes: number } | null> {
  const text = `SELECT ordinal, snapshot_id, bytes FROM @snapshots WHERE ${whereAccount} AND reason IN (${singleReasons})
    ORDER BY ordinal, snapshot_id LIMIT 1`;
  const row = yield* firstRow(text, ...accountKey(owner));
  if (row === null) return null;
  return { ordinal: integerOf(row, 'ordinal'), snapshotId: textOf(row, 'snapshot_id'), bytes: integerOf(row, 'bytes') };
}

const descriptionColumns = 'snapshot_id, created_at, expires_at, reason, from_id';

export function* listSnapshots(owner: Owner, now: number): Steps<SnapshotInfo[]> {
  const text = `SELECT ${descriptionColumns}, entry_count, bytes FROM @snapshots WHERE ${whereAccount}
    AND expires_at > $4 ORDER BY ordinal DESC, snapshot_id DESC`;
  return (yield* rows(text, ...accountKey(owner), now)).map((row) => ({
    ...snapshotFromRow(owner, row),
    entries: integerOf(row, 'entry_count'),
    bytes: integerOf(row, 'bytes'),
  }));
}

/**
 * `Store.readSnapshot`. Where an engine's statements hold the event loop, only the bytes of it are read in one turn, and
 * made a text and parsed in others.
 */
export async function readSnapshotInTurns(
  runner: SqlRunner,
  key: SnapshotKey,
  now: number,
): Promise<SnapshotRecord | null> {
  if (runner.turns === null) return runner.read(() => readSnapshot(key, now));
  const slices = runner.turns.slices();
  const row = await runner.read(() => snapshotRow(key, now, 'CAST(entries AS blob)'));
  if (row === null) return null;
  return { ...snapshotFromRow(key, row), entries: await entriesInSlices(row['entries'] as Uint8Array, slices) };
}

export function* readSnapshot(key: SnapshotKey, now: number): Steps<SnapshotRecord | null> {
  const row = yield* snapshotRow(key, now, 'entries');
  return row && { ...snapshotFromRow(key, row), entries: entriesOfText(textOf(row, 'entries')) };
}

function* snapshotRow(key: SnapshotKey, now: number, entries: string): Steps<SqlRow | null> {
  const text = `SELECT ${descriptionColumns}, ${entries} AS entries FROM @snapshots
    WHERE ${whereAccount} AND snapshot_id = $4 AND expires_at > $5`;
  return yield* firstRow(text, ...accountKey(key), key.snapshotId, now);
}

/**
 * The entries of the newest snapshot that was made for a reason out of another account's entries;
 * none where there is none.
 */
export function* lastSnapshot(
  owner: Owner,
  { reason, from, now }: { reason: SnapshotReason; from: Owner; now: number },
): Steps<{ createdAt: number; entries: PlacedRecord[] } | null> {
  const text = `SELECT created_at, entries FROM @snapshots WHERE ${whereAccount} AND reason = $4 AND from_id = $5 AND expires_at > $6
    ORDER BY ordinal DESC, snapshot_id DESC LIMIT 1`;
  const row = yield* firstRow(text, ...accountKey(owner), reason, from.accountId, now);
  if (row === null) return null;
  return {
    createdAt: integerOf(row, 'created_at'),
    entries: entriesOfText(textOf(row, 'entries')),
  };
}

export function* hasSnapshot({ snapshotId, ...owner }: SnapshotKey): Steps<boolean> {
  const text = `SELECT snapshot_id FROM @snapshots WHERE ${whereAccount} AND snapshot_id = $4`;
  return (yield* firstRow(text, ...accountKey(owner), snapshotId)) !== null;
}

function snapshotFromRow({ gameId, environment, accountId }: Owner, row: SqlRow): Omit<SnapshotRecord, 'entries'> {
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
