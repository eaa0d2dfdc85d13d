import type { AttemptRequest } from '../requests.js';

/** What a store knows of the attempts at one key. Times are in ms since 1970. */
export interface Attempts {
  /** How many the current window has had. */
  count: number;
  /** When the current window ends. */
  windowEndsAt: number;
  /** Until when the key is locked; in the past where it is not. */
  lockedUntil: number;
  /** How many locks there have been in a row: each is twice as long as the one before. */
  locks: number;
  /** From then on the record says nothing any more, and may be removed. */
  expiresAt: number;
}

export function newAttempts(): Attempts {
  return { count: 0, windowEndsAt: 0, lockedUntil: 0, locks: 0, expiresAt: 0 };
}

/** Counts one more attempt in `state`, and answers how many ms the caller has to wait: 0 where it is allowed. */
export function countInAttempts(state: Attempts, request: AttemptRequest): number {
  const { tries, windowMs, lockMaxMs, now } = request;
  if (state.lockedUntil > now) return state.lockedUntil - now;
  if (state.expiresAt <= now) Object.assign(state, newAttempts());
  if (state.windowEndsAt <= now) Object.assign(state, { count: 0, windowEndsAt: now + windowMs });
  state.count += 1;
  if (state.count > tries) {
    const length = lockMaxMs === null ? state.windowEndsAt - now : Math.min(lockMaxMs, windowMs * 2 ** state.locks);
    state.lockedUntil = now + length;
    state.windowEndsAt = now + length;
    state.locks += 1;
  }
  // The store remembers a lock for as long again, so that the next one can be twice as long.
  state.expiresAt = Math.max(state.windowEndsAt, state.lockedUntil + (lockMaxMs ?? 0));
  return Math.max(0, state.lockedUntil - now);
}
