/** What the store uses of a `Pool` of the package pg. */
export interface PostgresPool {
  /** Takes a connection from the pool. */
  connect(): Promise<PostgresConnection>;
}

/** What the store uses of a connection of such a pool. */
export interface PostgresConnection {
  /** Runs one statement. */
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
  /** Gives the connection back to the pool; with `true` it is closed instead. */
  release(destroy?: boolean): void;
  /** Listens for the end of the connection. */
  on?(event: 'error', listener: () => void): unknown;
  /** Stops to listen. */
  off?(event: 'error', listener: () => void): unknown;
}

/** What a statement answers. */
export interface PostgresResult {
  /** Its rows, as objects by column. */
  rows: unknown[];
}

/** A pool that the store made, and closes. */
export interface OwnPool extends PostgresPool {
  end(): Promise<void>;
}

/** A pool of the package pg, which is imported only here. */
export async function openPool(connectionString: string, max: number): Promise<OwnPool> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new Error('PostgreSQL needs the package pg: npm install pg', { cause });
  });
  const pool = new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: 10_000,
    // So that a database is noticed that is gone without having closed the connection.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // A process that hangs in the middle of a transaction must not keep an account locked.
    idle_in_transaction_session_timeout: 15_000,
  });
  // The next call replaces an idle connection that ends; without a listener the event would end the process.
  pool.on('error', () => {});
  return pool;
}
