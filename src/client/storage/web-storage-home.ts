import type { RawHome } from './home.js';

/**
 * Makes a home of localStorage, which answers at once: between the reading and the writing of a text no other tab of
 * this process can write.
 */
export function createWebStorageHome(storage: Storage): RawHome {
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
    update: async (key, change) => {
      const text = storage.getItem(key);
      const next = change(text);
      if (next === null) storage.removeItem(key);
      else if (next !== text) storage.setItem(key, next);
      return next;
    },
  };
}
