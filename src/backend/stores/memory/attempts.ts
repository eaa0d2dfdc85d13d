import type { AttemptRequest, ForgiveRequest } from '../requests.js';
import { countInAttempts, newAttempts } from '../rules/attempts.js';
import type { MemoryTables } from './tables.js';

/** `Store.countAttempt`. */
export function countAttempt(tables: MemoryTables, request: AttemptRequest): number {
  const state = tables.attempts.get(request.key) ?? newAttempts();
  const waitMs = countInAttempts(state, request);
  tables.attempts.set(request.key, state);
  return waitMs;
}

/** `Store.forgiveAttempt`. */
export function forgiveAttempt(tables: MemoryTables, { key, forget }: ForgiveRequest): void {
  const state = tables.attempts.get(key);
  if (forget === 'all') tables.attempts.delete(key);
  else if (state !== undefined) state.count = Math.max(0, state.count - 1);
}
