import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who has a file open. */
export interface Holder {
  pid: number;
  host: string;
  /** ISO 8601. */
  since: string;
}

/**
 * The note beside a file that says who holds it. It locks nothing: SQLite's lock does, which the system takes from a
 * process that dies, so that the next one may write its own note over a stale one.
 */
export function createLockNote(file: string) {
  const path = `${file}.lock`;
  return {
    write(now: number): void {
      const holder: Holder = { pid: process.pid, host: hostname(), since: new Date(now).toISOString() };
      writeFileSync(path, `${JSON.stringify(holder)}\n`);
    },
    remove: (): void => rmSync(path, { force: true }),
    /** Null where there is no note, or half of one. */
    read(): Holder | null {
      try {
        return JSON.parse(readFileSync(path, 'utf8')) as Holder;
      } catch {
        return null;
      }
    },
  };
}
