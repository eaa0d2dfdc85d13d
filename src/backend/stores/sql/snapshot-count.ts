import type { Owner } from '../records.js';
import { accountKey, noSnapshotUntil, whereAccount } from './accounts.js';
import { firstRow, integerOf, integerOrNull, rows, type Steps } from './statement.js';

// An account's row says what its snapshots are together, so that a forced write need not go through them. It is true as
// long as the newest one is the one that was counted last, and none has expired: what has expired is removed without a
// lock on its account, and a process of an earlier version adds what it does not count.

/** An account's snapshots together. */
export interface CountedSnapshots {
  kept: number;
  /** The bytes of all their values. */
  bytes: number;
  /** The newest one's place; 0 where there is none. */
  newest: number;
  /** Until when none of them expires, in ms since 1970. */
  until: number;
}

/** The newest one's place, as an SQL expression. */
export const newestPlace = `(SELECT coalesce(max(ordinal), 0) FROM @snapshots WHERE ${whereAccount})`;

/** The snapshots of an account that is locked. */
export function* countSnapshots(owner: Owner, now: number): Steps<CountedSnapshots> {
  const text = `SELECT snapshot_count, snapshot_bytes, newest_snapshot, snapshots_until, ${newestPlace} AS newest
    FROM @accounts WHERE ${whereAccount}`;
  const row = (yield* firstRow(text, ...accountKey(owner))) ?? {};
  const [newest, until] = [integerOf(row, 'newest'), integerOrNull(row, 'snapshots_until') ?? 0];
  const isTrue = integerOrNull(row, 'newest_snapshot') === newest && until > now;
  if (!isTrue) return yield* countAnew(owner);
  return { kept: integerOf(row, 'snapshot_count'), bytes: integerOf(row, 'snapshot_bytes'), newest, until };
}

function* countAnew(owner: Owner): Steps<CountedSnapshots> {
  const text = `SELECT count(*) AS kept, CAST(coalesce(sum(bytes), 0) AS bigint) AS bytes,
      coalesce(max(ordinal), 0) AS newest, coalesce(min(expires_at), ${noSnapshotUntil}) AS until
    FROM @snapshots WHERE ${whereAccount}`;
  const row = (yield* firstRow(text, ...accountKey(owner))) ?? {};
  return {
    kept: integerOf(row, 'kept'),
    bytes: integerOf(row, 'bytes'),
    newest: integerOf(row, 'newest'),
    until: integerOf(row, 'until'),
  };
}

/** Notes what the snapshots of an account that is locked are now. */
export function* noteSnapshots(owner: Owner, { kept, bytes, newest, until }: CountedSnapshots): Steps<void> {
  const text = `UPDATE @accounts
    SET snapshot_count = $4, snapshot_bytes = $5, newest_snapshot = $6, snapshots_until = $7 WHERE ${whereAccount}`;
  yield* rows(text, ...accountKey(owner), kept, bytes, newest, until);
}
