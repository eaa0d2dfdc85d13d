import type { CountKind, CountRecord, CountsRequest } from '../count-requests.js';
import type { Owner } from '../records.js';
import { countSlots, dayOf, slotOf } from '../rules/counts.js';
import { integerOf, rows, type Steps, textOf } from './statement.js';

/**
 * Counts what happens to an account, in one statement. Others wait for it until the transaction ends: it is
 * the last that a transaction does, and of several kinds each takes the alphabet's first one first, so that no
 * two wait for each other.
 */
export function* count(
  { accountId, gameId, environment }: Owner,
  now: number,
  kinds: readonly CountKind[],
): Steps<void> {
  const values = kinds.map((_, index) => `($1, $2, $3, $4, $${index + 5}, 1)`);
  yield* rows(
    `INSERT INTO @counts AS c (slot, game_id, environment, day, kind, n) VALUES ${values.join(', ')}
      ON CONFLICT (slot, game_id, environment, day, kind) DO UPDATE SET n = c.n + 1`,
    slotOf(accountId),
    gameId,
    environment,
    dayOf(now),
    ...[...kinds].sort(),
  );
}

/** `Store.readCounts`. */
export function* readCounts({ scope, from, to }: CountsRequest): Steps<CountRecord[]> {
  const found = yield* rows(
    `SELECT day, kind, CAST(sum(n) AS bigint) AS n FROM @counts
      WHERE slot IN (${countSlots.join(', ')}) AND game_id = $1 AND environment = $2 AND day BETWEEN $3 AND $4
      GROUP BY day, kind ORDER BY day, kind`,
    scope.gameId,
    scope.environment,
    from,
    to,
  );
  return found.map((row) => ({
    day: integerOf(row, 'day'),
    kind: textOf(row, 'kind') as CountKind,
    n: integerOf(row, 'n'),
  }));
}
