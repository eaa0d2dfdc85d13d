/** How many connections a store has to PostgreSQL, and how long it waits for them. */
export interface PostgresLimits {
  /** How many connections the store's own pool may have; 10 by default. */
  maxConnections?: number;
  /**
   * How long a call waits for a connection, in ms; 10,000 by default. A pool that you give needs a
   * `connectionTimeoutMillis` of its own besides, or connections that never open use it up.
   */
  connectTimeoutMs?: number;
  /**
   * How long PostgreSQL may take for a statement, in ms; 10,000 by default. Then its connection is closed; whoever
   * waits is told `StoreUnavailable` where surely nothing has been done.
   */
  statementTimeoutMs?: number;
}
