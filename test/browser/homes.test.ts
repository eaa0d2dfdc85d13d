import { afterEach, describe } from 'vitest';
import { type Lock, withLock } from '../../src/client/platform/locks.js';
import type { RawHome } from '../../src/client/storage/home.js';
import { createIndexedDbHome } from '../../src/client/storage/indexed-db-home.js';
import { createWebStorageHome } from '../../src/client/storage/web-storage-home.js';
import { describeHome } from '../client/storage/home-contract.js';

describe('in a browser', () => {
  const open: RawHome[] = [];

  afterEach(async () => {
    localStorage.clear();
    // One that is open would put back what it knows.
    for (const home of open.splice(0)) home.close?.();
    await new Promise<void>((resolve) => {
      indexedDB.deleteDatabase('savepoint').onsuccess = () => resolve();
    });
  });

  describeHome('the home in IndexedDB', () => () => {
    const home = createIndexedDbHome(() => indexedDB);
    open.push(home);
    return home;
  });

  let devices = 0;

  describeHome('the home in localStorage', () => {
    devices += 1;
    const lock = locksOf(`device ${devices}, `);
    return () => createWebStorageHome(localStorage, lock);
  });
});

/**
 * The browser's locks, under names that begin with the device's. Tabs tell each other by locks that they hold for 5 s what they
 * have written: a test would wait for what the one before it wrote, which has been deleted since.
 */
function locksOf(device: string): Lock {
  const lock: Lock = (name, task, options) => withLock(`${device}${name}`, task, options);
  lock.held = async () => {
    const held = (await withLock.held?.()) ?? [];
    return held.filter((name) => name.startsWith(device)).map((name) => name.slice(device.length));
  };
  return lock;
}
