import type { AccountRecord, BanRecord, Owner } from '../records.js';
import { forGood } from '../rules/bans.js';
import { firstRow, integerOf, integerOrNull, rows, type SqlRow, type Steps, textOf, textOrNull } from './statement.js';

/** The condition for the rows of an account; its parameters are those of `accountKey`. */
export const whereAccount = 'account_id = $1 AND environment = $2 AND game_id = $3';

export function accountKey({ accountId, environment, gameId }: Owner): [string, number, string] {
  return [accountId, environment, gameId];
}

/** Stands for when the first snapshot expires where there is none. */
export const noSnapshotUntil = Number.MAX_SAFE_INTEGER;

/** An account that this transaction has locked or made. */
export interface LockedAccount extends AccountRecord {
  /**
   * How often it has been locked, this time included; 0 for one that this transaction makes. No two
   * transactions have the same.
   */
  revision: number;
}

export const accountColumns = `created_at, last_seen_at, orphaned_at, deleted_at, deleted_by,
  banned_at, banned_until, ban_reason`;

export function* findAccountRecord(owner: Owner): Steps<AccountRecord | null> {
  const row = yield* firstRow(`SELECT ${accountColumns} FROM @accounts WHERE ${whereAccount}`, ...accountKey(owner));
  return row === null ? null : accountFromRow(owner, row);
}

/** Reads an account, and keeps every other transaction from changing what belongs to it until this one ends. */
export function* lockAccount(owner: Owner): Steps<LockedAccount | null> {
  const text = `UPDATE @accounts SET revision = revision + 1 WHERE ${whereAccount} RETURNING ${accountColumns}, revision`;
  const row = yield* firstRow(text, ...accountKey(owner));
  return row === null ? null : { ...accountFromRow(owner, row), revision: integerOf(row, 'revision') };
}

/** Locks an account that is not being deleted; null for any other. */
export function* lockActiveAccount(owner: Owner): Steps<LockedAccount | null> {
  const account = yield* lockAccount(owner);
  return account?.deletedAt === null ? account : null;
}

/** Locks several accounts, always in the same order, so that no two transactions wait for each other. */
export function* lockAccounts(owners: readonly Owner[]): Steps<Map<string, LockedAccount>> {
  const locked = new Map<string, LockedAccount>();
  for (const owner of [...owners].sort((left, right) => (left.accountId < right.accountId ? -1 : 1))) {
    const account = locked.get(owner.accountId) ?? (yield* lockAccount(owner));
    if (account !== null) locked.set(owner.accountId, account);
  }
  return locked;
}

/** Makes an account, whose player is there now unless an account is taken over as it was elsewhere. */
export function* addAccount(
  { gameId, environment, accountId }: Owner,
  now: number,
  { lastSeenAt, orphanedAt, deletedAt }: Pick<AccountRecord, 'lastSeenAt' | 'orphanedAt' | 'deletedAt'> = {
    lastSeenAt: now,
    orphanedAt: null,
    deletedAt: null,
  },
): Steps<LockedAccount> {
  const text = `INSERT INTO @accounts
      (account_id, environment, game_id, created_at, last_seen_at, orphaned_at, deleted_at, revision,
        snapshot_count, snapshot_bytes, newest_snapshot, snapshots_until)
    VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, 0, 0, $8)`;
  const key = accountKey({ gameId, environment, accountId });
  yield* rows(text, ...key, now, lastSeenAt, orphanedAt, deletedAt, noSnapshotUntil);
  return {
    gameId,
    environment,
    accountId,
    createdAt: now,
    lastSeenAt,
    orphanedAt,
    deletedAt,
    deletedBy: null,
    ban: null,
    revision: 0,
  };
}

export function* markDeleted(owner: Owner, deleted: { at: number; by: string | null } | null): Steps<void> {
  const text = `UPDATE @accounts SET deleted_at = $4, deleted_by = $5 WHERE ${whereAccount}`;
  yield* rows(text, ...accountKey(owner), deleted?.at ?? null, deleted?.by ?? null);
}

export function accountFromRow({ gameId, environment, accountId }: Owner, row: SqlRow): AccountRecord {
  return {
    gameId,
    environment,
    accountId,
    createdAt: integerOf(row, 'created_at'),
    lastSeenAt: integerOf(row, 'last_seen_at'),
    orphanedAt: integerOrNull(row, 'orphaned_at'),
    deletedAt: integerOrNull(row, 'deleted_at'),
    deletedBy: textOrNull(row, 'deleted_by'),
    ban: banFromRow(row),
  };
}

function banFromRow(row: SqlRow): BanRecord | null {
  const until = integerOrNull(row, 'banned_until');
  if (until === null) return null;
  return {
    at: integerOf(row, 'banned_at'),
    until: until === forGood ? null : until,
    reason: textOf(row, 'ban_reason'),
  };
}
