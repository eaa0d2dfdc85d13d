import type { Environment } from '../../../protocol/environments.js';
import type { Owner } from '../records.js';
import type { ExpiryRequest } from '../requests.js';
import { isAccountExpired } from '../rules/retention.js';
import { accountKey, lockAccount, whereAccount } from './accounts.js';
import { linkHash } from './link-hash.js';
import { listLinks } from './links.js';
import { integerOf, rows, type SqlRunner, type Steps, textOf } from './statement.js';

/** The tables whose rows expire, and their keys. */
const expiringTables = [
  ['nonces', 'nonce, game_id'],
  ['tickets', 'ticket'],
  ['attempts', 'key'],
  ['sessions', 'account_id, environment, game_id, session_id'],
  ['snapshots', 'account_id, environment, game_id, ordinal, snapshot_id'],
  ['codes', 'link_hash, kind'],
  ['choices', 'account_id, environment, game_id'],
  ['audit', 'audit_id'],
  ['events', 'account_id, environment, game_id, ordinal'],
] as const;

/** `Store.removeExpired`, in many short transactions, so that nobody who writes meanwhile waits for long. */
export async function removeExpired(runner: SqlRunner, request: ExpiryRequest): Promise<number> {
  const { now, batch } = request;
  let left = batch;
  for (const [table, key] of expiringTables) {
    if (left <= 0) return batch;
    left -= await runner.write(() => removeExpiredRows(table, key, { now, limit: left }));
  }
  for (const owner of left <= 0 ? [] : await runner.read(() => listExpiredAccounts(request, left))) {
    if (await runner.transaction(() => removeAccount(owner, request))) left -= 1;
  }
  return batch - left;
}

/** Compares the time twice, for a session may be prolonged between the search and the removal. */
function* removeExpiredRows(table: string, key: string, { now, limit }: { now: number; limit: number }): Steps<number> {
  const found = `SELECT ${key} FROM @${table} WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2`;
  const text = `DELETE FROM @${table} WHERE expires_at <= $1 AND (${key}) IN (${found}) RETURNING expires_at`;
  return (yield* rows(text, now, limit)).length;
}

function* listExpiredAccounts({ orphanedBefore, deletedBefore, now }: ExpiryRequest, limit: number): Steps<Owner[]> {
  const text = `SELECT account_id, environment, game_id FROM @accounts AS a
    WHERE (orphaned_at < $1 OR deleted_at < $2) AND NOT EXISTS (SELECT 1 FROM @sessions AS s
      WHERE s.account_id = a.account_id AND s.environment = a.environment AND s.game_id = a.game_id AND s.expires_at > $4)
    LIMIT $3`;
  return (yield* rows(text, orphanedBefore, deletedBefore, limit, now)).map((row) => ({
    accountId: textOf(row, 'account_id'),
    environment: integerOf(row, 'environment') as Environment,
    gameId: textOf(row, 'game_id'),
  }));
}

/** False where the account has been restored, or somebody has signed in to it, since the search. */
function* removeAccount(owner: Owner, request: ExpiryRequest): Steps<boolean> {
  const account = yield* lockAccount(owner);
  if (account === null || !isAccountExpired(account, request)) return false;
  // Somebody may be playing: an operator's code, for one, signs in on a device that leads elsewhere.
  if (yield* hasLivingSession(owner, request.now)) return false;
  for (const link of yield* listLinks(owner)) yield* rows('DELETE FROM @links WHERE link_hash = $1', linkHash(link));
  for (const table of ['account_links', 'sessions', 'entries', 'snapshots', 'choices', 'accounts']) {
    yield* rows(`DELETE FROM @${table} WHERE ${whereAccount}`, ...accountKey(owner));
  }
  return true;
}

function* hasLivingSession(owner: Owner, now: number): Steps<boolean> {
  const text = `SELECT session_id FROM @sessions WHERE ${whereAccount} AND expires_at > $4 LIMIT 1`;
  return (yield* rows(text, ...accountKey(owner), now)).length > 0;
}
