import { closeSync, fstatSync, openSync } from 'node:fs';

/** Says whether the file that is open still has a name, and not another one has taken its place. */
export interface WatchedName {
  isThere(): boolean;
  /** Only after SQLite has closed the file: the system would take SQLite's lock with the first of both. */
  close(): void;
}

/**
 * Watches the name of a file that SQLite has open. The system keeps a file without a name until
 * whoever has it open ends.
 */
export function watchName(file: string): WatchedName {
  // SQLite's name for no file at all.
  if (file === ':memory:') return { isThere: () => true, close() {} };
  const opened = openSync(file, 'r');
  return { isThere: () => fstatSync(opened).nlink > 0, close: () => closeSync(opened) };
}
