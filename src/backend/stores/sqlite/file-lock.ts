import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { SqliteConnection } from './connection.js';

/** The process that has a file open. */
export interface Holder {
  pid: number;
  host: string;
  /** When it opened the file, in ISO 8601. */
  since: string;
}

/**
 * The note beside a file that says which process has it open. The note locks nothing, SQLite's own lock does: the
 * system takes that from a process that dies, and the next process then writes its own note over the stale one.
 */
export function createLockNote(file: string) {
  const path = `${file}.lock`;
  return {
    write(now: number): void {
      // SQLite's name for no file at all: nobody else can open it.
      if (file === ':memory:') return;
      const holder: Holder = { pid: process.pid, host: hostname(), since: new Date(now).toISOString() };
      writeFileSync(path, `${JSON.stringify(holder)}\n`);
    },
    remove: (): void => rmSync(path, { force: true }),
    /** Null where there is no note, or one that is not written to its end. */
    read(): Holder | null {
      try {
        return JSON.parse(readFileSync(path, 'utf8')) as Holder;
      } catch {
        return null;
      }
    },
  };
}

/** In pages of 4 KiB: the log is written back at 16 MB, which are read again quickly after a crash. */
const logPages = 4_000;
/** What a log may keep of the disk once it is written back. */
const logBytes = 64 * 1024 * 1024;

/** What is committed is on the disk by then, and no other process can open the file meanwhile. */
const settings = [
  'PRAGMA locking_mode = EXCLUSIVE',
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'PRAGMA temp_store = MEMORY',
  `PRAGMA wal_autocheckpoint = ${logPages}`,
  `PRAGMA journal_size_limit = ${logBytes}`,
];

/** Throws this where another process has a file open: nothing is wrong with it. */
export class FileInUse extends Error {}

/** What to throw for an error: that and by whom the file is in use, or the error itself where it is another. */
export function orFileInUse(error: unknown, file: string): unknown {
  if (!isBusy(error)) return error;
  return new FileInUse(`${file} is in use${describe(createLockNote(file).read())}.`, { cause: error });
}

/** Makes a file this connection's alone; closes the connection and says who has the file where it is another's. */
export function takeFile(connection: SqliteConnection, file: string): void {
  try {
    lockFile(connection);
  } catch (error) {
    connection.close();
    throw orFileInUse(error, file);
  }
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

function describe(holder: Holder | null): string {
  return holder === null ? ' by another process' : ` by process ${holder.pid} on ${holder.host} since ${holder.since}`;
}
