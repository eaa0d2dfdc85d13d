import { startTimer } from '../../http/timers.js';
import type { Lock } from '../platform/locks.js';
import type { Change, RawHome } from './home.js';
import type { StoragePort } from './storage-port.js';

/**
 * How long a tab keeps the lock of a text that it has written. The tabs of a browser are processes of their own, and each
 * reads what another has written only some milliseconds later; on a busy machine, where WebKit's storage is a process,
 * too, more than 100 ms. A tab that got its turn before would write over what it has not read.
 */
const hearingMs = 250;

/** Makes a home of localStorage, whose tabs take turns at each text. */
export function createWebStorageHome(storage: Storage, lock: Lock): RawHome {
  return {
    readAll: async (prefix) => {
      const texts = new Map<string, string>();
      for (let index = 0; index < storage.length; index += 1) {
        const key = storage.key(index);
        const text = key?.startsWith(prefix) ? storage.getItem(key) : null;
        if (key !== null && text !== null) texts.set(key, text);
      }
      return texts;
    },
    update: (key, change) => updateWebStorage(storage, lock, key, change),
  };
}

/** Changes a text of localStorage, as the only tab that does. */
export function updateWebStorage(storage: Storage, lock: Lock, key: string, change: Change): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const turn = async (): Promise<void> => {
      const text = storage.getItem(key);
      const next = change(text);
      if (next === null) storage.removeItem(key);
      else if (next !== text) storage.setItem(key, next);
      resolve(next);
      if (next !== text) await new Promise<void>((end) => startTimer(hearingMs, end));
    };
    lock(key, turn, { isNeeded: true }).catch(reject);
  });
}

/** Whether it is localStorage, or one like it: it can name its keys. */
export function isWebStorage(storage: StoragePort): storage is Storage {
  return typeof (storage as Partial<Storage>).key === 'function';
}
