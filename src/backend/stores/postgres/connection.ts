import { StoreUnavailable } from '../unavailable.js';
import type { PostgresConnection, PostgresPool } from './pool.js';

/** Takes a connection from the pool. Without one nothing has been done, whatever the reason is. */
export async function takeConnection(pool: PostgresPool): Promise<PostgresConnection> {
  let connection: PostgresConnection;
  try {
    connection = await pool.connect();
  } catch (error) {
    throw unavailable(error);
  }
  // One that ends between two statements says so here; with nobody to listen, that would end the process.
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

/** For what has surely not been committed: an error that means that the connection has ended, as the store's own. */
export function asUnavailableIfLost(error: unknown): unknown {
  return isLost(error) ? unavailable(error) : error;
}

/**
 * Whether the connection has ended. PostgreSQL says so in class 08, when it stops (57P01 to 57P03, 57P05, 25P03) or has too
 * many (53300); Node by a code such as ECONNRESET; pg by a message alone.
 */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return /^Connection terminated|is not queryable$/.test(message);
  return /^(08\w{3}|57P0[1235]|25P03|53300|E(?!RR_)[A-Z_]+)$/.test(code);
}

/** Only a code is shown: what else a driver says may hold an address. */
function unavailable(error: unknown): StoreUnavailable {
  const { code } = error as NodeJS.ErrnoException;
  return new StoreUnavailable(typeof code === 'string' ? code : 'no connection', error);
}
