import { type Migration, migrate } from '../sql/migrations.js';
import { createSqlStore } from '../sql/store.js';
import type { Store } from '../store.js';
import { openSqlite, type SqliteConnection } from './connection.js';
import { createLockNote } from './file-lock.js';
import { createSqliteRunner } from './runner.js';

export interface SqliteStoreOptions {
  /** The database's file, on a disk of this machine; made where there is none. Beside it stand `-wal` and `.lock`. */
  file: string;
}

/** A store in one file, of one process. */
export interface SqliteStore extends Store {
  /** Writes what is under way, closes the file and gives it free. */
  close(): Promise<void>;
}

/** What a test puts in another's place. */
interface Surroundings {
  steps?: readonly Migration[];
  now?: number;
  open?: (file: string) => Promise<SqliteConnection>;
}

/** Durable: what a caller was told of is on the disk, and no other process has the file meanwhile. */
const settings = [
  'PRAGMA locking_mode = EXCLUSIVE',
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'PRAGMA temp_store = MEMORY',
  // Pages: 16 MB are written back at a time, which is soon read again after a crash.
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
    await migrate(runner, { now, ...(steps === undefined ? {} : { steps }) });
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

/** With this mode SQLite keeps its lock from the first transaction until the file is closed. */
export function lockFile(connection: SqliteConnection): void {
  for (const setting of settings) connection.exec(setting);
  connection.exec('BEGIN EXCLUSIVE');
  connection.exec('COMMIT');
}

/** SQLite's own words: the codes of the two packages differ. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && /database is locked|SQLITE_BUSY/.test(error.message);
}

function describe(holder: ReturnType<ReturnType<typeof createLockNote>['read']>): string {
  return holder === null ? '' : ` by process ${holder.pid} on ${holder.host} since ${holder.since}`;
}
