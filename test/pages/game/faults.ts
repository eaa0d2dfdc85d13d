import { youngerApis } from '../../support/younger-apis.js';

/** How the browser's storage goes wrong in a page, from before the game starts. Several can be joined. */
export type Fault =
  /** IndexedDB never answers to `open`. */
  | 'open-never'
  /** IndexedDB answers to the first `open` after 6 s. */
  | 'open-late'
  /** IndexedDB refuses each `open`. */
  | 'open-refused'
  /** Once a page has stored something, its next transaction takes 6 s. */
  | 'stall-once'
  /** The second write of an entry's record aborts its transaction, as a full disk does. */
  | 'put-aborts-once'
  /** The second write of an entry's record throws. */
  | 'put-throws-once'
  /** IndexedDB refuses each write while the page's `diskIsFull` is true. localStorage has its own room. */
  | 'disk-full'
  /** The same from the start. */
  | 'disk-full-from-start'
  /** The connection breaks once, after the first write of an entry's record: each later use of it throws. */
  | 'connection-breaks'
  /** A browser that has no IndexedDB. */
  | 'no-indexed-db'
  /** The browser denies localStorage. */
  | 'no-local-storage'
  /** A browser that is too old for the Web Locks API, or a page that did not come by https. */
  | 'no-locks'
  /** A browser that has nothing younger than the oldest that are supported; what could not be taken away is told. */
  | 'oldest';

declare global {
  /** Whether the faulty disk of the page is full at present. */
  var diskIsFull: boolean | undefined;
  /** Whether the database of the page has stalled. */
  var isStalled: boolean | undefined;
  /** What an old browser would not have, and this one still has. */
  var leftOfTheYounger: string[] | undefined;
}

const stallMs = 6_000;
const [openNever, openLate, putAborts] = ['never', 'late', 'aborts'] as const;

/** Wraps what the browser has: below the faults is its own database, and what that has taken, it has. */
function installFaults(faults: readonly string[]): void {
  const install: Record<Fault, () => void> = {
    'open-never': () => holdOpen(openNever),
    'open-late': () => holdOpen(openLate),
    'open-refused': refuseOpen,
    'stall-once': stallOnce,
    'put-aborts-once': () => failSecondPut(putAborts),
    'put-throws-once': () => failSecondPut('throws'),
    'disk-full': fillDisk,
    'disk-full-from-start': () => {
      globalThis.diskIsFull = true;
      fillDisk();
    },
    'connection-breaks': breakConnection,
    'no-indexed-db': () => void Object.defineProperty(globalThis, 'indexedDB', { value: undefined }),
    'no-local-storage': denyLocalStorage,
    'no-locks': () => void takeAway('Navigator.prototype.locks'),
    oldest: () => {
      const paths = youngerApis.flatMap(([, , , path]) => (path === null ? [] : [path]));
      globalThis.leftOfTheYounger = paths.filter((path) => !takeAway(path));
    },
  };
  for (const fault of faults) install[fault as Fault]();
}

/** Says whether it is gone. */
function takeAway(path: string): boolean {
  const parts = path.split('.');
  const name = parts.pop() ?? '';
  // biome-ignore lint/suspicious/noExplicitAny: anything can stand behind a name.
  const owner = parts.reduce<any>((value, part) => value?.[part], globalThis);
  if (owner === undefined || !(name in owner)) return true;
  return delete owner[name] && !(name in owner);
}

/** The browser opens its database; the page hears of it late, or never. */
function holdOpen(how: typeof openNever | typeof openLate): void {
  const { open } = IDBFactory.prototype;
  let isOver = false;
  IDBFactory.prototype.open = function (...args) {
    const request = open.apply(this, args);
    if (isOver) return request;
    isOver = how === openLate;
    let isLetGo = false;
    for (const type of ['success', 'error', 'upgradeneeded']) {
      request.addEventListener(type, (event) => {
        // The database has to be made in the event itself.
        if (isLetGo || (type === 'upgradeneeded' && how === openLate)) return;
        event.stopImmediatePropagation();
        if (how === openNever) return;
        setTimeout(() => {
          isLetGo = true;
          request.dispatchEvent(new Event(type));
        }, stallMs);
      });
    }
    return request;
  };
}

function refuseOpen(): void {
  IDBFactory.prototype.open = () => {
    throw new DOMException('The database cannot be opened.', 'UnknownError');
  };
}

/** Another connection holds the database: its transaction goes on for as long as it asks for more. */
function stallOnce(): void {
  onEntryPut((count, put) => {
    const request = put();
    if (count !== 1) return request;
    const { name } = (request.source as IDBObjectStore).transaction.db;
    request.transaction?.addEventListener('complete', () => {
      const opening = indexedDB.open(name);
      opening.onsuccess = () => {
        const store = opening.result.transaction('values', 'readwrite').objectStore('values');
        globalThis.isStalled = true;
        const end = performance.now() + stallMs;
        const goOn = (): void => {
          if (performance.now() < end) store.get('none').onsuccess = goOn;
        };
        goOn();
        store.transaction.oncomplete = () => opening.result.close();
      };
    });
    return request;
  });
}

function failSecondPut(how: typeof putAborts | 'throws'): void {
  onEntryPut((count, put) => {
    if (count !== 2) return put();
    if (how === 'throws') throw new DOMException('The disk has failed.', 'UnknownError');
    const request = put();
    request.transaction?.abort();
    return request;
  });
}

function fillDisk(): void {
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (...args) {
    if (globalThis.diskIsFull) throw new DOMException('The disk is full.', 'QuotaExceededError');
    return put.apply(this, args);
  };
}

function breakConnection(): void {
  onEntryPut((count, put) => {
    const request = put();
    if (count === 1) request.transaction?.db.close();
    return request;
  });
}

function denyLocalStorage(): void {
  Object.defineProperty(globalThis, 'localStorage', {
    get: () => {
      throw new DOMException('The player has denied it.', 'SecurityError');
    },
  });
}

/** Comes between the page and its writes of entries, and says the how many-th each is. */
function onEntryPut(write: (count: number, put: () => IDBRequest<IDBValidKey>) => IDBRequest<IDBValidKey>): void {
  const { put } = IDBObjectStore.prototype;
  let count = 0;
  IDBObjectStore.prototype.put = function (value, key) {
    const goOn = (): IDBRequest<IDBValidKey> => put.call(this, value, key);
    if (!String(key).includes(':entry:')) return goOn();
    count += 1;
    return write(count, goOn);
  };
}

installFaults(new URLSearchParams(location.search).getAll('fault'));
