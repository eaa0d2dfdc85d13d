import { accountDefaults } from '../../../protocol/gaps/accounts.js';
import type { LinkRecord } from '../records.js';
import { isGuest } from './guests.js';

/** A login method of an account, as far as it matters here. */
type DatedMethod = Pick<LinkRecord, 'method' | 'linkedAt'>;

/**
 * Whether a player who shows a login method of an account is recently authenticated by it. The device counts for a
 * guest alone. An access token links other methods at once, and a thief who has one could link a method of his own and
 * show that: beside an older one, a method counts once it has been linked for seven days. A recovery code needs no
 * age, for it takes a recent authentication to make one, or an operator.
 *
 * @param links - The account's links, oldest first.
 */
export function countsAsRecent(links: readonly DatedMethod[], shown: string, now: number): boolean {
  if (shown === 'recovery') return true;
  if (shown === 'device') return isGuest(links);
  const oldest = links.find((link) => !isGuest([link]));
  const link = links.find(({ method }) => method === shown);
  if (link === undefined) return false;
  return link === oldest || now - link.linkedAt >= accountDefaults.newMethodMs;
}
