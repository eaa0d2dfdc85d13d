import { ignoreFailure, withinDeadline } from './answer-deadline.js';
import type { Rung, StorageName, StoragePort } from './storage-port.js';

/** A rung that has taken a write. */
interface OpenRung {
  /** Its place on the ladder; 0 is the preferred one. */
  rung: number;
  storage: StoragePort;
}

/** The rung that all reading and writing goes to: the best one that works. */
export interface RungInUse {
  /** Gives the rung in use; the first call opens it. */
  current(): Promise<OpenRung>;
  /** Gives the storage of any rung, whether it works or not; rejects where it cannot be reached. */
  storageOf(rung: number): Promise<StoragePort>;
  /** Runs a task on the rung in use. Where it fails, steps down and gives undefined. */
  attempt<T>(task: (storage: StoragePort) => T | Promise<T>): Promise<{ result: T } | undefined>;
}

const probe = 'savepoint:probe';

/**
 * Finds the rung to use, and steps down when it fails at any later time.
 *
 * @param known all that the ladder knows, by key: each rung that comes into use is given it
 * @param degraded hears of each step
 */
export function createRungInUse(
  rungs: readonly Rung[],
  known: ReadonlyMap<string, string>,
  degraded: (step: { from: StorageName; to: StorageName }) => void,
): RungInUse {
  const reached: Promise<StoragePort>[] = [];
  let at = 0;
  let inUse: Promise<OpenRung> | null = null;

  const rungAt = (rung: number): Rung => rungs[rung] as Rung;

  function storageOf(rung: number): Promise<StoragePort> {
    reached[rung] ??= withinDeadline(() => rungAt(rung).open());
    return reached[rung];
  }

  function current(): Promise<OpenRung> {
    inUse ??= open(0).catch(() => stepDown(0));
    return inUse;
  }

  /** Makes sure that a rung takes a write, and gives it all that is known. */
  async function open(rung: number): Promise<OpenRung> {
    const storage = await storageOf(rung);
    try {
      await withinDeadline(() => storage.setItem(probe, ''));
      await withinDeadline(() => storage.removeItem(probe));
      for (const [key, value] of known) await withinDeadline(() => storage.setItem(key, value));
    } catch (error) {
      await forget(storage, known);
      throw error;
    }
    return { rung, storage };
  }

  async function openBelow(): Promise<OpenRung> {
    for (;;) {
      at += 1;
      const next = await ignoreFailure(() => open(at));
      if (next !== undefined) return next;
    }
  }

  /** Of several calls that fail on one rung, the first one steps down, and the others wait for the rung that it finds. */
  async function stepDown(failed: number, left?: StoragePort): Promise<OpenRung> {
    if (at === failed) {
      inUse = openBelow();
      const { rung } = await inUse;
      if (left !== undefined) await forget(left, known);
      degraded({ from: rungAt(failed).name, to: rungAt(rung).name });
    }
    return current();
  }

  return {
    current,
    storageOf,
    attempt: async (task) => {
      const { rung, storage } = await current();
      try {
        return { result: await withinDeadline(() => task(storage)) };
      } catch {
        await stepDown(rung, storage);
        return undefined;
      }
    },
  };
}

/** Removes what a storage that is left behind holds: the next start would take it for the newest. */
async function forget(storage: StoragePort, known: ReadonlyMap<string, string>): Promise<void> {
  for (const key of known.keys()) await ignoreFailure(() => withinDeadline(() => storage.removeItem(key)));
}
