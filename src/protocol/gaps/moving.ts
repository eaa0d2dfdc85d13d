import { mebibytes, seconds } from './units.js';

/** How `savepoint move` takes a store (docs/operate/move.md). */
export const moveDefaults = {
  /**
   * How long `savepoint move` waits for the tables of PostgreSQL that others use; `statementTimeoutMs` for those of a store that it
   * moves from.
   */
  moveLockMs: seconds(2),
  /** How often it tries to lock these, where a service locks some in another order. */
  moveLockTries: 5,
  /** The memory that it has for the indexes of the store that it fills: what is sorted in less goes through the disk many times. */
  moveIndexBytes: mebibytes(256),
} as const;
