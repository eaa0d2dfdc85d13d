import { days } from '../../../protocol/gaps/units.js';

/**
 * Each count is kept in so many parts, by a hash of the account: of those who count at once few wait for each other.
 * Never change it: what was counted is in these.
 */
export const countSlots: readonly number[] = Array.from({ length: 16 }, (_, slot) => slot);

/** The part in which an account is counted. */
export function slotOf(accountId: string): number {
  let hash = 0;
  for (const character of accountId) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return hash % countSlots.length;
}

/** The day of a moment, in days since 1970 in UTC. */
export function dayOf(now: number): number {
  return Math.floor(now / days(1));
}
