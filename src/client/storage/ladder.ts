import { startTimer } from '../runtime.js';
import type { Rung, StorageName, StoragePort } from './storage-port.js';

export interface Ladder {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<void>;
}

interface Standing {
  rung: number;
  storage: StoragePort;
}

/** A storage that does not answer is as good as one that fails. */
const answerMs = 5_000;

/**
 * A storage for these keys that never fails: it stands on the best rung that takes a write, and steps down, with all that it
 * knows, when one fails at any later time. `degraded` hears of each step. The last rung must be memory.
 */
export function createLadder(
  rungs: readonly Rung[],
  keys: readonly string[],
  degraded: (step: { from: StorageName; to: StorageName }) => void,
): Ladder {
  const known = new Map<string, string>();
  let at = 0;
  let standing: Promise<Standing> | null = null;

  const nameOf = (rung: number): StorageName => (rungs[rung] as Rung).name;

  function current(): Promise<Standing> {
    standing ??= open(0).catch(() => stepDown(0));
    return standing;
  }

  async function open(rung: number): Promise<Standing> {
    const storage = await within(() => (rungs[rung] as Rung).open());
    // A storage that is full can still be read: what it holds must not be lost.
    for (const key of keys) {
      const value = known.has(key) ? null : await within(() => storage.getItem(key));
      if (typeof value === 'string') known.set(key, value);
    }
    try {
      const probe = `${keys[0]}:probe`;
      await within(() => storage.setItem(probe, ''));
      await within(() => storage.removeItem(probe));
      if (rung > 0) for (const [key, value] of known) await within(() => storage.setItem(key, value));
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
          const opened = await ignoreFailure(() => open(at));
          if (opened !== undefined) return opened;
        }
      })();
      const { rung } = await standing;
      if (left !== undefined) await forget(left);
      degraded({ from: nameOf(failed), to: nameOf(rung) });
    }
    return current();
  }

  /** What stays behind would be taken for the newest after a restart; a full storage can still remove. */
  async function forget(storage: StoragePort): Promise<void> {
    for (const key of keys) if (known.has(key)) await ignoreFailure(() => within(() => storage.removeItem(key)));
  }

  async function attempt<T>(task: (storage: StoragePort) => T | Promise<T>): Promise<T | undefined> {
    const { rung, storage } = await current();
    try {
      return await within(() => task(storage));
    } catch {
      await stepDown(rung, storage);
      return undefined;
    }
  }

  /** An earlier run may have stepped down: what it left on a lower rung is brought back up. */
  async function findBelow(key: string): Promise<string | null> {
    for (const rung of rungs.slice(at + 1, -1)) {
      const found = await ignoreFailure(async () => {
        const storage = await within(() => rung.open());
        const value = await within(() => storage.getItem(key));
        if (typeof value === 'string') await within(() => storage.removeItem(key));
        return value;
      });
      if (typeof found === 'string') return found;
    }
    return null;
  }

  const ladder: Ladder = {
    getItem: async (key) => {
      const found = await attempt((storage) => storage.getItem(key));
      const value = typeof found === 'string' ? found : known.get(key);
      if (value !== undefined) {
        known.set(key, value);
        return value;
      }
      const below = await findBelow(key);
      if (below !== null) await ladder.setItem(key, below);
      return below;
    },
    setItem: async (key, value) => {
      // Known first: stepping down writes what is known.
      known.set(key, value);
      await attempt((storage) => storage.setItem(key, value));
    },
  };
  return ladder;
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
