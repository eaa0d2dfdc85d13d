import type pg from 'pg';
import type { PostgresConnection, PostgresPool } from '../../src/backend/stores/postgres/pool.js';

/** A pool of a store, all of whose statements are noted, each with the values that it was last sent with. */
export interface WatchedPool extends PostgresPool {
  readonly sent: Map<string, unknown[]>;
}

export function watchPool(pool: pg.Pool): WatchedPool {
  const sent = new Map<string, unknown[]>();
  return {
    sent,
    async connect(): Promise<PostgresConnection> {
      const connection = await pool.connect();
      return {
        // As pg has it, a statement with a name is one object.
        async query(statement: string | { text: string; values?: unknown[] }, values?: unknown[]) {
          const { text, values: given = values } = typeof statement === 'string' ? { text: statement } : statement;
          sent.set(text, given ?? []);
          return connection.query(statement as string, values);
        },
        get processID() {
          return (connection as pg.PoolClient & { processID: number }).processID;
        },
        release: (destroy) => connection.release(destroy),
        on: (event, listener) => connection.on(event, listener),
        off: (event, listener) => connection.off(event, listener),
      };
    },
  };
}
