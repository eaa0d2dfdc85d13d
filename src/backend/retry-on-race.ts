import { Refusal } from './refusal.js';

/** Another request may change what was read; the attempt then gives null and starts again. */
export async function retryOnRace<Result>(attempt: () => Promise<Result | null>): Promise<Result> {
  for (let tries = 0; tries < 10; tries += 1) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new Refusal('unavailable', { retryAfterMs: 1_000 });
}
