import { StoreUnavailable } from '../unavailable.js';
import type { SyncedLog } from './synced-log.js';

/** Who waits until what was committed is on the disk. */
export interface Committed {
  tell(): void;
  fail(error: unknown): void;
}

/** Those who wait for the disk. */
export interface DiskQueue {
  /** They have committed: they are told as soon as that is on the disk. */
  add(committed: readonly Committed[]): void;
  /** Throws once the disk has failed: nobody knows what is there. */
  check(): void;
  /** Puts all on the disk at once, and tells them. */
  end(): void;
}

/**
 * The disk is told once at a time, beside the event loop. Who commits meanwhile waits for its next turn, all of them
 * together. Without a log the commits themselves have waited for the disk.
 */
export function createDiskQueue(log: SyncedLog | null): DiskQueue {
  return log === null ? { add: tellAtOnce, check() {}, end() {} } : queueFor(log);
}

function queueFor(log: SyncedLog): DiskQueue {
  /** Those of whom the disk is told now, and those after them. */
  let syncing: Committed[] = [];
  let waiting: Committed[] = [];
  let lost: StoreUnavailable | null = null;

  async function syncAll(): Promise<void> {
    while (waiting.length > 0) {
      syncing = waiting;
      waiting = [];
      try {
        await log.sync();
        tellAll();
      } catch (error) {
        giveUp(error);
      }
    }
  }

  function tellAll(): void {
    const told = syncing;
    syncing = [];
    tellAtOnce(told);
  }

  /**
   * The system may forget what it could not write: the next time it would say that all is well. What was committed may
   * last or not, as after any commit that fails so.
   */
  function giveUp(error: unknown): void {
    lost = new StoreUnavailable('the disk did not take what was committed; only a restart shows what is there', error);
    const told = [...syncing, ...waiting];
    syncing = [];
    waiting = [];
    for (const { fail } of told) fail(error);
  }

  return {
    add(committed) {
      waiting.push(...committed);
      if (syncing.length === 0) void syncAll();
    },
    check() {
      if (lost !== null) throw lost;
    },
    end() {
      if (syncing.length === 0) return;
      syncing.push(...waiting);
      waiting = [];
      try {
        log.syncNow();
        tellAll();
      } catch (error) {
        giveUp(error);
      }
    },
  };
}

function tellAtOnce(committed: readonly Committed[]): void {
  for (const { tell } of committed) tell();
}
