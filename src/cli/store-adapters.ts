import type { PostgresLimits } from '../backend/stores/postgres/limits.js';
import type { PoolLoad } from '../backend/stores/postgres/pool.js';
import type { Store } from '../backend/stores/store.js';

type Adapter = (
  description: string,
  limits: PostgresLimits,
) => Promise<Store & { close(): Promise<void>; connections?(): PoolLoad | null }>;

/** The stores that outlive the process, each loaded when it is asked for. */
export const adapters: { readonly [kind in 'sqlite' | 'postgres']: Adapter } = {
  async sqlite(file) {
    const { createSqliteStore } = await import('../backend/sqlite.js');
    return createSqliteStore({ file });
  },

  /** `?schema=name` says which one; that is ours, and nothing for the database. */
  async postgres(address, limits) {
    const { createPostgresStore } = await import('../backend/postgres.js');
    const url = new URL(address);
    const schema = url.searchParams.get('schema');
    url.searchParams.delete('schema');
    return createPostgresStore({ ...limits, connectionString: url.href, ...(schema === null ? {} : { schema }) });
  },
};
