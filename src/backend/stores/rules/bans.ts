import { lastMoment } from '../../../protocol/last-moment.js';
import type { AccountRecord, BanRecord } from '../records.js';

/** A ban for good is stored as one until the last moment that there is, so that bans have an order. */
export const forGood: number = lastMoment;

/** The ban that keeps an account's player out; null where there is none, or it has ended. */
export function banOf(account: Pick<AccountRecord, 'ban'> | null | undefined, now: number): BanRecord | null {
  const ban = account?.ban ?? null;
  return ban !== null && (ban.until ?? forGood) > now ? ban : null;
}
