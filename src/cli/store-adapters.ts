import type { PostgresLimits } from '../backend/stores/postgres/limits.js';
import type { PoolLoad } from '../backend/stores/postgres/pool.js';
import type { Store } from '../backend/stores/store.js';

type Adapter = (
  description: string,
  limits: PostgresLimits,
) => Promise<Store & { close(): Promise<void>; connections?(): PoolLoad | null; bytes?(): Promise<number> }>;

/** The stores that outlive the process, each loaded when it is asked for. */
export const adapters: { readonly [kind in 'sqlite' | 'postgres']: Adapter } = {
  async sqlite(file) {
    const { createSqliteStore } = await import('../backend/sqlite.js');
    return createSqliteStore({ file });
  },

  async postgres(address, limits) {
    const { createPostgresStore } = await import('../backend/postgres.js');
    return createPostgresStore({ ...limits, ...postgresPlace(address) });
  },
};

/** How many connections a PostgreSQL takes; null where it does not say. */
export async function readConnectionsLimit(address: string): Promise<number | null> {
  const { readConnectionsLimit: read } = await import('../backend/stores/postgres/connections-limit.js');
  return read(postgresPlace(address).connectionString);
}

/** `?schema=name` says which schema; that is ours, and nothing for the database. */
export function postgresPlace(address: string): { connectionString: string; schema?: string } {
  const url = new URL(address);
  const schema = url.searchParams.get('schema');
  url.searchParams.delete('schema');
  return { connectionString: url.href, ...(schema === null ? {} : { schema }) };
}
