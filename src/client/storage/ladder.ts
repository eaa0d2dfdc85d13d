import { startTimer } from '../platform/timers.js';
import type { Rung, StorageName, StoragePort } from './storage-port.js';

export interface Ladder {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<void>;
  /**
   * Writes only where what is stored is still `from`, in one step for all tabs, and gives null; or else what another
   * tab has written instead, which may well be the same text. '' stands for nothing.
   */
  swap(key: string, from: string, to: string): Promise<string | null>;
}

interface Standing {
  rung: number;
  storage: StoragePort;
}

/** How long a storage may take to answer. One that takes longer is given up, as one that fails. */
const answerMs = 5_000;

const probe = 'savepoint:probe';

/**
 * A storage that never fails: it stands on the best rung that takes a write, and steps down, with all that it knows,
 * when one fails at any later time. `degraded` hears of each step. The last rung must be memory.
 */
export function createLadder(
  rungs: readonly Rung[],
  lock: <T>(name: string, task: () => Promise<T>) => Promise<T>,
  degraded: (step: { from: StorageName; to: StorageName }) => void,
): Ladder {
  const known = new Map<string, string>();
  const opened: Promise<StoragePort>[] = [];
  const sought = new Map<string, Promise<void>>();
  let at = 0;
  let standing: Promise<Standing> | null = null;

  const rungAt = (rung: number): Rung => rungs[rung] as Rung;

  function storageOf(rung: number): Promise<StoragePort> {
    opened[rung] ??= within(() => rungAt(rung).open());
    return opened[rung];
  }

  function current(): Promise<Standing> {
    standing ??= open(0).catch(() => stepDown(0));
    return standing;
  }

  async function open(rung: number): Promise<Standing> {
    const storage = await storageOf(rung);
    try {
      await within(() => storage.setItem(probe, ''));
      await within(() => storage.removeItem(probe));
      for (const [key, value] of known) await within(() => storage.setItem(key, value));
    } catch (error) {
      await forget(storage);
      throw error;
    }
    return { rung, storage };
  }

  async function stepDown(failed: number, left?: StoragePort): Promise<Standing> {
    if (at === failed) {
      standing = (async () => {
        for (;;) {
          at += 1;
          const next = await ignoreFailure(() => open(at));
          if (next !== undefined) return next;
        }
      })();
      const { rung } = await standing;
      if (left !== undefined) await forget(left);
      degraded({ from: rungAt(failed).name, to: rungAt(rung).name });
    }
    return current();
  }

  /** Removes what a storage that is left behind holds: the next start would take it for the newest. */
  async function forget(storage: StoragePort): Promise<void> {
    for (const key of known.keys()) await ignoreFailure(() => within(() => storage.removeItem(key)));
  }

  async function attempt<T>(task: (storage: StoragePort) => T | Promise<T>): Promise<{ result: T } | undefined> {
    const { rung, storage } = await current();
    try {
      return { result: await within(() => task(storage)) };
    } catch {
      await stepDown(rung, storage);
      return undefined;
    }
  }

  /**
   * An earlier run may have stood on another rung: what it left is brought to this one. What stands lower is the
   * newer, for only a rung that failed is left, and one that fails may not even take its old value off.
   */
  function seek(key: string): Promise<void> {
    const seeking = sought.get(key) ?? bring(key);
    sought.set(key, seeking);
    return seeking;
  }

  async function bring(key: string): Promise<void> {
    const { rung: here } = await current();
    const holders: { rung: number; storage: StoragePort; value: string }[] = [];
    for (let rung = rungs.length - 2; rung >= 0; rung -= 1) {
      await ignoreFailure(async () => {
        const storage = await storageOf(rung);
        const value = await within(() => storage.getItem(key));
        if (typeof value === 'string') holders.push({ rung, storage, value });
      });
    }
    const [newest] = holders;
    if (newest === undefined || (newest.rung === here && holders.length === 1)) return;
    if (newest.rung !== here) await swap(key, holders.find(({ rung }) => rung === here)?.value ?? '', newest.value);
    for (const { rung, storage } of holders) if (rung !== here) await ignoreFailure(() => storage.removeItem(key));
  }

  async function swap(key: string, from: string, to: string): Promise<string | null> {
    for (;;) {
      const done = await attempt((storage) => swapOn(storage, key, from, to));
      if (done === undefined) continue;
      known.set(key, done.result ?? to);
      return done.result;
    }
  }

  function swapOn(storage: StoragePort, key: string, from: string, to: string): string | null | Promise<string | null> {
    if (storage.swap !== undefined) return storage.swap(key, from, to);
    const replace = (found: string | null | undefined): string | null | Promise<null> => {
      if ((found ?? '') !== from) return found ?? '';
      // A storage may read at once and write later.
      const writing = storage.setItem(key, to);
      return writing instanceof Promise ? writing.then(() => null) : null;
    };
    const found = storage.getItem(key);
    // A storage that answers later needs a lock, so that no other tab writes between the reading and the writing.
    return found instanceof Promise ? lock(key, async () => replace(await storage.getItem(key))) : replace(found);
  }

  return {
    getItem: async (key) => {
      await seek(key);
      const found = (await attempt((storage) => storage.getItem(key)))?.result;
      if (typeof found === 'string') known.set(key, found);
      return found ?? known.get(key) ?? null;
    },
    setItem: async (key, value) => {
      // It is remembered first: where the storage fails, the next one is given all that is remembered.
      known.set(key, value);
      await attempt((storage) => storage.setItem(key, value));
    },
    swap: async (key, from, to) => {
      await seek(key);
      return swap(key, from, to);
    },
  };
}

function within<T>(task: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = startTimer(answerMs, () => reject(new Error('no answer')));
    (async () => task())().then(resolve, reject).finally(stop);
  });
}

async function ignoreFailure<T>(task: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await task();
  } catch {
    return undefined;
  }
}
