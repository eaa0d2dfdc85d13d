import { StoreUnavailable } from '../unavailable.js';
import type { PostgresConnection, PostgresPool } from './pool.js';

/** Takes a connection from the pool. Where there is none, whatever the reason, surely nothing has been done. */
export async function takeConnection(pool: PostgresPool): Promise<PostgresConnection> {
  let connection: PostgresConnection;
  try {
    connection = await pool.connect();
  } catch (error) {
    throw unavailable(error);
  }
  // A connection that ends between two statements raises this event; without a listener it would end the process.
  connection.on?.('error', ignore);
  return {
    query: (text, values) => connection.query(text, values),
    release(destroy) {
      connection.off?.('error', ignore);
      connection.release(destroy);
    },
  };
}

function ignore(): void {}

/**
 * For a call that surely has committed nothing: turns an error by which the connection has ended into the store's own.
 */
export function asUnavailableIfLost(error: unknown): unknown {
  return isLost(error) ? unavailable(error) : error;
}

/**
 * * Whether an error means that the connection has ended. PostgreSQL says so by a code of class 08, by 57P01 to 57P03,
 * 57P05 and 25P03 when it stops or ends the session, and by 53300 when it has too many connections; Node by a code such
 * as ECONNRESET; the package pg by a message alone.
 */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return /^Connection terminated|is not queryable$/.test(message);
  return /^(08\w{3}|57P0[1235]|25P03|53300|E(?!RR_)[A-Z_]+)$/.test(code);
}

/** Shows only the driver's code, for its message may hold the database's address. */
function unavailable(error: unknown): StoreUnavailable {
  const { code } = error as NodeJS.ErrnoException;
  return new StoreUnavailable(typeof code === 'string' ? code : 'no connection', error);
}
