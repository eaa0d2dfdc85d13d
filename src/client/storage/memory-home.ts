import type { RawHome } from './home.js';

/** Makes a home that ends with the page, or with the process. */
export function createMemoryHome(texts = new Map<string, string>()): RawHome {
  return {
    readAll: async (prefix) => new Map([...texts].filter(([key]) => key.startsWith(prefix))),
    update: async (key, change) => {
      const next = change(texts.get(key) ?? null);
      if (next === null) texts.delete(key);
      else texts.set(key, next);
      return next;
    },
  };
}
