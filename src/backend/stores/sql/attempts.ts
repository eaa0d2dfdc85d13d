import type { AttemptRequest, ForgiveRequest } from '../requests.js';
import { type Attempts, countInAttempts, newAttempts } from '../rules/attempts.js';
import { firstRow, integerOf, rows, type SqlRow, type Steps } from './statement.js';

/** `Store.countAttempt`. The first statement locks the key's row, and makes it where there is none. */
export function* countAttempt(request: AttemptRequest): Steps<number> {
  const row = yield* firstRow(
    `INSERT INTO @attempts AS a (key, count, window_ends_at, locked_until, locks, expires_at, revision)
      VALUES ($1, 0, 0, 0, 0, 0, 0) ON CONFLICT (key) DO UPDATE SET revision = a.revision + 1
      RETURNING count, window_ends_at, locked_until, locks, expires_at`,
    request.key,
  );
  const state = row === null ? newAttempts() : attemptsFromRow(row);
  const waitMs = countInAttempts(state, request);
  yield* rows(
    `UPDATE @attempts SET count = $2, window_ends_at = $3, locked_until = $4, locks = $5, expires_at = $6
      WHERE key = $1`,
    request.key,
    state.count,
    state.windowEndsAt,
    state.lockedUntil,
    state.locks,
    state.expiresAt,
  );
  return waitMs;
}

/** `Store.forgiveAttempt`. */
export function* forgiveAttempt({ key, forget }: ForgiveRequest): Steps<void> {
  if (forget === 'all') yield* rows('DELETE FROM @attempts WHERE key = $1', key);
  else yield* rows('UPDATE @attempts SET count = count - 1 WHERE key = $1 AND count > 0', key);
}

function attemptsFromRow(row: SqlRow): Attempts {
  return {
    count: integerOf(row, 'count'),
    windowEndsAt: integerOf(row, 'window_ends_at'),
    lockedUntil: integerOf(row, 'locked_until'),
    locks: integerOf(row, 'locks'),
    expiresAt: integerOf(row, 'expires_at'),
  };
}
