import { createHash } from 'node:crypto';
import { postgresTimeouts } from '../../../protocol/gaps/postgres-timeouts.js';
import { postgresLedger } from '../sql/ledger-sql.js';
import { postgresLocks } from '../sql/row-locks.js';
import { postgresRowOrder } from '../sql/row-order.js';
import { RaceError, type SqlRow, type SqlRunner, type Steps } from '../sql/statement.js';
import {
  asUnavailableIfLost,
  asUnavailableIfRefused,
  codeOf,
  createConnections,
  isForgotten,
  isLost,
  type TakenConnection,
} from './connection.js';
import type { PostgresPool } from './pool.js';

/**
 * Codes of a race: serialization failure, deadlock, a unique key that somebody else took, a table, its
 * type, or a schema made twice.
 */
const raceCodes = new Set(['40001', '40P01', '23505', '42P07', '42710', '42P06']);
const maxTries = 20;
const longestPauseMs = 100;

export type PostgresTimeouts = { readonly [name in keyof typeof postgresTimeouts]: number };

/**
 * Runs steps on a pool, in the tables of one schema. It keeps no state, so that any number of processes may do the
 * same.
 */
export function createPostgresRunner(
  pool: PostgresPool,
  schema: string,
  timeouts: PostgresTimeouts = postgresTimeouts,
): SqlRunner {
  const take = createConnections(pool, timeouts);
  const texts = new Map<string, { text: string; name: string }>();

  /** Puts the schema before the tables' names, and names the statement. */
  function toPostgres(shared: string): { text: string; name: string } {
    const known = texts.get(shared);
    if (known !== undefined) return known;
    const text = shared.replaceAll('@', `"${schema}".`);
    // Whoever shares the connection, another copy of this code too, may name statements.
    const made = { text, name: `savepoint_${createHash('sha256').update(text).digest('hex').slice(0, 32)}` };
    texts.set(shared, made);
    return made;
  }

  async function drive<Result>(steps: Steps<Result>, connection: TakenConnection, isNamed = false): Promise<Result> {
    let step = steps.next();
    while (step.done !== true) {
      const { text, name } = toPostgres(step.value.text);
      const { rows } = await connection.query(text, [...step.value.values], isNamed ? name : undefined);
      step = steps.next(rows as SqlRow[]);
    }
    return step.value;
  }

  /** Runs one statement, which commits by itself: where its answer is lost, nobody knows what became of a write. */
  function runStatement({ writes, isNamed }: { writes: boolean; isNamed: boolean }) {
    return <Result>(steps: () => Steps<Result>): Promise<Result> =>
      retryOnRace(async () => {
        const connection = await take();
        try {
          const result = await drive(steps(), connection, isNamed);
          connection.release();
          return result;
        } catch (error) {
          connection.release(error);
          throw writes ? asUnavailableIfRefused(error) : asUnavailableIfLost(error);
        }
      });
  }

  /** Runs a transaction. Until COMMIT is sent, nothing has been done; where its answer is lost, nobody knows. */
  function runTransaction(mode: string, { writes }: { writes: boolean }) {
    // In one round trip, and for this transaction only: between the service and the database there may be a pooler,
    // which gives the connection to somebody else after it. A process that hangs must not keep an account locked.
    const begin = [
      `BEGIN ISOLATION LEVEL ${mode}`,
      `SET LOCAL idle_in_transaction_session_timeout = ${timeouts.idleInTransactionMs}`,
      `SET LOCAL statement_timeout = ${timeouts.statementMs}`,
    ].join('; ');
    return <Result>(steps: () => Steps<Result>): Promise<Result> =>
      retryOnRace(async () => {
        const connection = await take();
        let isCommitting = false;
        try {
          await connection.query(begin);
          const result = await drive(steps(), connection);
          isCommitting = writes;
          await connection.query('COMMIT');
          connection.release();
          return result;
        } catch (error) {
          await rollBack(connection, error);
          throw isCommitting ? asUnavailableIfRefused(error) : asUnavailableIfLost(error);
        }
      });
  }

  return {
    engine: 'postgres',
    read: runStatement({ writes: false, isNamed: false }),
    // To plan one of these takes PostgreSQL as long as to carry it out. It plans what has a name once.
    readOften: runStatement({ writes: false, isNamed: true }),
    write: runStatement({ writes: true, isNamed: true }),
    readTransaction: runTransaction('REPEATABLE READ READ ONLY', { writes: false }),
    transaction: runTransaction('READ COMMITTED', { writes: true }),
    turns: null,
    canWriteInWith: true,
    ledgerSql: postgresLedger,
    rowLocks: postgresLocks,
    rowOrder: postgresRowOrder,
  };
}

/** Rolls back, where the connection can still do that. */
async function rollBack(connection: TakenConnection, error: unknown): Promise<void> {
  if (isLost(error)) return connection.release(error);
  const problem = await connection.query('ROLLBACK').then(
    () => error,
    (failure: unknown) => failure,
  );
  connection.release(problem);
}

/** Runs an attempt again that lost a race against another transaction, after a short and random pause. */
async function retryOnRace<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= maxTries || !isRace(error)) throw error;
      const pause = Math.random() * Math.min(longestPauseMs, 2 ** tries);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

function isRace(error: unknown): boolean {
  return error instanceof RaceError || isForgotten(error) || raceCodes.has(codeOf(error));
}
