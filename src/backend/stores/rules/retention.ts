import type { AccountRecord } from '../records.js';
import type { ExpiryRequest } from '../requests.js';

/**
 * Whether an account is to be removed: its player deleted it, or nothing leads to it, for longer than the request says. Where
 * a session of it lives, somebody may be playing: an operator's code, for one, signs in on a device that leads elsewhere.
 */
export function isAccountExpired(
  { orphanedAt, deletedAt }: Pick<AccountRecord, 'orphanedAt' | 'deletedAt'>,
  {
    orphanedBefore,
    deletedBefore,
    hasSession,
  }: Pick<ExpiryRequest, 'orphanedBefore' | 'deletedBefore'> & { hasSession: boolean },
): boolean {
  if (deletedAt !== null && deletedAt < deletedBefore) return true;
  return orphanedAt !== null && orphanedAt < orphanedBefore && !hasSession;
}
