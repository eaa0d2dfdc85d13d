import type { DeviceStorage } from './device-storage.js';

/**
 * Remembers under which name an account was opened here: the service tells who plays, the name is only what the
 * player typed. Where nothing can be stored, it is forgotten with the page.
 */
export function createNameTags(storage: DeviceStorage): {
  get(userId: string): string | null;
  set(userId: string, name: string): void;
} {
  const here = new Map<string, string>();
  const keyOf = (userId: string): string => `magpie:name:${userId}`;
  return {
    get(userId) {
      try {
        return here.get(userId) ?? storage.getItem(keyOf(userId));
      } catch {
        return null;
      }
    },
    set(userId, name) {
      here.set(userId, name);
      try {
        storage.setItem(keyOf(userId), name);
      } catch {
        // Full or forbidden: the page still knows it.
      }
    },
  };
}
