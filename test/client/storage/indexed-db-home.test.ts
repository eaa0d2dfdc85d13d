import 'fake-indexeddb/auto';
import { IDBFactory, IDBOpenDBRequest } from 'fake-indexeddb';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createIndexedDbHome } from '../../../src/client/storage/indexed-db-home.js';
import { holdTime, pass, until } from '../world.js';

const add = (text: string | null): string => String(Number(text ?? 0) + 1);
const same = (text: string | null): string | null => text;

type Readers = Record<'getAll' | 'getAllRecords', (this: IDBObjectStore, wanted: unknown) => IDBRequest>;

/** Makes this browser one that is older than `getAllRecords`, until the end of the test. */
function takeAwayRecords(): void {
  const prototype = IDBObjectStore.prototype as unknown as { getAllRecords: unknown };
  const { getAllRecords } = prototype;
  prototype.getAllRecords = undefined;
  onTestFinished(() => {
    prototype.getAllRecords = getAllRecords;
  });
}

/** Opens the database as devtools do, beside the homes. */
function openBeside(factory: IDBFactory): Promise<IDBDatabase> {
  return new Promise((resolve) => {
    const request = factory.open('savepoint', 1);
    request.onsuccess = () => resolve(request.result as unknown as IDBDatabase);
  });
}

function deleteBeside(factory: IDBFactory): Promise<void> {
  return new Promise((resolve) => {
    factory.deleteDatabase('savepoint').onsuccess = () => resolve();
  });
}

/** The connections that are opened from now on, as the browser sees them. */
function collectDatabases(factory: IDBFactory): IDBDatabase[] {
  const databases: IDBDatabase[] = [];
  const begin = factory.open.bind(factory);
  vi.spyOn(factory, 'open').mockImplementation((...wanted) => {
    const request = begin(...wanted);
    request.addEventListener('success', () => databases.push(request.result as unknown as IDBDatabase));
    return request;
  });
  return databases;
}

describe('the home in IndexedDB, where the browser fails', () => {
  let factory: IDBFactory;
  const open = () => createIndexedDbHome(() => factory as unknown as globalThis.IDBFactory);
  beforeEach(() => {
    factory = new IDBFactory();
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('takes one transaction for what is asked for in one task', async () => {
    const transactions = vi.spyOn(IDBDatabase.prototype, 'transaction');
    const home = open();
    await home.readAll('k');
    transactions.mockClear();
    await Promise.all(Array.from({ length: 50 }, (_, n) => home.update(`k${n % 10}`, add)));
    expect(transactions).toHaveBeenCalledTimes(1);
    expect(await open().readAll('k')).toEqual(new Map(Array.from({ length: 10 }, (_, n) => [`k${n}`, '5'])));
  });

  it('waits for the disk only where that is asked for', async () => {
    const transactions = vi.spyOn(IDBDatabase.prototype, 'transaction');
    const home = open();
    await home.update('a', add);
    await home.update('a', add, { strict: true });
    const durabilities = transactions.mock.calls.map(([, , options]) => options?.durability);
    // The first one makes the database.
    expect(durabilities).toEqual([undefined, 'relaxed', 'strict']);
  });

  it('gives what it reads before the transaction has ended, and what it writes after that', async () => {
    const home = open();
    await home.update('a', add);
    const order: string[] = [];
    const begin = IDBDatabase.prototype.transaction;
    vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (this: IDBDatabase, ...wanted) {
      const transaction = begin.apply(this, wanted);
      transaction.addEventListener('complete', () => order.push(`${transaction.mode} ended`));
      return transaction;
    });
    await home.update('a', add);
    order.push('written');
    await home.readAll('a');
    order.push('read');
    await vi.waitUntil(() => order.length === 4);
    expect(order).toEqual(['readwrite ended', 'written', 'read', 'readonly ended']);
  });

  it.each([
    ['at once', 'getAllRecords'],
    ['of a browser that gives keys and values apart', 'getAll'],
  ] as const)('fails a reading %s whose transaction the browser ends', async (_, method) => {
    if (method === 'getAll') takeAwayRecords();
    const home = open();
    await home.update('a', add);
    await home.update('b', add);
    expect(await home.readAll('')).toEqual(new Map(Object.entries({ a: '1', b: '1' })));
    const prototype = IDBObjectStore.prototype as unknown as Readers;
    const read = prototype[method];
    vi.spyOn(prototype, method).mockImplementationOnce(function (this: IDBObjectStore, wanted) {
      const request = read.call(this, wanted);
      this.transaction.abort();
      return request;
    });
    await expect(home.readAll('a')).rejects.toThrow();
    expect(await home.readAll('a')).toEqual(new Map([['a', '1']]));
  });

  it('fails the one update that the disk has no room for, and stores the others', async () => {
    const put = IDBObjectStore.prototype.put;
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, text, key) {
      const request = put.call(this, text, key);
      // A full disk shows after the request, as an end of the transaction.
      if (key === 'large') queueMicrotask(() => this.transaction.abort());
      return request;
    });
    const home = open();
    const outcomes = await Promise.allSettled(['a', 'large', 'b'].map((key) => home.update(key, add)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([...(await open().readAll('')).keys()]).toEqual(['a', 'b']);
  });

  it('rejects where the browser denies it, and works once it does not', async () => {
    const denied = vi.spyOn(factory, 'open').mockImplementation(() => {
      throw new DOMException('denied', 'SecurityError');
    });
    const home = open();
    await expect(home.update('a', add)).rejects.toThrow('denied');
    await expect(home.readAll('a')).rejects.toThrow('denied');
    denied.mockRestore();
    expect(await home.update('a', add)).toBe('1');
  });

  it('gives up an opening that gets no answer, and takes the next one', async () => {
    holdTime();
    vi.spyOn(factory, 'open').mockImplementationOnce(() => new IDBOpenDBRequest() as never);
    const home = open();
    const first = home.update('a', add).catch(String);
    await pass(5_000);
    expect(await first).toContain('has not answered within 5000 ms');
    expect(await home.update('a', add)).toBe('1');
  });

  it('closes a connection that opens after it was given up, so that it blocks nobody', async () => {
    const beside = await openBeside(factory);
    factory.deleteDatabase('savepoint');
    holdTime();
    const home = open();
    const first = home.update('a', add).catch(() => 'failed');
    await pass(5_000);
    expect(await first).toBe('failed');
    const close = vi.spyOn(IDBDatabase.prototype, 'close');
    beside.close();
    await until(() => close.mock.calls.length === 2);
    expect(await home.update('a', add)).toBe('1');
  });

  it('ends a transaction that never ends, so that it cannot write over what comes later', async () => {
    const home = open();
    await home.update('a', () => 'before');
    holdTime();
    // The answer to the reading gets lost.
    const get = vi.spyOn(IDBObjectStore.prototype, 'get').mockImplementationOnce(function (this: IDBObjectStore) {
      const keepOpen = (): void => {
        if (this.transaction.error === null) this.count().onsuccess = keepOpen;
      };
      try {
        keepOpen();
      } catch {
        // The transaction was ended.
      }
      return new IDBOpenDBRequest() as never;
    });
    const stuck = home.update('a', () => 'older').catch(String);
    await until(() => get.mock.calls.length === 1);
    await pass(20_000);
    expect(await stuck).toContain('has not answered within 20000 ms');
    expect(await home.update('a', () => 'newer')).toBe('newer');
    expect(await home.update('a', same)).toBe('newer');
  });

  it('opens again after the connection was ended, or the database was made newer', async () => {
    const databases = collectDatabases(factory);
    const home = open();
    await home.update('a', add);
    databases[0]?.close();
    databases[0]?.onclose?.(new Event('close'));
    expect(await home.update('a', add)).toBe('2');
    databases[1]?.onversionchange?.({ newVersion: 2 } as IDBVersionChangeEvent);
    expect(await home.update('a', add)).toBe('3');
  });

  it('tries again on another connection where the present one was closed without a word', async () => {
    const databases = collectDatabases(factory);
    const home = open();
    await home.update('a', add);
    databases[0]?.close();
    await expect(home.update('a', add)).rejects.toThrow();
    expect(await home.update('a', add)).toBe('2');
  });

  it('puts what it knows into a database that is made anew after it was deleted, without being asked', async () => {
    const other = open();
    await other.update('a', () => 'read');
    await other.update('gone', () => 'gone');
    const home = open();
    await home.readAll('');
    await home.update('b', () => 'written');
    await home.update('gone', () => null);
    other.close?.();
    await deleteBeside(factory);
    await until(() => (factory as unknown as { _databases: Map<string, unknown> })._databases.size === 1);
    const beside = await openBeside(factory);
    const found = await new Promise((resolve) => {
      const request = beside.transaction('values').objectStore('values').getAll();
      request.onsuccess = () => resolve(request.result);
    });
    expect(found).toEqual(['read', 'written']);
  });

  it('does not open a database again that is deleted after it was closed', async () => {
    const home = open();
    await home.update('a', add);
    home.close?.();
    await deleteBeside(factory);
    expect(await factory.databases()).toEqual([]);
  });
});
