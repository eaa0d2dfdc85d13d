import {
  IDBDatabase,
  IDBFactory,
  IDBKeyRange,
  IDBObjectStore,
  IDBTransaction,
  IDBVersionChangeEvent,
} from 'fake-indexeddb';
import type { DatabaseMaker, Databases } from './databases.js';
import type { Page } from './device.js';
import { asTask } from './engine.js';
import type { Shelf } from './storages.js';
import type { Turns } from './turns.js';

/** What of the library's insides the model has to reach. */
interface Inside {
  _databases: Map<
    string,
    { rawObjectStores: Map<string, { records: { values(): Iterable<{ key: unknown; value: unknown }> } }> }
  >;
}
interface Transaction {
  _started: boolean;
  _state: string;
  _requests: { request: object }[];
  oncomplete: unknown;
  db: Connection;
  _start(): void;
  _abort(name: string): void;
}
interface Connection {
  _closePending: boolean;
  _closed: boolean;
  _rawDatabase: { transactions: Transaction[]; connections: Connection[] };
  dispatchEvent(event: object): void;
  close(): void;
}

interface Owner {
  page: Page;
  shelf: Shelf;
  turns: Turns;
}

const owners = new WeakMap<object, Owner>();
const prototype = IDBTransaction.prototype as unknown as Transaction;
const startTransaction = prototype._start;

/** The library's own waits, turn by turn, for the transactions of every other connection too. */
(IDBDatabase.prototype as unknown as Connection).close = function close(this: Connection): void {
  Object.assign(this, { _closePending: true, _closed: true });
  this._rawDatabase.connections = this._rawDatabase.connections.filter((other) => other !== this);
};

/** The transactions that put something: what is full can still be read, and emptied. */
const putting = new WeakSet<object>();
/** What was asked to be put: a transaction that has nothing else left to do goes by itself. */
const puts = new WeakSet<object>();
for (const name of ['put', 'add'] as const) {
  const method = IDBObjectStore.prototype[name];
  IDBObjectStore.prototype[name] = function put(this: IDBObjectStore, ...given: Parameters<typeof method>) {
    const request = method.apply(this, given);
    putting.add(this.transaction);
    puts.add(request);
    return request;
  };
}

/** Each step of a transaction is its page's own. */
prototype._start = function start(this: Transaction): void {
  const owner = owners.get(this.db);
  if (owner === undefined || this._state === 'finished' || isGranted(this, owner)) startTransaction.call(this);
};

/** Whether a step may be done now. Else it waits, or the transaction has failed, or the page has died at it. */
function isGranted(transaction: Transaction, { page, shelf, turns }: Owner): boolean {
  const again = (): void => turns.later(() => transaction._start(), page);
  if (page.isAlive && shelf.condition === 'stalls') {
    shelf.wait(again);
    return false;
  }
  turns.enter(page);
  // A write that does not fit shows when the transaction is to be committed.
  const isCommitting = transaction._started && transaction._requests.length === 0 && putting.has(transaction);
  const failure = failureOf(transaction, isCommitting, page, shelf);
  if (failure !== null) {
    fail(transaction, failure);
    return false;
  }
  if (!isCommitting || page.fuse === null) return true;
  page.fuse.operations -= 1;
  if (page.fuse.operations > 0) return true;
  page.kill(page.fuse);
  return false;
}

/** Carries out what is left of a transaction whose page is gone, where nothing of it waits for the page. */
function commit(transaction: Transaction, { condition, failing }: Shelf): void {
  const isWell = condition === 'well' && failing === 0;
  const isAllPut = putting.has(transaction) && transaction._requests.every(({ request }) => puts.has(request));
  if (!isWell || !isAllPut) return;
  // The dead hear of nothing.
  transaction.oncomplete = null;
  while (transaction._state !== 'finished') startTransaction.call(transaction);
}

function failureOf({ _started }: Transaction, isCommitting: boolean, page: Page, shelf: Shelf): string | null {
  if (!page.isAlive) return 'AbortError';
  if (shelf.condition === 'fails' && !_started) return 'UnknownError';
  if (isCommitting && shelf.condition === 'full') return 'QuotaExceededError';
  return isCommitting && shelf.fails() ? 'UnknownError' : null;
}

function fail(transaction: Transaction, name: string): void {
  transaction._started = true;
  transaction._abort(name);
}

function createDatabases(shelf: Shelf, turns: Turns): Databases {
  const factory = new IDBFactory();
  const inside = factory as unknown as Inside;
  /** Says of every database that it has a later version than anybody knows. */
  const closed = new IDBFactory();
  (closed as unknown as { _databases: unknown })._databases = {
    get: () => ({ version: Number.MAX_SAFE_INTEGER }),
    set: () => {},
  };
  const connections = new Map<Page, Connection[]>();

  function end(connection: Connection, isLastDone = false): void {
    const transactions = connection._rawDatabase.transactions.filter(({ db }) => db === connection);
    for (const transaction of transactions) {
      if (isLastDone) commit(transaction, shelf);
      if (transaction._state !== 'finished') fail(transaction, 'AbortError');
    }
    connection.close();
  }

  return {
    of: (page) =>
      new Proxy(factory, {
        get: (_, name) => {
          if (name !== 'open') return (factory as never)[name];
          return (database: string, version?: number) => {
            const request = (shelf.isBlocked || shelf.condition === 'fails' ? closed : factory).open(database, version);
            // Whoever waits for it goes on as this page.
            for (const event of ['upgradeneeded', 'success', 'error']) {
              request.addEventListener(event, () => turns.enter(page));
            }
            // A page may die while it makes its database: that must hold up nobody.
            for (const event of ['upgradeneeded', 'success']) {
              request.addEventListener(event, () => {
                const connection = request.result as unknown as Connection;
                owners.set(connection, { page, shelf, turns });
                connections.set(page, [...new Set([...(connections.get(page) ?? []), connection])]);
                if (!page.isAlive) connection.close();
              });
            }
            return request;
          };
        },
      }),
    entries: () => {
      const entries: [string, string][] = [];
      for (const { rawObjectStores } of inside._databases.values()) {
        for (const { records } of rawObjectStores.values()) {
          for (const { key, value } of records.values())
            entries.push([String(key), typeof value === 'string' ? value : JSON.stringify(value)]);
        }
      }
      return entries;
    },
    disconnect: (page) => {
      for (const connection of connections.get(page) ?? []) {
        end(connection);
        const event = Object.assign(new IDBVersionChangeEvent('close'), { eventPath: [] });
        turns.later(() => connection.dispatchEvent(event), page);
      }
      connections.delete(page);
    },
    leave: (page, isLastDone) => {
      for (const connection of connections.get(page) ?? []) end(connection, isLastDone);
      connections.delete(page);
    },
  };
}

/** The library asks the platform for a task of its own at each step: that is one of a turn, of the page whose code runs. */
function holdImmediates(turns: () => Turns | null): () => void {
  const { setImmediate } = globalThis as { setImmediate?: typeof globalThis.setImmediate };
  const setInTurn = (task: (...given: unknown[]) => void, ...given: unknown[]): unknown => {
    const active = turns();
    if (active === null || active.isServing) return asTask(() => void task(...given));
    const { runner } = active;
    active.later(() => {
      if (runner?.isAlive === true) active.enter(runner);
      return task(...given);
    }, null);
    return {};
  };
  globalThis.setImmediate = Object.assign(setInTurn, setImmediate) as never;
  return () => {
    if (setImmediate === undefined) delete (globalThis as { setImmediate?: unknown }).setImmediate;
    else globalThis.setImmediate = setImmediate;
  };
}

/** The ranges that the client asks for are the library's, too. */
function holdKeyRange(): () => void {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'IDBKeyRange');
  Object.defineProperty(globalThis, 'IDBKeyRange', { configurable: true, value: IDBKeyRange });
  return () => {
    if (before === undefined) delete (globalThis as { IDBKeyRange?: unknown }).IDBKeyRange;
    else Object.defineProperty(globalThis, 'IDBKeyRange', before);
  };
}

/** Databases in the library, which stall, fail and die at any step. */
export const doubles: DatabaseMaker = {
  create: createDatabases,
  hold: async (turns) => {
    const releases = [holdImmediates(turns), holdKeyRange()];
    return () => {
      for (const release of releases) release();
    };
  },
};
