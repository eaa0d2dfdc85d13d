import { StoreUnavailable } from '../unavailable.js';

/**
 * In SQLite's own words, for the two packages have different codes: a commit that fails with one of them was not made.
 */
const noRoom = /database or disk is full|attempt to write a readonly database|unable to open database file/;

/** As a commit fails with it, it may be on the disk all the same. */
const noDisk = /disk I\/O error/;

/**
 * Turns an error of the disk, after which surely nothing has been done, into the store's own: the same call may succeed
 * as soon as there is room again.
 */
export function asUnavailableIfUndone(error: unknown, { isCommitting }: { isCommitting: boolean }): unknown {
  const words = error instanceof Error ? error.message : '';
  const [found] = noRoom.exec(words) ?? (isCommitting ? null : noDisk.exec(words)) ?? [];
  return found === undefined ? error : new StoreUnavailable(found, error);
}
