import { Refusal } from './refusal.js';

/**
 * Runs an attempt again, up to ten times, while it gives null: another request has changed what the attempt had read.
 */
export async function retryOnRace<Result>(attempt: () => Promise<Result | null>): Promise<Result> {
  for (let tries = 0; tries < 10; tries += 1) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new Refusal('unavailable', { retryAfterMs: 1_000 });
}
