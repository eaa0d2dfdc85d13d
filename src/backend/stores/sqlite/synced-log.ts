import { closeSync, existsSync, fdatasync, fsyncSync, openSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { SqliteConnection } from './connection.js';

/** Puts SQLite's log of what is committed on the disk. */
export interface SyncedLog {
  /** Settles once all that was committed before the call is on the disk, beside the event loop. */
  sync(): Promise<void>;
  /** Only once no call of `sync` is under way: the number of the file may be another one's after it. */
  close(): void;
}

const syncData = promisify(fdatasync);

/**
 * Takes it over from SQLite to put the log on the disk: its commits wait for that no longer. Null where it keeps no log, as
 * for a database in memory; then they wait on. SQLite has no lock on its log, so that the system takes none with the
 * file that is closed here.
 */
export function takeLog(connection: SqliteConnection, file: string): SyncedLog | null {
  if (file === ':memory:') return null;
  // SQLite puts the log beside the file itself, not beside a link that leads there.
  const path = `${realpathSync(file)}-wal`;
  if (!existsSync(path)) return null;
  writeBack(connection);
  const opened = openSync(path, 'r+');
  syncFolder(dirname(path));
  connection.exec('PRAGMA synchronous = NORMAL');
  return { sync: () => syncData(opened), close: () => closeQuietly(opened) };
}

function closeQuietly(opened: number): void {
  try {
    closeSync(opened);
  } catch {
    // What is on the disk is known by then.
  }
}

/**
 * Empties the log into the file. A process that was killed, or whose disk has failed, leaves a log of which nobody knows
 * how much is on the disk, although it can be read.
 */
function writeBack(connection: SqliteConnection): void {
  const [row] = connection.run({ text: 'PRAGMA wal_checkpoint(TRUNCATE)', values: [] });
  if (row?.['busy'] !== 0) throw new Error('SQLite could not write its log back into the file.');
}

/** A new file is lost with its name. Windows opens no folder, and needs none of this. */
function syncFolder(path: string): void {
  let opened: number;
  try {
    opened = openSync(path, 'r');
  } catch {
    return;
  }
  try {
    fsyncSync(opened);
  } catch {
    // Some systems sync no folders.
  } finally {
    closeQuietly(opened);
  }
}
