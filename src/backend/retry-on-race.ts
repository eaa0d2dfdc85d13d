import { busyRetryMs } from '../protocol/gaps/retry-hints.js';
import { Refusal } from './refusal.js';

/** How often another request may get in the way of one before that is refused. */
const maxTries = 10;

/**
 * Runs an attempt again, up to `maxTries` times, while it gives null: another request has changed what the attempt had read.
 */
export async function retryOnRace<Result>(attempt: () => Promise<Result | null>): Promise<Result> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new Refusal('unavailable', { retryAfterMs: busyRetryMs, limitName: 'raceTries' });
}
