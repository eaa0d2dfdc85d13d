import { withinTime } from '../../http/timers.js';
import type { Change, RawHome } from './home.js';

const databaseName = 'savepoint';
const storeName = 'values';

/** How long the database may take to open. Some versions of Safari answer only to the second try. */
const openMs = 5_000;

/** How long a transaction may take. It is aborted then, so that it can no longer write after those that come later. */
const transactionMs = 20_000;

interface Update {
  readonly key: string;
  readonly change: Change;
  readonly strict: boolean;
  readonly resolve: (text: string | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes a home of IndexedDB, which a page, its workers and all tabs share. Updates that are asked for in one task share
 * a transaction; where that fails, each is tried alone.
 *
 * @param factory gives the browser's IndexedDB; it throws where the browser denies it
 */
export function createIndexedDbHome(factory: () => IDBFactory): RawHome {
  /** All that this page has read and written. */
  const known = new Map<string, string>();
  const { transact, close } = createConnection(factory, known);
  let waiting: Update[] = [];

  function write(updates: readonly Update[]): Promise<(string | null)[]> {
    const durability = updates.some(({ strict }) => strict) ? 'strict' : 'relaxed';
    return transact('readwrite', durability, (store) => {
      const latest = new Map<string, Promise<string | null>>();
      const writing = updates.map(({ key, change }) => {
        const next = replace(store, key, change, latest.get(key));
        latest.set(key, next);
        return next;
      });
      return Promise.all(writing);
    });
  }

  async function writeWaiting(): Promise<void> {
    const updates = waiting;
    waiting = [];
    try {
      const texts = await write(updates);
      for (const [index, { key, resolve }] of updates.entries()) {
        const text = texts[index] as string | null;
        if (text === null) known.delete(key);
        else known.set(key, text);
        resolve(text);
      }
    } catch (error) {
      if (updates.length === 1) return updates[0]?.reject(error);
      for (const one of updates) {
        waiting.push(one);
        void writeWaiting();
      }
    }
  }

  return {
    readAll: async (prefix) => {
      const found = await transact('readonly', 'relaxed', (store) =>
        recordsIn(store, IDBKeyRange.bound(prefix, `${prefix}\uffff`)),
      );
      for (const key of known.keys()) if (key.startsWith(prefix)) known.delete(key);
      for (const [key, text] of found) known.set(key, text);
      return found;
    },
    update: (key, change, { strict = false } = {}) =>
      new Promise((resolve, reject) => {
        if (waiting.push({ key, change, strict, resolve, reject }) === 1) {
          queueMicrotask(() => void (waiting.length > 0 && writeWaiting()));
        }
      }),
    close: () => {
      if (waiting.length > 0) void writeWaiting();
      close();
    },
  };
}

/**
 * The connection to the database, which is opened where it is needed and left where it is broken.
 *
 * @param known what the database gets that was deleted while the page used it
 */
function createConnection(factory: () => IDBFactory, known: ReadonlyMap<string, string>) {
  let opening: Promise<IDBDatabase> | null = null;
  let isClosed = false;

  function open(): Promise<IDBDatabase> {
    if (opening !== null) return opening;
    const mine = connect((isDeleted) => {
      leave(mine);
      // A deleted database is made again at once: the page may end before it has something new to write.
      if (isDeleted && !isClosed) open().catch(() => {});
    });
    opening = mine;
    mine.catch(() => leave(mine));
    return mine;
  }

  async function connect(ended: (isDeleted: boolean) => void): Promise<IDBDatabase> {
    const request = factory().open(databaseName, 1);
    request.onupgradeneeded = () => {
      const values = request.result.createObjectStore(storeName);
      for (const [key, text] of known) values.put(text, key);
    };
    const connecting = answerOf(request);
    const database = await answerWithin(openMs, connecting, () => closeWhenOpen(connecting));
    // Whoever deletes the database, or makes a newer version of it, must not wait for this page.
    database.onversionchange = ({ newVersion }) => ended(newVersion === null);
    // The browser has ended the connection, as it does where the player deletes the site's data.
    database.onclose = () => ended(true);
    return database;
  }

  /** Ends a connection after what is under way on it; the next use opens another. */
  function leave(connection: Promise<IDBDatabase>): void {
    if (opening === connection) opening = null;
    closeWhenOpen(connection);
  }

  /** Runs a task in a transaction. Settles when that has ended; what only reads, when it has been read. */
  async function transact<T>(
    mode: IDBTransactionMode,
    durability: IDBTransactionDurability,
    task: (store: IDBObjectStore) => Promise<T>,
  ): Promise<T> {
    const connection = open();
    const database = await connection;
    try {
      const transaction = database.transaction(storeName, mode, { durability });
      const abort = (): void => {
        try {
          transaction.abort();
        } catch {
          // It has ended, or it is being committed: whatever comes later comes after it.
        }
      };
      const working = task(transaction.objectStore(storeName));
      working.catch(abort);
      // Where it fails, what is under way in it fails too.
      const ended = endOf(transaction);
      ended.catch(() => {});
      const ending = mode === 'readonly' ? working : Promise.all([working, ended]).then(() => working);
      return await answerWithin(transactionMs, ending, abort);
    } catch (error) {
      // A broken connection stays broken.
      leave(connection);
      throw error;
    }
  }

  function close(): void {
    isClosed = true;
    if (opening !== null) leave(opening);
  }

  return { transact, close };
}

/** What Chrome has from version 141 on: keys and values in one answer, which takes less time than one of each. */
interface RecordsStore extends IDBObjectStore {
  getAllRecords?(options: { query: IDBKeyRange }): IDBRequest<{ key: IDBValidKey; value: string }[]>;
}

async function recordsIn(store: RecordsStore, range: IDBKeyRange): Promise<Map<string, string>> {
  if (store.getAllRecords !== undefined) {
    const records = await answerOf(store.getAllRecords({ query: range }));
    return new Map(records.map(({ key, value }) => [String(key), value]));
  }
  const [keys, texts] = await Promise.all([answerOf(store.getAllKeys(range)), answerOf<string[]>(store.getAll(range))]);
  return new Map(keys.map((key, index) => [String(key), texts[index] as string]));
}

/** Reads and writes one text; `earlier` is what an update before it in the same transaction makes of it. */
async function replace(
  store: IDBObjectStore,
  key: string,
  change: Change,
  earlier: Promise<string | null> | undefined,
): Promise<string | null> {
  const text = await (earlier ?? answerOf<string | undefined>(store.get(key)).then((stored) => stored ?? null));
  const next = change(text);
  if (next === text) return text;
  // Where that fails, the transaction fails too, and says so.
  if (next === null) store.delete(key);
  else store.put(next, key);
  return next;
}

/** Settles as a request does. */
function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Settles when a transaction has ended; rejects where nothing of it was kept. */
function endOf(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    // The transaction names no error where it was `abort` that ended it.
    transaction.onabort = () =>
      reject(transaction.error ?? new DOMException('The transaction was aborted.', 'AbortError'));
  });
}

function closeWhenOpen(connection: Promise<IDBDatabase>): void {
  connection.then(
    (database) => database.close(),
    () => {},
  );
}

/** Waits for an answer of IndexedDB, and rejects where it takes longer; `late` is called then. */
function answerWithin<T>(ms: number, work: Promise<T>, late: () => void): Promise<T> {
  return withinTime(ms, work, () => {
    late();
    return new Error(`IndexedDB has not answered within ${ms} ms.`);
  });
}
