import type { BanOutcome, BanRequest, UnbanRequest } from '../operator-requests.js';
import type { BanRecord, Owner } from '../records.js';
import { banOf, forGood } from '../rules/bans.js';
import { accountKey, lockAccount, whereAccount } from './accounts.js';
import { addEvent } from './events.js';
import { endAllSessions } from './sessions.js';
import { rows, type Steps } from './statement.js';

/** Keeps a player out, and ends all sessions. */
export function* banAccount({ owner, ban, notice }: BanRequest): Steps<BanOutcome | null> {
  const account = yield* lockAccount(owner);
  if (account === null) return null;
  yield* setBan(owner, ban);
  yield* addEvent(owner, 'banned', { notice, details: { until: ban.until, reason: ban.reason } });
  return { before: banOf(account, ban.at), sessions: yield* endAllSessions(owner) };
}

/** Ends a ban. */
export function* unbanAccount({ owner, now, notice }: UnbanRequest): Steps<BanRecord | 'not_banned' | 'no_account'> {
  const account = yield* lockAccount(owner);
  if (account === null) return 'no_account';
  const before = banOf(account, now);
  if (before === null) return 'not_banned';
  yield* setBan(owner, null);
  yield* addEvent(owner, 'unbanned', { notice });
  return before;
}

function* setBan(owner: Owner, ban: BanRecord | null): Steps<void> {
  const text = `UPDATE @accounts SET banned_at = $4, banned_until = $5, ban_reason = $6 WHERE ${whereAccount}`;
  const until = ban === null ? null : (ban.until ?? forGood);
  yield* rows(text, ...accountKey(owner), ban?.at ?? null, until, ban?.reason ?? null);
}
