import { carryOver } from './carry-over.js';
import { compareAndSwap, type Lock, type Swap } from './compare-and-swap.js';
import { createRungInUse } from './rung-in-use.js';
import type { Rung, StorageName } from './storage-port.js';

export interface Ladder {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<void>;
  /**
   * Writes only where what is stored is still `from`, in one step for all tabs, and gives null; or else what another
   * tab has written instead, which may well be the same text. '' stands for nothing.
   */
  swap(key: string, from: string, to: string): Promise<string | null>;
}

/**
 * A storage that never fails: it stands on the best rung that takes a write, and steps down, with all that it knows,
 * when one fails at any later time. `degraded` hears of each step. The last rung must be memory.
 */
export function createLadder(
  rungs: readonly Rung[],
  lock: Lock,
  degraded: (step: { from: StorageName; to: StorageName }) => void,
): Ladder {
  const known = new Map<string, string>();
  const carried = new Map<string, Promise<void>>();
  const rungInUse = createRungInUse(rungs, known, degraded);

  /** Carries over what an earlier run left under the key, once for each key. */
  function carryOverOnce(key: string): Promise<void> {
    const carrying = carried.get(key) ?? carryOver(rungInUse, rungs.length - 2, key, swap);
    carried.set(key, carrying);
    return carrying;
  }

  async function swap(change: Swap): Promise<string | null> {
    for (;;) {
      const done = await rungInUse.attempt((storage) => compareAndSwap(storage, lock, change));
      if (done === undefined) continue;
      known.set(change.key, done.result ?? change.to);
      return done.result;
    }
  }

  return {
    getItem: async (key) => {
      await carryOverOnce(key);
      const found = (await rungInUse.attempt((storage) => storage.getItem(key)))?.result;
      if (typeof found === 'string') known.set(key, found);
      return found ?? known.get(key) ?? null;
    },
    setItem: async (key, value) => {
      // It is remembered first: where the storage fails, the next one is given all that is remembered.
      known.set(key, value);
      await rungInUse.attempt((storage) => storage.setItem(key, value));
    },
    swap: async (key, from, to) => {
      await carryOverOnce(key);
      return swap({ key, from, to });
    },
  };
}
