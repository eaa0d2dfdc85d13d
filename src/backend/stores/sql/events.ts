import type { Environment } from '../../../protocol/environments.js';
import type { WebhookDetails, WebhookKind } from '../../../protocol/webhooks.js';
import {
  type ClaimEventsRequest,
  type DeadEventsRequest,
  type EventQueue,
  type EventQueueRequest,
  type EventRecord,
  type Notifying,
  newEvent,
  type RetryEventsRequest,
  type SettleEventRequest,
  type TrimEventsRequest,
} from '../event-requests.js';
import type { Owner } from '../records.js';
import { countSlots, dayOf } from '../rules/counts.js';
import { accountKey, type LockedAccount, lockAccount, whereAccount } from './accounts.js';
import { placeValues } from './list-place.js';
import type { RowLocks } from './row-locks.js';
import { firstRow, integerOf, integerOrNull, rows, type SqlRow, type Steps, textOf } from './statement.js';

const key = 'account_id, environment, game_id, ordinal';
const columns = `${key}, event_id, kind, at, details, attempts, last_status, due_at, dead_at, expires_at`;

/**
 * Keeps what has happened to an account that is locked, if somebody is to be told of it. Its place is the account's
 * revision, which no other transaction has.
 */
export function* addEvent(
  owner: Owner,
  kind: WebhookKind,
  { notice, details: told = {} }: Notifying & { details?: WebhookDetails },
): Steps<void> {
  if (notice?.kinds.includes(kind) !== true) return;
  const { eventId, at, details, attempts, dueAt, expiresAt } = newEvent(owner, kind, { details: told, notice });
  yield* rows(
    `INSERT INTO @events (${columns})
      SELECT account_id, environment, game_id, revision, CAST($4 AS text), CAST($5 AS text), CAST($6 AS bigint),
        CAST($7 AS text), CAST($8 AS bigint), CAST(NULL AS bigint), CAST($9 AS bigint), CAST(NULL AS bigint),
        CAST($10 AS bigint)
      FROM @accounts WHERE ${whereAccount}`,
    ...accountKey(owner),
    eventId,
    kind,
    at,
    JSON.stringify(details),
    attempts,
    dueAt,
    expiresAt,
  );
}

/**
 * Tells that an account is back which was an orphan when it was locked, and gives it another revision: what follows may
 * be told of it as well.
 */
export function* addReturn(account: LockedAccount, { notice }: Notifying): Steps<void> {
  if (account.orphanedAt === null) return;
  yield* addEvent(account, 'restored', { notice });
  yield* lockAccount(account);
}

/**
 * `Store.claimEvents`, in one statement. Where two processes look at once, one of them skips what the other is about to
 * claim, or finds that it is not due any more. The events are picked apart from the rest: PostgreSQL may look at what
 * stands in an IN once for each row, and would skip each time what it has locked before.
 */
export function* claimEvents(
  { gameId, now, leaseUntil, max }: ClaimEventsRequest,
  { claimed }: RowLocks,
): Steps<EventRecord[]> {
  const found = yield* rows(
    `WITH picked AS MATERIALIZED (
        SELECT ${key} FROM @events e WHERE game_id = $1 AND dead_at IS NULL AND due_at <= $2 AND NOT EXISTS (
          SELECT 1 FROM @events b WHERE b.account_id = e.account_id AND b.environment = e.environment
            AND b.game_id = e.game_id AND b.ordinal < e.ordinal AND b.dead_at IS NULL)
        ORDER BY due_at LIMIT $4 ${claimed})
      UPDATE @events SET due_at = $3
      WHERE due_at <= $2 AND dead_at IS NULL AND (${key}) IN (SELECT ${key} FROM picked)
      RETURNING ${columns}`,
    gameId,
    now,
    leaseUntil,
    max,
  );
  return found.map(eventFromRow);
}

/** `Store.settleEvent`. */
export function* settleEvent({ event, failed }: SettleEventRequest): Steps<void> {
  const { ordinal, dueAt } = event;
  const place = [...accountKey(event), ordinal] as const;
  if (failed === null) {
    yield* rows(`DELETE FROM @events WHERE ${whereAccount} AND ordinal = $4`, ...place);
    return;
  }
  yield* rows(
    `UPDATE @events SET attempts = attempts + 1, due_at = $6, dead_at = $7, last_status = $8
      WHERE ${whereAccount} AND ordinal = $4 AND due_at = $5`,
    ...place,
    dueAt,
    failed.dueAt,
    failed.deadAt,
    failed.status,
  );
}

/** `Store.readEventQueue`. */
export function* readEventQueue({ gameId, max, lostFrom }: EventQueueRequest): Steps<EventQueue> {
  const row = yield* firstRow(
    `SELECT (SELECT count(*) FROM (
          SELECT at FROM @events WHERE game_id = $1 AND dead_at IS NULL ORDER BY at LIMIT $2) AS w) AS waiting,
        (SELECT min(at) FROM @events WHERE game_id = $1 AND dead_at IS NULL) AS oldest_at,
        (SELECT count(*) FROM (
          SELECT dead_at FROM @events WHERE game_id = $1 AND dead_at IS NOT NULL ORDER BY dead_at LIMIT $2) AS d) AS dead,
        (SELECT CAST(coalesce(sum(n), 0) AS bigint) FROM @counts WHERE slot = ${lostSlot} AND game_id = $1
          AND environment BETWEEN 0 AND 2 AND day >= $3 AND kind = 'event_lost') AS lost`,
    gameId,
    max,
    lostFrom,
  );
  if (row === null) return { waiting: 0, oldestAt: null, dead: 0, lost: 0 };
  return {
    waiting: integerOf(row, 'waiting'),
    oldestAt: integerOrNull(row, 'oldest_at'),
    dead: integerOf(row, 'dead'),
    lost: integerOf(row, 'lost'),
  };
}

/**
 * `Store.trimEvents`. How many there are and which ones go is one statement's view: of two processes that look at once,
 * the second one finds the rows gone that it would remove, and removes no others in their place.
 */
export function* trimEvents({ gameId, max, batch, now }: TrimEventsRequest): Steps<number> {
  const some = (dead: string) =>
    `SELECT game_id FROM @events WHERE game_id = $1 AND ${dead} LIMIT CAST($2 AS bigint) + CAST($3 AS bigint)`;
  const first = (turn: number, since: string, rest: string) =>
    `SELECT * FROM (SELECT ${key}, ${turn} AS turn, ${since} AS since FROM @events
      WHERE game_id = $1 AND ${rest} LIMIT $3) AS picked_${turn}`;
  const gone = yield* rows(
    `WITH counted AS (SELECT
          (SELECT count(*) FROM (${some('dead_at IS NULL')}) AS w)
            + (SELECT count(*) FROM (${some('dead_at IS NOT NULL')}) AS d) - $2 AS excess),
        picked AS MATERIALIZED (SELECT ${key} FROM (
            ${first(0, 'dead_at', 'dead_at IS NOT NULL ORDER BY dead_at, event_id')}
            UNION ALL ${first(1, 'at', 'dead_at IS NULL ORDER BY at')}) AS oldest
          ORDER BY turn, since
          LIMIT (SELECT CASE WHEN excess < 0 THEN 0 WHEN excess < $3 THEN excess ELSE $3 END FROM counted))
      DELETE FROM @events WHERE (${key}) IN (SELECT ${key} FROM picked) RETURNING environment`,
    gameId,
    max,
    batch,
  );
  const byEnvironment = new Map<number, number>();
  for (const row of gone) {
    const environment = integerOf(row, 'environment');
    byEnvironment.set(environment, (byEnvironment.get(environment) ?? 0) + 1);
  }
  for (const [environment, lost] of [...byEnvironment].sort(([one], [other]) => one - other)) {
    yield* rows(
      `INSERT INTO @counts AS c (slot, game_id, environment, day, kind, n) VALUES (${lostSlot}, $1, $2, $3, 'event_lost', $4)
        ON CONFLICT (slot, game_id, environment, day, kind) DO UPDATE SET n = c.n + $4`,
      gameId,
      environment,
      dayOf(now),
      lost,
    );
  }
  return gone.length;
}

/** All of a game's lost events are counted in one part: a minute has some, and a game's back end has to be down for them. */
const lostSlot = countSlots[0];

/** `Store.listDeadEvents`. */
export function* listDeadEvents({ gameId, after, max }: DeadEventsRequest): Steps<EventRecord[]> {
  const found = yield* rows(
    `SELECT ${columns} FROM @events WHERE game_id = $4 AND dead_at IS NOT NULL AND (dead_at, event_id) < ($1, $2)
      ORDER BY dead_at DESC, event_id DESC LIMIT $3`,
    ...placeValues(after),
    max,
    gameId,
  );
  return found.map(eventFromRow);
}

/** Has events delivered that wait for an operator. */
export function* retryEvents({ gameId, eventId, now, max }: RetryEventsRequest): Steps<EventRecord[]> {
  const one = eventId === null ? '' : 'AND event_id = $4';
  const found = yield* rows(
    `WITH picked AS MATERIALIZED (
        SELECT ${key} FROM @events WHERE game_id = $1 AND dead_at IS NOT NULL ${one}
        ORDER BY dead_at, event_id LIMIT $3)
      UPDATE @events SET attempts = 0, last_status = NULL, due_at = $2, dead_at = NULL
      WHERE dead_at IS NOT NULL AND (${key}) IN (SELECT ${key} FROM picked)
      RETURNING ${columns}`,
    gameId,
    now,
    max,
    ...(eventId === null ? [] : [eventId]),
  );
  return found.map(eventFromRow);
}

function eventFromRow(row: SqlRow): EventRecord {
  return {
    accountId: textOf(row, 'account_id'),
    environment: integerOf(row, 'environment') as Environment,
    gameId: textOf(row, 'game_id'),
    ordinal: integerOf(row, 'ordinal'),
    eventId: textOf(row, 'event_id'),
    kind: textOf(row, 'kind') as WebhookKind,
    at: integerOf(row, 'at'),
    details: JSON.parse(textOf(row, 'details')) as WebhookDetails,
    attempts: integerOf(row, 'attempts'),
    lastStatus: integerOrNull(row, 'last_status'),
    dueAt: integerOf(row, 'due_at'),
    deadAt: integerOrNull(row, 'dead_at'),
    expiresAt: integerOf(row, 'expires_at'),
  };
}
