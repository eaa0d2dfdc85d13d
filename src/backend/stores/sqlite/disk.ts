import { StoreUnavailable } from '../unavailable.js';
import type { SyncedLog } from './synced-log.js';

/** Says when what was committed is on the disk. */
export interface Disk {
  /** After a commit: settles once that is there. */
  hasCommitted(): Promise<void>;
  /** Settles once all is there that can be read now; null where it is. */
  hasReadable(): Promise<void> | null;
  /** Throws once the disk has failed: nobody knows what is there. */
  check(): void;
}

/** Where a commit itself waits for the disk. */
export const waitedFor: Disk = { hasCommitted: async () => {}, hasReadable: () => null, check() {} };

/**
 * The disk is told of the log once at a time, beside the event loop. Whoever commits meanwhile waits for the next time,
 * all of them together.
 */
export function createDisk(log: Pick<SyncedLog, 'sync'>): Disk {
  let underWay: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let lost: StoreUnavailable | null = null;

  async function syncAfter(before: Promise<void> | null): Promise<void> {
    await before;
    underWay = next;
    next = null;
    try {
      await log.sync();
    } catch (error) {
      // The system may forget what it could not write, and say the next time that all is well.
      lost = new StoreUnavailable(
        'the disk did not take what was committed; only a restart shows what is there',
        error,
      );
      throw error;
    } finally {
      underWay = null;
    }
  }

  return {
    hasCommitted() {
      next ??= syncAfter(underWay);
      return next;
    },
    hasReadable: () => next ?? underWay,
    check() {
      if (lost !== null) throw lost;
    },
  };
}
