import type { AccountRecord, BanRecord } from '../records.js';

/** The last moment that a date can name: a ban for good is stored as one until then, so that bans have an order. */
export const forGood = 8_640_000_000_000_000;

/** The ban that keeps an account's player out; null where there is none, or it has ended. */
export function banOf(account: Pick<AccountRecord, 'ban'> | null | undefined, now: number): BanRecord | null {
  const ban = account?.ban ?? null;
  return ban !== null && (ban.until ?? forGood) > now ? ban : null;
}
