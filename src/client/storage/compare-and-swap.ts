import type { StoragePort } from './storage-port.js';

/** Runs a task while no other tab runs one under the same name. */
export type Lock = <T>(name: string, task: () => Promise<T>) => Promise<T>;

/** What to store, and what must be stored before. */
export interface Swap {
  key: string;
  /** '' stands for nothing. */
  from: string;
  to: string;
}

/**
 * Stores `to` where what is stored is still `from`, in one step for all tabs, and gives null; or else gives what is
 * stored instead. Where the storage answers at once, so does this: no other tab can write in between.
 */
export function compareAndSwap(
  storage: StoragePort,
  lock: Lock,
  { key, from, to }: Swap,
): string | null | Promise<string | null> {
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
