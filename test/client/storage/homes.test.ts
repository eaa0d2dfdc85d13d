import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import type { StoragePort } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Lock } from '../../../src/client/platform/locks.js';
import { createCustomHome } from '../../../src/client/storage/custom-home.js';
import { createIndexedDbHome } from '../../../src/client/storage/indexed-db-home.js';
import { createMemoryHome } from '../../../src/client/storage/memory-home.js';
import { createWebStorageHome } from '../../../src/client/storage/web-storage-home.js';
import { createTabStorages, type TabStorage } from '../profile/tab-storages.js';
import { createMemoryStorage } from '../world.js';
import { describeHome } from './home-contract.js';
import { createWebStorage } from './web-storage.js';

/** The lock that the tabs of one device share. */
function createLock(): Lock {
  const last = new Map<string, Promise<unknown>>();
  const held = new Set<string>();
  const lock: Lock = (name, task) => {
    const run = () => {
      held.add(name);
      return task().finally(() => held.delete(name));
    };
    const mine = (last.get(name) ?? Promise.resolve()).then(run, run);
    last.set(name, mine);
    return mine;
  };
  lock.held = async () => [...held];
  return lock;
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

describe('tabs that hear late what others have written to localStorage', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function openTabs() {
    const storages = createTabStorages();
    const lock = createLock();
    return [0, 1].map(() => {
      const storage = storages.open();
      const home = createWebStorageHome(storage as unknown as Storage, lock);
      const add = (letter: string) => home.update('key', (text) => (text ?? '') + letter);
      /** A tab that is frozen keeps what it says up. */
      const sayForEver = (sign: string) => void lock(sign, () => new Promise(() => {}));
      return { storage, add, sayForEver };
    }) as [Tab, Tab];
  }
  type Tab = { storage: TabStorage; add(letter: string): Promise<string | null>; sayForEver(sign: string): void };

  /** What it has settled with; undefined until then. */
  function watch<T>(promise: Promise<T>): () => T | undefined {
    let result: T | undefined;
    void promise.then((value) => {
      result = value;
    });
    return () => result;
  }

  it('wait with their own until they have heard, and write on top of it', async () => {
    const [one, other] = openTabs();
    expect(await one.add('a')).toBe('a');
    expect(await one.add('b')).toBe('ab');
    const added = watch(other.add('c'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect([added(), other.storage.getItem('key')]).toEqual([undefined, null]);
    other.storage.hear();
    await vi.advanceTimersByTimeAsync(10);
    expect(added()).toBe('abc');
    const back = watch(one.add('d'));
    await vi.advanceTimersByTimeAsync(20);
    one.storage.hear();
    await vi.advanceTimersByTimeAsync(10);
    expect(back()).toBe('abcd');
  });

  it('hold up nobody who reads it, and no other text', async () => {
    const [one, other] = openTabs();
    await one.add('a');
    other.storage.hear();
    expect(await other.add('b')).toBe('ab');
  });

  it('wait no longer than some seconds for what a frozen tab says and somebody else has taken away', async () => {
    const [one, other] = openTabs();
    one.sayForEver('key is 7 1-1');
    const added = watch(other.add('b'));
    await vi.advanceTimersByTimeAsync(4_000);
    expect(added()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1_100);
    expect(added()).toBe('b');
  });
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
