import { afterEach, describe } from 'vitest';
import { withLock } from '../../src/client/platform/locks.js';
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

  describeHome('the home in localStorage', () => () => createWebStorageHome(localStorage, withLock));
});
