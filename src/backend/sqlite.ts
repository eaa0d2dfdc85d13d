import { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from './stores/sqlite/store.js';

export type { SqliteStore, SqliteStoreOptions } from './stores/sqlite/store.js';

/**
 * Opens a store in one SQLite file, which belongs to this process until `close()`, and brings its schema up to date. On
 * Node 22.13 and later it needs nothing else, before that the package `better-sqlite3`. Rejects where another process
 * has the file, saying which, and where the schema is newer than this version.
 */
export function createSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  return openSqliteStore(options);
}
