import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import type { StoragePort } from 'savepoint';
import type { Lock } from '../../../src/client/platform/locks.js';
import { createCustomHome } from '../../../src/client/storage/custom-home.js';
import { createIndexedDbHome } from '../../../src/client/storage/indexed-db-home.js';
import { createMemoryHome } from '../../../src/client/storage/memory-home.js';
import { createWebStorageHome } from '../../../src/client/storage/web-storage-home.js';
import { createMemoryStorage } from '../world.js';
import { describeHome } from './home-contract.js';
import { createWebStorage } from './web-storage.js';

/** The lock that the tabs of one device share. */
function createLock(): Lock {
  const last = new Map<string, Promise<unknown>>();
  return (name, task) => {
    const mine = (last.get(name) ?? Promise.resolve()).then(task, task);
    last.set(name, mine);
    return mine;
  };
}

const later = <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(() => resolve(value)));

function customDevice(make: (port: ReturnType<typeof createMemoryStorage>) => StoragePort) {
  return () => {
    const storage = make(createMemoryStorage());
    const lock = createLock();
    return () => createCustomHome(storage, lock);
  };
}

describeHome('the home in memory', () => {
  const texts = new Map<string, string>();
  return () => createMemoryHome(texts);
});

describeHome('the home in localStorage', () => {
  const storage = createWebStorage();
  const lock = createLock();
  return () => createWebStorageHome(storage, lock);
});

describeHome('the home in IndexedDB', () => {
  const factory = new IDBFactory();
  return () => createIndexedDbHome(() => factory);
});

describeHome(
  'the home in a storage of the game that answers at once',
  customDevice((port) => port),
);

describeHome('the home in a localStorage that the game has passed in', () => {
  const storage = createWebStorage();
  const lock = createLock();
  return () => createCustomHome(storage, lock);
});

describeHome(
  'the home in a storage of the game that answers later',
  customDevice((port) => ({
    getItem: (key) => later(key).then(port.getItem),
    setItem: (key, text) => later(key).then(() => port.setItem(key, text)),
    removeItem: (key) => later(key).then(port.removeItem),
  })),
);

describeHome(
  'the home in a storage of the game that swaps by itself',
  customDevice((port) => ({
    getItem: (key) => later(key).then(port.getItem),
    setItem: () => Promise.reject(new Error('setItem is not for several processes')),
    removeItem: () => Promise.reject(new Error('removeItem is not for several processes')),
    swap: async (key, from, to) => {
      await later(key);
      const stored = port.values.get(key) ?? '';
      if (stored !== from) return stored;
      port.values.set(key, to);
      return null;
    },
  })),
);
