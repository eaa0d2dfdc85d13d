import type { AttemptState, MemoryTables } from '../memory/tables.js';
import type { AttemptRequest } from '../records.js';

/** `Store.countAttempt` on the tables. */
export function countInTables(tables: MemoryTables, request: AttemptRequest): number {
  const state = tables.attempts.get(request.key) ?? freshAttempts();
  const wait = countIn(state, request);
  tables.attempts.set(request.key, state);
  return wait;
}

/** Counts a try in what is known of a key, and answers how many ms to wait. */
export function countIn(state: AttemptState, request: AttemptRequest): number {
  const { tries, windowMs, lockMaxMs, now } = request;
  if (state.lockedUntil > now) return state.lockedUntil - now;
  if (state.expiresAt <= now) Object.assign(state, freshAttempts());
  if (state.windowEndsAt <= now) Object.assign(state, { count: 0, windowEndsAt: now + windowMs });
  state.count += 1;
  if (state.count > tries) {
    const length = lockMaxMs === null ? state.windowEndsAt - now : Math.min(lockMaxMs, windowMs * 2 ** state.locks);
    state.lockedUntil = now + length;
    state.windowEndsAt = now + length;
    state.locks += 1;
  }
  // A lock is remembered for as long again, so that the next one can be twice as long.
  state.expiresAt = Math.max(state.windowEndsAt, state.lockedUntil + (lockMaxMs ?? 0));
  return Math.max(0, state.lockedUntil - now);
}

export function forgiveInTables(tables: MemoryTables, key: string, forget: 'one' | 'all'): void {
  const state = tables.attempts.get(key);
  if (forget === 'all') tables.attempts.delete(key);
  else if (state !== undefined) state.count = Math.max(0, state.count - 1);
}

export function freshAttempts(): AttemptState {
  return { count: 0, windowEndsAt: 0, lockedUntil: 0, locks: 0, expiresAt: 0 };
}
