import { type StoreLimit, StoreUnavailable } from '../unavailable.js';
import type { PostgresConnection, PostgresPool, PostgresResult } from './pool.js';

/** A connection that a call has to itself, until it gives it back. */
export interface TakenConnection {
  /**
   * Runs one statement. Rejects where it has no answer in time. With a name, which no other text may have, the server
   * parses and plans it once for the connection, where that leads to one server for as long as it lasts.
   */
  query(text: string, values?: unknown[], name?: string): Promise<PostgresResult>;
  /** Gives the connection back, or closes it where `error` says that it is of no more use. */
  release(error?: unknown): void;
}

export interface ConnectionTimeouts {
  /** How long a call waits for a connection. */
  connectMs: number;
  /** How long a statement may take. */
  statementMs: number;
}

/**
 * Takes connections from a pool, each bounded in time. When one of them is lost, its statement without an answer or its
 * server read-only, those that have not answered since then lead to where it led: they are closed instead of used, so
 * that a call does not have to find out for each.
 */
export function createConnections(
  pool: PostgresPool,
  { connectMs, statementMs }: ConnectionTimeouts,
): () => Promise<TakenConnection> {
  /** Counts what is sent and what is answered: a clock that only tells what came first. */
  let moment = 0;
  /** When the statement was sent that lost its connection. */
  let lastLoss = 0;
  const lastAnswers = new WeakMap<PostgresConnection, number>();
  const direct = new WeakMap<PostgresConnection, boolean>();

  async function take(): Promise<PostgresConnection> {
    const taking = pool.connect();
    try {
      return await within(connectMs, taking, 'connectTimeoutMs');
    } catch (error) {
      void taking.then((late) => late.release(), ignore);
      // Whatever the reason, surely nothing has been done.
      throw unavailable(error, isPoolLate(error) ? 'connectTimeoutMs' : undefined);
    }
  }

  async function takeSound(): Promise<PostgresConnection> {
    for (;;) {
      const connection = await take();
      if ((lastAnswers.get(connection) ?? lastLoss) >= lastLoss) return connection;
      // pg says goodbye to an idle connection, and waits for an answer that nobody gives. One at work it just closes.
      connection.query('SELECT 1').catch(ignore);
      connection.release(true);
    }
  }

  /** A pooler in transaction mode gives each transaction to another server, which knows none of the names. */
  async function isDirect(connection: PostgresConnection): Promise<boolean> {
    const known = direct.get(connection);
    if (known !== undefined) return known;
    const { processID } = connection;
    // A pooler has a number of its own to tell, by which a query can be cancelled.
    const isIt = typeof processID === 'number' && processID === (await askForProcess(connection));
    direct.set(connection, isIt);
    return isIt;
  }

  async function run(connection: PostgresConnection, text: string, values?: unknown[], name?: string) {
    if (name === undefined || !(await isDirect(connection))) return connection.query(text, values);
    try {
      return await (connection as NamingConnection).query({ name, text, values });
    } catch (error) {
      if (isForgotten(error)) direct.set(connection, false);
      throw error;
    }
  }

  return async () => {
    const connection = await takeSound();
    // A connection that ends between two statements raises this event; without a listener it would end the process.
    connection.on?.('error', ignore);
    return {
      async query(text, values, name) {
        moment += 1;
        const sent = moment;
        try {
          return await within(statementMs, run(connection, text, values, name), 'statementTimeoutMs');
        } catch (error) {
          if (isUseless(error)) lastLoss = Math.max(lastLoss, sent);
          throw error;
        } finally {
          moment += 1;
          lastAnswers.set(connection, moment);
        }
      },
      release(error) {
        connection.off?.('error', ignore);
        if (error === undefined || !isUseless(error)) connection.release();
        else connection.release(true);
      },
    };
  };
}

function ignore(): void {}

/** A connection of the package pg, which alone says what its `processID` is. */
type NamingConnection = PostgresConnection & {
  query(statement: { name: string; text: string; values: unknown[] | undefined }): Promise<PostgresResult>;
};

/** The number of the server's process, as that one says. */
async function askForProcess(connection: PostgresConnection): Promise<unknown> {
  const { rows } = await connection.query('SELECT pg_backend_pid() AS process');
  return (rows[0] as { process?: unknown } | undefined)?.process;
}

/**
 * Whether the server has refused a statement for its name: somebody who shares the connection has had all names
 * forgotten, or a table was changed under it. Nothing was done, and without a name it may succeed.
 */
export function isForgotten(error: unknown): boolean {
  return codeOf(error) === '26000' || (error as { routine?: unknown } | null)?.routine === 'RevalidateCachedQuery';
}

/** Settles as the promise does, or rejects where that takes too long, with a code like a lost connection's. */
function within<Result>(ms: number, promise: Promise<Result>, limitName: StoreLimit): Promise<Result> {
  return new Promise((resolve, reject) => {
    const late = (): void => {
      const error = new Error(`PostgreSQL has not answered within ${ms} ms.`);
      reject(Object.assign(error, { code: 'ETIMEDOUT', limitName }));
    };
    const timer = setTimeout(late, ms);
    promise.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

/**
 * For a call that surely has committed nothing: turns an error by which the connection is lost into the store's own.
 */
export function asUnavailableIfLost(error: unknown): unknown {
  return isLost(error) || isRefused(error) ? unavailable(error) : error;
}

/**
 * For a call that may have committed: where the server says that it has not, another server or a later moment may, and
 * the error is the store's own.
 */
export function asUnavailableIfRefused(error: unknown): unknown {
  return isRefused(error) ? unavailable(error) : error;
}

/**
 * Whether an error means that the connection has ended, or says nothing any more. PostgreSQL says so by a code of class
 * 08, by 57P01 to 57P03, 57P05 and 25P03 when it stops or ends the session, and by 53300 when it has too many
 * connections; Node by a code such as ECONNRESET; the package pg by a message alone.
 */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return /^Connection terminated|is not queryable$/.test(message);
  return /^(08\w{3}|57P0[1235]|25P03|53300|E(?!RR_)[A-Z_]+)$/.test(code);
}

const readOnly = '25006';
const tooLong = '57014';

/**
 * Whether PostgreSQL says that it has undone a statement which may succeed elsewhere or later: it is read-only, as a
 * primary is that has become a standby; or its disk is full (53100); or the statement took longer than allowed (57014),
 * or waited too long (55P03).
 */
function isRefused(error: unknown): boolean {
  return [readOnly, '53100', tooLong, '55P03'].includes(codeOf(error));
}

/** Whether nothing more can be done on a connection. A read-only server still answers, but another one takes writes. */
function isUseless(error: unknown): boolean {
  return isLost(error) || codeOf(error) === readOnly;
}

/** PostgreSQL's or Node's code of an error; of one without any, a text that is no code. */
export function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null | undefined)?.code);
}

/** Shows only the driver's code, for its message may hold the database's address. */
function unavailable(error: unknown, limit?: StoreLimit): StoreUnavailable {
  const { code, limitName = limit } = error as NodeJS.ErrnoException & { limitName?: StoreLimit };
  const reached = code === tooLong ? 'statementTimeoutMs' : limitName;
  return new StoreUnavailable(typeof code === 'string' ? code : 'no connection', error, reached);
}

/** Whether the pool of the package pg has waited for a connection for as long as it may. It says so by a message alone. */
function isPoolLate(error: unknown): boolean {
  return error instanceof Error && /timeout exceeded when trying to connect|connection timeout/i.test(error.message);
}
