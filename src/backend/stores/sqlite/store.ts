import { type Migration, migrate } from '../sql/migrations.js';
import { createSqlStore } from '../sql/store.js';
import type { Store } from '../store.js';
import { openSqlite, type SqliteConnection } from './connection.js';
import { createLockNote } from './file-lock.js';
import { createSqliteRunner } from './runner.js';

/** Where an SQLite store keeps everything. */
export interface SqliteStoreOptions {
  /**
   * The path of the database's file, on a disk of this machine; the file is made where there is none. SQLite keeps
   * another one with `-wal` at its end beside it, and the store a note with `.lock`.
   */
  file: string;
}

/** A store in one file, for one process. */
export interface SqliteStore extends Store {
  /** Commits what is under way and closes the file, so that another process may open it. */
  close(): Promise<void>;
}

/** What tests replace. */
interface Surroundings {
  steps?: readonly Migration[];
  now?: number;
  open?: (file: string) => Promise<SqliteConnection>;
}

/** Whatever a caller was told is on the disk by then, and no other process can open the file meanwhile. */
const settings = [
  'PRAGMA locking_mode = EXCLUSIVE',
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'PRAGMA temp_store = MEMORY',
  // In pages of 4 KiB: the log is written back at 16 MB, which are read again quickly after a crash.
  'PRAGMA wal_autocheckpoint = 4000',
  `PRAGMA journal_size_limit = ${64 * 1024 * 1024}`,
];

export async function openSqliteStore(
  { file }: SqliteStoreOptions,
  { steps, now = Date.now(), open = openSqlite }: Surroundings = {},
): Promise<SqliteStore> {
  if (typeof file !== 'string' || file === '') throw new TypeError('file must be the path of a file');
  const note = createLockNote(file);
  const connection = await open(file);
  try {
    lockFile(connection);
  } catch (error) {
    connection.close();
    throw isBusy(error) ? new Error(`${file} is in use${describe(note.read())}.`, { cause: error }) : error;
  }
  const runner = createSqliteRunner(connection);
  note.write(now);
  const close = (): void => {
    runner.end();
    connection.close();
    note.remove();
  };
  try {
    await migrate(runner, { now, hasVersions: false, ...(steps === undefined ? {} : { steps }) });
  } catch (error) {
    close();
    throw error;
  }
  let closed = false;
  return {
    ...createSqlStore(runner),
    async close() {
      if (!closed) close();
      closed = true;
    },
  };
}

/**
 * Takes SQLite's lock on the file: in the exclusive mode it is kept from the first transaction until the file is
 * closed.
 */
export function lockFile(connection: SqliteConnection): void {
  for (const setting of settings) connection.exec(setting);
  connection.exec('BEGIN EXCLUSIVE');
  connection.exec('COMMIT');
}

/** By SQLite's own words, for the two packages have different codes. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && /database is locked|SQLITE_BUSY/.test(error.message);
}

function describe(holder: ReturnType<ReturnType<typeof createLockNote>['read']>): string {
  return holder === null ? '' : ` by process ${holder.pid} on ${holder.host} since ${holder.since}`;
}
