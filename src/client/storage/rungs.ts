import { openIndexedDb } from './indexed-db.js';
import type { Rung, StoragePort } from './storage-port.js';

/**
 * The storages that this platform has, the preferred one first. Only memory stands behind a storage that the game
 * passed in: localStorage could belong to another of the game's players.
 */
export function rungsFor(custom: StoragePort | undefined, prefers: 'localStorage' | 'indexedDB'): readonly Rung[] {
  const memory: Rung = { name: 'memory', open: createMemory };
  if (custom !== undefined) return [{ name: 'custom', open: () => custom }, memory];
  // Node, Deno and Bun have no document, and a localStorage that does not last. A worker has IndexedDB only.
  const rungs: Rung[] = typeof document === 'undefined' ? [] : [{ name: 'localStorage', open: () => localStorage }];
  if (typeof indexedDB !== 'undefined') rungs.push({ name: 'indexedDB', open: openIndexedDb });
  return [...(prefers === 'indexedDB' ? rungs.reverse() : rungs), memory];
}

function createMemory(): StoragePort {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key),
    setItem: (key, value) => values.set(key, value),
    removeItem: (key) => values.delete(key),
  };
}
