import { rememberedPerRate } from '../protocol/gaps/rates.js';
import type { Rate } from './rates.js';

/** Counts by a key, such as an account or an address, in the memory of this process. */
export interface RateTable {
  /**
   * Counts one for a key, and answers 0; or, where that would be too many, counts nothing and
   * answers how many ms to wait.
   */
  take(key: string, now: number): number;
  /** Counts so many for a key in any case: what was allowed has turned out to be more than one. */
  charge(key: string, count: number, now: number): void;
  /** What `take` would answer, without counting. */
  look(key: string, now: number): number;
}

/**
 * Allows so many at once, and then one more whenever its share of the window has gone by. For each key it keeps one
 * number: when all that was taken will have been given back. A key that takes nothing for a window is forgotten, and
 * where there are too many keys, those that have taken nothing for longest.
 */
export function createRateTable({ tries, windowMs }: Rate, remembered: number = rememberedPerRate): RateTable {
  const share = windowMs / tries;
  let recent = new Map<string, number>();
  let former = new Map<string, number>();
  let turnedAt = 0;

  function waitFor(at: number, now: number): number {
    const wait = at + share - windowMs - now;
    // Times in ms have a rounding of less than this.
    return wait > 0.01 ? Math.ceil(wait) : 0;
  }

  /** Never further ahead than this, so that nobody who was charged waits for longer than a window. */
  const furthest = (now: number): number => now + 2 * windowMs - share;

  /**
   * Until when a key has taken: by more than a window where it was charged for more than it was allowed. What lies further ahead was
   * counted by a clock that has been put back since: it counts for nothing, or all who came meanwhile would be refused at once.
   */
  function takenUntil(key: string, now: number): number {
    const at = recent.get(key) ?? former.get(key) ?? now;
    return at > furthest(now) ? now : Math.max(now, at);
  }

  function forgetOld(now: number): void {
    if (recent.size < remembered / 2 && Math.abs(now - turnedAt) < windowMs) return;
    former = recent;
    recent = new Map();
    turnedAt = now;
  }

  return {
    take(key, now) {
      forgetOld(now);
      const at = takenUntil(key, now);
      const wait = waitFor(at, now);
      if (wait === 0) recent.set(key, at + share);
      return wait;
    },
    charge(key, count, now) {
      forgetOld(now);
      recent.set(key, Math.min(takenUntil(key, now) + count * share, furthest(now)));
    },
    look: (key, now) => waitFor(takenUntil(key, now), now),
  };
}
