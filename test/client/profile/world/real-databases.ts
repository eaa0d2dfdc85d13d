import type { DatabaseMaker, Databases } from './databases.js';
import type { Page } from './device.js';
import { waitFor } from './engine.js';
import { freshUuid } from './randomness.js';
import type { Shelf } from './storages.js';
import type { Turns } from './turns.js';

/** A database of a later version than anybody knows: it refuses whoever wants to open it. */
const refusing = 'world refusing';

type Change = readonly [key: IDBValidKey | undefined, text: string | null];

/** Who hears of the transactions of a connection, and of what is put or deleted in one. */
const begins = new WeakMap<IDBDatabase, (transaction: IDBTransaction) => void>();
const changes = new WeakMap<IDBTransaction, (change: Change) => void>();

/**
 * A device's databases in the IndexedDB of the browser that the test runs in: its transactions commit when this engine
 * lets them. They fail, are full, die with their page and lose their connection; they never stall, and all that a page
 * has begun in a turn ends in it.
 */
function createRealDatabases(shelf: Shelf, turns: Turns): Databases {
  const name = `world ${freshUuid()}`;
  /** What is committed. */
  const stored = new Map<string, string>();
  const connections = new Map<Page, IDBDatabase[]>();
  const running = new Map<IDBTransaction, Page>();

  function follow(page: Page, transaction: IDBTransaction): void {
    const made: Change[] = [];
    let isPutting = false;
    running.set(transaction, page);
    waitFor(
      new Promise<void>((resolve) => {
        transaction.addEventListener('complete', () => {
          for (const [key, text] of made) {
            if (text === null) stored.delete(String(key));
            else stored.set(String(key), text);
          }
          resolve();
        });
        transaction.addEventListener('abort', () => resolve());
      }).then(() => running.delete(transaction)),
    );
    changes.set(transaction, (change) => {
      made.push(change);
      // What is full can still be emptied.
      if (isPutting || change[1] === null) return;
      isPutting = true;
      queueMicrotask(() => put(page, transaction));
    });
    if (shelf.condition === 'fails' || !page.isAlive) queueMicrotask(() => fail(transaction, 'UnknownError'));
  }

  /** A transaction has put something: whether that is kept is decided now. */
  function put(page: Page, transaction: IDBTransaction): void {
    if (shelf.condition === 'full') {
      fail(transaction, 'QuotaExceededError');
    } else if (shelf.fails()) {
      fail(transaction, 'UnknownError');
    } else if (page.fuse !== null) {
      page.fuse.operations -= 1;
      if (page.fuse.operations <= 0) page.kill(page.fuse);
    }
  }

  function end(page: Page, isLastDone: boolean): IDBDatabase[] {
    for (const [transaction, by] of running) if (by === page && !isLastDone) fail(transaction, 'AbortError');
    const ended = connections.get(page) ?? [];
    for (const connection of ended) connection.close();
    connections.delete(page);
    return ended;
  }

  return {
    of: (page) => {
      const open = (_: string, version?: number): IDBOpenDBRequest => {
        const isRefused = shelf.isBlocked || shelf.condition === 'fails' || !page.isAlive;
        const request = indexedDB.open(isRefused ? refusing : name, version);
        waitFor(endOf(request));
        request.addEventListener('upgradeneeded', () => follow(page, request.transaction as IDBTransaction));
        request.addEventListener('success', () => {
          const connection = request.result;
          if (!page.isAlive) return connection.close();
          begins.set(connection, (transaction) => follow(page, transaction));
          connections.set(page, [...(connections.get(page) ?? []), connection]);
        });
        return request;
      };
      return { open } as IDBFactory;
    },
    entries: () => [...stored],
    disconnect: (page) => {
      for (const connection of end(page, false)) {
        turns.later(() => connection.dispatchEvent(new Event('close')), page);
      }
    },
    leave: (page, isLastDone) => void end(page, isLastDone),
    remove: async () => {
      for (const page of connections.keys()) end(page, false);
      await endOf(indexedDB.deleteDatabase(name));
    },
  };
}

/** Aborts a transaction; it says why, as one that the browser has aborted does. */
function fail(transaction: IDBTransaction, name: string): void {
  try {
    transaction.abort();
    Object.defineProperty(transaction, 'error', { value: new DOMException('The transaction failed.', name) });
  } catch {
    // It has ended, or is being committed.
  }
}

/** Settles when a request has been answered, one way or the other. */
function endOf(request: IDBRequest): Promise<void> {
  return new Promise((resolve) => {
    for (const type of ['success', 'error']) request.addEventListener(type, () => resolve());
  });
}

/** Lets the model hear of every transaction, and of all that is put and deleted. */
function holdTransactions(): () => void {
  const { transaction } = IDBDatabase.prototype;
  const { put, delete: remove } = IDBObjectStore.prototype;
  IDBDatabase.prototype.transaction = function begin(...given) {
    const begun = transaction.apply(this, given);
    begins.get(this)?.(begun);
    return begun;
  };
  IDBObjectStore.prototype.put = function note(value: unknown, key?: IDBValidKey) {
    const request = put.call(this, value, key);
    changes.get(this.transaction)?.([key, String(value)]);
    return request;
  };
  IDBObjectStore.prototype.delete = function note(key: IDBValidKey) {
    const request = remove.call(this, key);
    changes.get(this.transaction)?.([key, null]);
    return request;
  };
  return () => {
    IDBDatabase.prototype.transaction = transaction;
    Object.assign(IDBObjectStore.prototype, { put, delete: remove });
  };
}

/** Databases in the browser's own IndexedDB. */
export const realDatabases: DatabaseMaker = {
  create: createRealDatabases,
  hold: async () => {
    const opening = indexedDB.open(refusing, 2);
    await endOf(opening);
    opening.result.close();
    return holdTransactions();
  },
};
