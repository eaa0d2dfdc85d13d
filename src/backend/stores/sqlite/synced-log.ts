import { closeSync, existsSync, fdatasync, fdatasyncSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

/** Puts SQLite's log of what is committed on the disk. */
export interface SyncedLog {
  /** Settles once all that was committed before the call is on the disk, beside the event loop. */
  sync(): Promise<void>;
  /** The same at once, while the event loop waits. */
  syncNow(): void;
  close(): void;
}

/**
 * The log of a file that SQLite has open, beside which it does not wait for the disk itself. Null for a database in memory.
 * SQLite has no lock on its log, so that the system takes none with the file that is closed here.
 */
export function openLog(file: string): SyncedLog | null {
  const path = `${file}-wal`;
  if (!existsSync(path)) return null;
  const opened = openSync(path, 'r+');
  syncFolder(dirname(path));
  const running = new Set<Promise<void>>();
  const sync = promisify(fdatasync);
  return {
    sync() {
      const one = sync(opened);
      running.add(one);
      const end = (): void => void running.delete(one);
      one.then(end, end);
      return one;
    },
    syncNow: () => fdatasyncSync(opened),
    close() {
      // The number of a file that is closed may be another one's by the time the disk has answered.
      void Promise.allSettled(running).then(() => closeSync(opened));
    },
  };
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
    closeSync(opened);
  }
}
