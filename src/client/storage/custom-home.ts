import type { Lock } from '../platform/locks.js';
import type { Change, RawHome } from './home.js';
import { entriesPrefixOf } from './home-keys.js';
import type { StoragePort } from './storage-port.js';
import { isWebStorage, updateWebStorage } from './web-storage-home.js';

/**
 * Makes a home of the storage that a game passed in. Such a storage cannot list its keys. So each account has a list of
 * its entries' keys, stored under the prefix that they share. A key is listed before its first text is written, and
 * stays listed: another tab may write it again at any moment.
 */
export function createCustomHome(storage: StoragePort, lock: Lock): RawHome {
  /** The keys that this page knows to be listed. */
  const listed = new Set<string>();
  const textOf = (stored: string | null | undefined): string | null => stored || null;

  async function updateText(key: string, change: Change): Promise<string | null> {
    if (storage.swap !== undefined) return swapText(key, change);
    if (isWebStorage(storage)) return updateWebStorage(storage, lock, key, change);
    const stored = storage.getItem(key);
    // A storage that answers at once is changed at once: nobody can write in between.
    if (!isPromise(stored)) return write(key, textOf(stored), change);
    // It is read again under the lock.
    stored.then(undefined, () => {});
    // However long another tab takes: without the lock its text could land on a newer one.
    return lock(key, async () => write(key, textOf(await storage.getItem(key)), change), { isNeeded: true });
  }

  /** Reads and writes without a pause, as far as the storage does; gives a promise only where the storage does. */
  function write(key: string, text: string | null, change: Change): string | null | Promise<string | null> {
    const next = change(text);
    if (next === text) return text;
    const writing = next === null ? storage.removeItem(key) : storage.setItem(key, next);
    return isPromise(writing) ? writing.then(() => next) : next;
  }

  async function swapText(key: string, change: Change): Promise<string | null> {
    let text = textOf(await storage.getItem(key));
    for (;;) {
      const next = change(text);
      if (next === text) return text;
      const other = await storage.swap?.(key, text ?? '', next ?? '');
      if (other === null) return next;
      text = textOf(other);
    }
  }

  async function read(key: string): Promise<[string, string][]> {
    const text = textOf(await storage.getItem(key));
    return text === null ? [] : [[key, text]];
  }

  async function listKey(key: string, list: string): Promise<void> {
    await updateText(list, (names) => addName(names, key.slice(list.length)));
    listed.add(key);
  }

  return {
    readAll: async (prefix) => {
      const list = entriesPrefixOf(prefix);
      const names = list === null ? [] : namesIn(textOf(await storage.getItem(list)));
      const keys = list === null ? [prefix] : names.map((name) => list + name);
      for (const key of list === null ? [] : keys) listed.add(key);
      const found = await Promise.all(keys.filter((key) => key.startsWith(prefix)).map(read));
      return new Map(found.flat());
    },
    update: async (key, change) => {
      const list = entriesPrefixOf(key);
      if (list === null) return updateText(key, change);
      if (listed.has(key)) {
        let isMissing = false;
        const text = await updateText(key, (stored) => {
          isMissing = stored === null;
          return isMissing ? null : change(stored);
        });
        if (!isMissing) return text;
        // The text was removed. Somebody may have cleared the whole storage, and the list with it.
      }
      await listKey(key, list);
      return updateText(key, change);
    },
  };
}

/** The names in a list; none where it is damaged. */
function namesIn(list: string | null): string[] {
  try {
    return (JSON.parse(list ?? '[]') as unknown[]).filter((name) => typeof name === 'string');
  } catch {
    return [];
  }
}

function addName(list: string | null, name: string): string | null {
  const names = namesIn(list);
  return names.includes(name) ? list : JSON.stringify([...names, name]);
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
