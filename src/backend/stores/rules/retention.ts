import type { AccountRecord } from '../records.js';
import type { ExpiryRequest } from '../requests.js';

/**
 * Whether an account is to be removed: nothing leads to it, or its player deleted it, for longer than the request says.
 */
export function isAccountExpired(
  { orphanedAt, deletedAt }: Pick<AccountRecord, 'orphanedAt' | 'deletedAt'>,
  { orphanedBefore, deletedBefore }: Pick<ExpiryRequest, 'orphanedBefore' | 'deletedBefore'>,
): boolean {
  return (orphanedAt !== null && orphanedAt < orphanedBefore) || (deletedAt !== null && deletedAt < deletedBefore);
}
