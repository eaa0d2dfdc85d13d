import { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from './stores/sqlite/store.js';

export type { SqliteStore, SqliteStoreOptions } from './stores/sqlite/store.js';

/**
 * Opens a store in one SQLite file, which belongs to this process until `close()`, and brings its schema up to date.
 * Node 22.13 and later need nothing else; earlier ones need the package `better-sqlite3`. It rejects where another
 * process has the file open, saying which one, and where the schema is newer than this version of the package.
 *
 * @example
 * const store = await createSqliteStore({ file: './saves.db' });
 */
export function createSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  return openSqliteStore(options);
}
