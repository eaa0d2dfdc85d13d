import { withinTime } from '../../http/timers.js';
import type { Lock } from '../platform/locks.js';
import type { Storages } from '../platform/storages.js';
import { createCustomHome } from './custom-home.js';
import { type ReadEarlierCopy, type SessionChoice, type SessionUnion, takeOverCopies } from './earlier-version.js';
import type { RawHome } from './home.js';
import type { HomeKeys } from './home-keys.js';
import { createIndexedDbHome } from './indexed-db-home.js';
import { createMemoryHome } from './memory-home.js';
import type { OpenHome } from './steady-home.js';
import type { StorageName, StoragePort } from './storage-port.js';
import { type UniteEntry, uniteHomes } from './unite-homes.js';
import { createWebStorageHome } from './web-storage-home.js';

/** How often IndexedDB must refuse, where it has never worked, before localStorage becomes the home. */
const refusals = 3;

/** How long a start waits for IndexedDB beside a home in localStorage, and for what has to be moved from there, in ms. */
const moveMs = 2_000;

/** What the home of a game and environment is found by. */
export interface HomeSearch {
  readonly keys: HomeKeys;
  /** What the game passed in. */
  readonly custom: StoragePort | undefined;
  readonly storages: Storages | undefined;
  readonly lock: Lock;
  readonly readEarlierCopy: ReadEarlierCopy;
  readonly chooseSession: (texts: SessionChoice) => SessionUnion;
  readonly uniteEntry: UniteEntry;
  /** Hears that memory is the home because the browser denies the site's data. */
  readonly denied: () => void;
}

/** What is known of localStorage. */
interface Local {
  /** Undefined where the platform has none, and where the browser denies it. */
  storage: Storage | undefined;
  isDenied: boolean;
  /** Which home the game has on this origin, by its own record. */
  record: string | null;
}

/**
 * Makes a function that opens the one home of a game and environment on this device. It rejects where the home that
 * there should be cannot be opened, and nothing is made in its place: call it again.
 */
export function createHomeFinder(search: HomeSearch): () => Promise<OpenHome> {
  const { keys, custom, storages, readEarlierCopy } = search;
  const indexedDb = createIndexedDbHome(() => {
    const factory = storages?.indexedDB();
    if (factory === undefined) throw new DOMException('This browser has no IndexedDB.', 'NotSupportedError');
    return factory;
  });
  let refused = 0;

  async function open(kind: StorageName, home: RawHome, local?: Storage): Promise<OpenHome> {
    await home.readAll(keys.session);
    return { kind, home: takeOverCopies(home, local, readEarlierCopy) };
  }

  async function openWebStorage(storage: Storage): Promise<OpenHome> {
    storage.setItem(keys.homeRecord, 'localStorage');
    return open('localStorage', createWebStorageHome(storage, search.lock));
  }

  /** Takes over what localStorage has of this game, and notes there that the home is IndexedDB. False: it has to wait. */
  async function moveIn(storage: Storage, record: string | null, isLate = () => false): Promise<boolean> {
    if (!(await uniteHomes(indexedDb, storage, { ...search, record }, isLate))) return false;
    try {
      storage.setItem(keys.homeRecord, 'indexedDB');
    } catch {
      // localStorage is full. The next start finds the same home.
    }
    return true;
  }

  /** The same within a while. What does not succeed is left for the next start. */
  async function tryToMoveIn(storage: Storage, record: string): Promise<boolean> {
    let isLate = false;
    const late = (): Error => new Error(`It takes more than ${moveMs} ms.`);
    const moving = async (): Promise<boolean> => {
      // Where nothing of this game is in IndexedDB, localStorage is its first home.
      const isHome = record !== 'localStorage' || (await indexedDb.readAll(keys.prefix)).size > 0;
      return isHome && moveIn(storage, record, () => isLate);
    };
    try {
      return await withinTime(moveMs, moving(), late);
    } catch {
      return false;
    } finally {
      isLate = true;
    }
  }

  /** Opens what there may be in the place of an IndexedDB that has refused; throws where nothing may be. */
  async function openAnother(local: Local, error: unknown): Promise<OpenHome> {
    if (!(error instanceof DOMException)) throw error;
    refused += 1;
    if (local.isDenied || (local.storage === undefined && error.name === 'SecurityError')) {
      search.denied();
      return { kind: 'memory', home: createMemoryHome() };
    }
    if (local.storage === undefined || local.record !== null) throw error;
    const isAbsent = error.name === 'NotSupportedError';
    if (!isAbsent && (refused < refusals || livedInIndexedDb(local.storage, keys))) throw error;
    return openWebStorage(local.storage);
  }

  return async () => {
    if (custom !== undefined) return open('custom', createCustomHome(custom, search.lock));
    const local = accessLocalStorage(storages, keys);
    if (local.record === 'localStorage' && local.storage !== undefined) {
      return (await tryToMoveIn(local.storage, local.record))
        ? open('indexedDB', indexedDb, local.storage)
        : openWebStorage(local.storage);
    }
    if (local.storage === undefined && !local.isDenied && hasNoIndexedDb(storages)) {
      return { kind: 'memory', home: createMemoryHome() };
    }
    let opened: OpenHome;
    try {
      opened = await open('indexedDB', indexedDb, local.storage);
    } catch (error) {
      return openAnother(local, error);
    }
    if (local.storage === undefined) return opened;
    if (local.record === null) await moveIn(local.storage, null);
    else await tryToMoveIn(local.storage, local.record);
    return opened;
  };
}

function accessLocalStorage(storages: Storages | undefined, { homeRecord }: HomeKeys): Local {
  try {
    const storage = storages?.localStorage();
    return { storage, isDenied: false, record: storage?.getItem(homeRecord) ?? null };
  } catch {
    return { storage: undefined, isDenied: true, record: null };
  }
}

function hasNoIndexedDb(storages: Storages | undefined): boolean {
  try {
    return storages?.indexedDB() === undefined;
  } catch {
    return false;
  }
}

/**
 * Whether an earlier version has been played here whose saves are in IndexedDB: it kept the session in localStorage,
 * and the saves there only where IndexedDB had failed.
 */
function livedInIndexedDb(storage: Storage, { prefix, session, device }: HomeKeys): boolean {
  const hasSaves = Array.from({ length: storage.length }, (_, index) => storage.key(index)).some((key) =>
    key?.startsWith(`${prefix}profile:`),
  );
  return !hasSaves && (storage.getItem(session) ?? storage.getItem(device)) !== null;
}
