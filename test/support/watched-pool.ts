import type pg from 'pg';
import type { PostgresConnection, PostgresPool } from '../../src/backend/stores/postgres/pool.js';

/** A pool of a store, all of whose statements are noted. */
export interface WatchedPool extends PostgresPool {
  /** Each statement, and the values that it was last sent with. */
  readonly sent: Map<string, unknown[]>;
  /** Those that were sent with a name. */
  readonly named: Set<string>;
  /** The values of entries that have come, in their order. */
  readonly bodies: string[];
}

export function watchPool(pool: pg.Pool): WatchedPool {
  const sent = new Map<string, unknown[]>();
  const named = new Set<string>();
  const bodies: string[] = [];
  return {
    sent,
    named,
    bodies,
    async connect(): Promise<PostgresConnection> {
      const connection = await pool.connect();
      return {
        // As pg has it, a statement with a name is one object.
        async query(statement: string | { text: string; values?: unknown[] }, values?: unknown[]) {
          const { text, values: given = values } = typeof statement === 'string' ? { text: statement } : statement;
          sent.set(text, given ?? []);
          if (typeof statement !== 'string') named.add(text);
          const result = await connection.query<{ body?: string | null }>(statement as string, values);
          // Of several statements in one text pg has a result each, without a row where this is asked.
          const read = Array.isArray(result) ? [] : result.rows;
          bodies.push(...read.flatMap(({ body }) => (typeof body === 'string' ? [body] : [])));
          return result;
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
