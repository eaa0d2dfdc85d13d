import { openPostgresStore, type PostgresStore, type PostgresStoreOptions } from './stores/postgres/store.js';

export type { PostgresConnection, PostgresPool, PostgresResult } from './stores/postgres/pool.js';
export type { PostgresStore, PostgresStoreOptions } from './stores/postgres/store.js';

/**
 * Opens a store on PostgreSQL and brings its schema up to date. Any number of processes may have one on the same
 * database. Needs the package `pg`. Rejects where the database cannot be reached, and where the schema is newer than
 * this version. Throws TypeError naming the option that is wrong.
 */
export function createPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  return openPostgresStore(options);
}
