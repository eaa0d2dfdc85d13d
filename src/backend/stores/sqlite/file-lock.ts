import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';

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
