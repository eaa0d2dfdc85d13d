import { Refusal } from '../refusal.js';

/** Runs a task when its turn comes, first come, first served. Refuses with `unavailable` where too many tasks wait. */
export type ConcurrencyLimit = <Result>(task: () => Promise<Result>) => Promise<Result>;

export function createConcurrencyLimit({
  atOnce,
  waiting: maxWaiting,
}: {
  atOnce: number;
  waiting: number;
}): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (task) => {
    if (running < atOnce) running += 1;
    else {
      if (waiting.length >= maxWaiting) throw new Refusal('unavailable', { retryAfterMs: 1_000 });
      // A task that ends hands its turn to the next one, so that no task that comes meanwhile can take it.
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
