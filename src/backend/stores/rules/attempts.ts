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

/**
 * Counts one more attempt in `state`, and answers how many ms the caller has to wait: 0 where it is allowed. An attempt
 * that is refused counts only where it locks the key.
 */
export function countInAttempts(state: Attempts, request: AttemptRequest): number {
  const { tries, windowMs, lockMaxMs, now } = request;
  holdToClock(state, request);
  if (state.lockedUntil > now) return state.lockedUntil - now;
  if (state.expiresAt <= now) Object.assign(state, newAttempts());
  if (state.windowEndsAt <= now) Object.assign(state, { count: 0, windowEndsAt: now + windowMs });
  if (state.count >= tries && lockMaxMs === null) return state.windowEndsAt - now;
  state.count += 1;
  if (state.count > tries && lockMaxMs !== null) {
    const length = Math.min(lockMaxMs, windowMs * 2 ** state.locks);
    state.lockedUntil = now + length;
    state.windowEndsAt = now + length;
    state.locks += 1;
  }
  // The store remembers a lock for as long again, so that the next one can be twice as long.
  state.expiresAt = Math.max(state.windowEndsAt, state.lockedUntil + (lockMaxMs ?? 0));
  return Math.max(0, state.lockedUntil - now);
}

/**
 * No window or lock lasts longer than it may from now on: a clock that was ahead when it began must not keep anybody
 * out until that time has come.
 */
function holdToClock(state: Attempts, { windowMs, lockMaxMs, now }: AttemptRequest): void {
  const latest = now + Math.max(windowMs, lockMaxMs ?? 0);
  state.lockedUntil = Math.min(state.lockedUntil, latest);
  state.windowEndsAt = Math.min(state.windowEndsAt, latest);
  state.expiresAt = Math.min(state.expiresAt, latest + (lockMaxMs ?? 0));
}
