import type { BanOutcome, BanRequest, UnbanRequest } from '../operator-requests.js';
import type { BanRecord } from '../records.js';
import { banOf } from '../rules/bans.js';
import { addEvent } from './events.js';
import type { MemoryTables } from './tables.js';

/** Keeps a player out, and ends all sessions. */
export function banAccount(tables: MemoryTables, { owner, ban, notice }: BanRequest): BanOutcome | null {
  const account = tables.account(owner);
  if (account === undefined) return null;
  const before = banOf(account.record, ban.at);
  const sessions = account.sessions.size;
  account.record.ban = ban;
  tables.endAllSessions(account);
  addEvent(tables, owner, 'banned', { notice, details: { until: ban.until, reason: ban.reason } });
  return { before, sessions };
}

/** Ends a ban. */
export function unbanAccount(
  tables: MemoryTables,
  { owner, now, notice }: UnbanRequest,
): BanRecord | 'not_banned' | 'no_account' {
  const account = tables.account(owner);
  if (account === undefined) return 'no_account';
  const before = banOf(account.record, now);
  if (before === null) return 'not_banned';
  account.record.ban = null;
  addEvent(tables, owner, 'unbanned', { notice });
  return before;
}
