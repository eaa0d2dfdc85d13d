/** What is used of a `Pool` of the package pg. */
export interface PostgresPool {
  connect(): Promise<PostgresConnection>;
}

export interface PostgresConnection {
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
  /** With `true` the connection is thrown away. */
  release(destroy?: boolean): void;
  on?(event: 'error', listener: () => void): unknown;
  off?(event: 'error', listener: () => void): unknown;
}

export interface PostgresResult {
  rows: unknown[];
}

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
    // A database that is gone without a word is noticed.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // A process whose connection is half dead must not keep an account locked.
    idle_in_transaction_session_timeout: 15_000,
  });
  // An idle connection that ends is replaced by the next call; without a listener it would end the process.
  pool.on('error', () => {});
  return pool;
}
