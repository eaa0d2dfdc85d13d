import { days } from '../../../protocol/gaps/units.js';

/**
 * When the day of a moment began, in UTC. Of a day's uses the first is kept as the last use of a login method, so that
 * not each sign-in and refresh has to write it.
 */
export function startOfDay(now: number): number {
  return now - (now % days(1));
}
