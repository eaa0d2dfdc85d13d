import { openPostgresStore, type PostgresStore, type PostgresStoreOptions } from './stores/postgres/store.js';

export type { PoolLoad, PostgresConnection, PostgresPool, PostgresResult } from './stores/postgres/pool.js';
export type { PostgresStore, PostgresStoreOptions } from './stores/postgres/store.js';

/**
 * Opens a store on PostgreSQL and brings its schema up to date. Any number of processes may have one on the same
 * database. It needs the package `pg`. It rejects with the driver's error where the database cannot be reached, with
 * Error where the schema is newer than this version of the package, and with TypeError naming the option that is wrong.
 *
 * @example
 * const store = await createPostgresStore({ connectionString: process.env.DATABASE_URL });
 */
export function createPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  return openPostgresStore(options);
}
