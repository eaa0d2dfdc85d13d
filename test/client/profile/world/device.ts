import type { Client } from 'savepoint';
import { composeClient } from '../../../../src/client/create-client.js';
import { createPlatform, type Platform } from '../../../../src/client/platform/platform.js';
import type { Storages } from '../../../../src/client/platform/storages.js';
import { createTabs, type TabScope } from '../../../../src/client/platform/tabs.js';
import { createOrigin, type Origin } from './browser.js';
import type { DatabaseMaker, Databases } from './databases.js';
import { createNetwork, type Network } from './network.js';
import type { WatchedService } from './service.js';
import { createShelf, customStorage, localStorageOf, type Shelf } from './storages.js';
import type { Runner, Turns } from './turns.js';

/**
 * What a device is. Its storage is the browser's own, IndexedDB and localStorage, or one that the game passes in: that answers
 * at once, or in promises, or in promises with a `swap`.
 */
export interface DeviceKind {
  storage: 'browser' | 'at once' | 'in promises' | 'with swap';
  hasLocks: boolean;
  hasChannel: boolean;
  /** How many turns the ways of its requests take, one after the other; at once where there is none. */
  delays?: readonly number[];
}

/** What dies after so many operations of its storage: the last one done, or not. */
export interface Fuse {
  operations: number;
  isLastDone: boolean;
}

/** How a page dies. */
export interface Death {
  /** Whether what it has asked and is not carried out never will be, unless it was to outlive the page. */
  isCut?: boolean;
  /** Whether what it has asked IndexedDB to store, all of a transaction, is stored all the same. */
  isLastDone?: boolean;
}

/** A page, or a worker beside it. It can stop dead: then it stores, asks and hears nothing more. */
export interface Page extends Runner {
  readonly device: Device;
  readonly client: Client;
  readonly isWorker: boolean;
  /** Whether the browser has denied it localStorage. */
  wasDenied: boolean;
  isAlive: boolean;
  /** The account that came first since it was opened; null until then. */
  firstAccount: string | null;
  waiting: (() => void)[] | null;
  /** Whether what it has asked and is not carried out never will be, unless it was to outlive the page. */
  isCut: boolean;
  /** Whether the game has switched its network off. */
  isOffline: boolean;
  readonly reported: unknown[];
  fuse: Fuse | null;
  /** Raises an event of the window or of the document, as a task of the page. */
  raise(type: string, event?: object): void;
  /** The page may be gone the next moment, or it comes back. */
  show(isShown: boolean): void;
  freeze(): void;
  thaw(): void;
  kill(death?: Death): void;
}

/** Storages, the pages that share them, and a way to the service. */
export interface Device {
  readonly name: string;
  readonly kind: DeviceKind;
  readonly network: Network;
  /** IndexedDB, or the game's own. */
  readonly shelf: Shelf;
  readonly localShelf: Shelf;
  readonly origin: Origin;
  readonly databases: Databases;
  readonly pages: (Page | undefined)[];
  /** Its clock minus the world's, ms. */
  skewMs: number;
  /**
   * Whether the storages do well, so that what is acknowledged now is there at the next start. They do not for a page that
   * was denied localStorage, and has not reached IndexedDB yet.
   */
  readonly isWell: boolean;
  /** Whether localStorage is its home, beside the one in IndexedDB that cannot be found now. */
  readonly isElsewhere: boolean;
  /** Whether localStorage has something that was set before an account. */
  readonly hasEarlyElsewhere: boolean;
  /** Whether localStorage has an entry with this mark. */
  hasEntryElsewhere(mark: string): boolean;
  /** Whether localStorage has a session, which the next start may take over. */
  readonly hasSessionElsewhere: boolean;
  /** Forgets which home it has: where IndexedDB refuses, it becomes another device, until that is back. */
  loseRecord(): void;
  /** All that is stored. */
  texts(): string[];
  open(tab: number): Page;
  /** Puts everything right. */
  mend(): void;
}

/** The tab in whose place a worker runs. */
export const workerTab = 4;

export function createDevice(
  name: string,
  kind: DeviceKind,
  { service, turns, databases }: { service: WatchedService; turns: Turns; databases: DatabaseMaker },
): Device {
  const shelf = createShelf();
  const localShelf = createShelf();
  const device: Device = {
    name,
    kind,
    network: createNetwork(service, turns, kind),
    shelf,
    localShelf,
    origin: createOrigin({ turns, ...kind }),
    databases: databases.create(shelf, turns),
    pages: [],
    skewMs: 0,
    get isWell() {
      const areWell = [shelf, localShelf].every(
        ({ condition, failing, isBlocked }) => condition === 'well' && failing === 0 && !isBlocked,
      );
      return areWell && !device.pages.some((page) => page?.wasDenied === true && page.client.storage.kind === null);
    },
    texts: () => [
      ...[...shelf.texts.values(), ...localShelf.texts.values()],
      ...device.databases.entries().map(([, text]) => text),
    ],
    get isElsewhere() {
      return [...localShelf.texts].some(([key, text]) => key.endsWith(':home') && text === 'localStorage');
    },
    get hasEarlyElsewhere() {
      return [...localShelf.texts.keys()].some((key) => key.includes(':entry::'));
    },
    hasEntryElsewhere: (mark) =>
      [...localShelf.texts].some(([key, text]) => key.includes(':entry:') && text.includes(`"${mark}"`)),
    get hasSessionElsewhere() {
      return [...localShelf.texts.keys()].some((key) => key.endsWith(':session'));
    },
    loseRecord: () => {
      for (const key of [...localShelf.texts.keys()]) if (key.endsWith(':home')) localShelf.texts.delete(key);
    },
    open: (tab) => openPage(device, tab, service, turns),
    mend: () => {
      for (const one of [shelf, localShelf]) {
        Object.assign(one, { condition: 'well', failing: 0, isBlocked: false });
        one.release();
      }
      for (const page of device.pages) if (page?.waiting != null) page.thaw();
    },
  };
  return device;
}

type Listener = (event: unknown) => void;

function openPage(device: Device, tab: number, service: WatchedService, turns: Turns): Page {
  let listeners: { type: string; listener: Listener }[] = [];
  const events = {
    addEventListener: (type: string, listener: Listener): void => void listeners.push({ type, listener }),
    removeEventListener: (type: string, listener: Listener): void => {
      listeners = listeners.filter((one) => one.type !== type || one.listener !== listener);
    },
  };
  const document = { hidden: false, visibilityState: 'visible', ...events };

  const page: Page = {
    device,
    client: undefined as unknown as Client,
    isWorker: tab === workerTab,
    wasDenied: false,
    isAlive: true,
    firstAccount: null,
    waiting: null,
    isCut: false,
    isOffline: false,
    reported: [],
    fuse: null,
    raise: (type, event = {}) =>
      turns.later(() => {
        for (const one of listeners) {
          if (one.type === type) one.listener({ type, ...event });
        }
      }, page),
    show: (isShown) => {
      document.hidden = !isShown;
      document.visibilityState = isShown ? 'visible' : 'hidden';
      page.raise('visibilitychange');
    },
    freeze: () => {
      // The page hears that it is hidden, and then nothing more.
      page.show(false);
      turns.later(() => {
        page.waiting ??= [];
      }, page);
    },
    thaw: () => {
      const due = page.waiting ?? [];
      page.waiting = null;
      for (const go of due) go();
      page.show(true);
    },
    kill: ({ isCut = false, isLastDone = false } = {}) => {
      if (!page.isAlive) return;
      page.isAlive = false;
      page.isCut = isCut;
      device.origin.leave(page);
      device.databases.leave(page, isLastDone);
      if (device.pages[tab] === page) device.pages[tab] = undefined;
    },
  };
  const platform: Pick<Platform, 'storages' | 'tabs'> = {
    storages: storagesOf(page),
    tabs: (prefix) => createTabs(prefix, scope),
  };
  const scope = {
    ...(page.isWorker ? {} : { document }),
    ...events,
    get BroadcastChannel() {
      return device.origin.channel(page);
    },
  } as TabScope;
  turns.read(page, () => Object.assign(page, { client: createClientOf(page, platform, service, turns) }));
  device.pages[tab] = page;
  return page;
}

/** What a page finds of its device's storages, where they are the browser's own. */
function storagesOf(page: Page): Storages {
  const { kind, databases, localShelf, origin } = page.device;
  const isOwn = kind.storage === 'browser';
  const factory = isOwn ? databases.of(page) : undefined;
  const stored = (key: string): void => {
    // It makes itself another home, whose device it is from then on.
    if (key.endsWith(':home') && localShelf.texts.get(key) === 'localStorage') page.device.network.mayHaveIds += 1;
    origin.stored(page, key);
  };
  const local = isOwn && !page.isWorker ? localStorageOf(page, localShelf, stored) : undefined;
  return {
    indexedDB: () => factory,
    localStorage: () => {
      if (local === undefined || !localShelf.isBlocked) return local;
      page.wasDenied = true;
      throw new DOMException('Access is denied.', 'SecurityError');
    },
    manager: () => undefined,
  };
}

/** The client of a page, with the storages of its device: the one place that knows how it gets them. */
function createClientOf(
  page: Page,
  own: Pick<Platform, 'storages' | 'tabs'>,
  service: WatchedService,
  turns: Turns,
): Client {
  const { device } = page;
  const { storage, hasLocks } = device.kind;
  const platform: Platform = {
    ...createPlatform(),
    ...own,
    now: () => Date.now() + device.skewMs,
    random: () => 0.5,
    backOffMs: () => 0,
    report: (error) => void (page.isAlive && page.reported.push(error)),
    ...(hasLocks ? {} : { lock: createPageLock() }),
  };
  const isAsync = storage !== 'at once';
  return composeClient(
    {
      gameId: service.gameId,
      environment: 0,
      baseUrl: service.baseUrl,
      fetch: (request) => device.network.fetch(page, request),
      ...(storage === 'browser'
        ? {}
        : {
            storage: customStorage(() => page, device.shelf, { turns, isAsync, canSwap: storage === 'with swap' }),
          }),
    },
    platform,
  );
}

/** Where the platform has no locks, a page can keep order among its own tasks alone. */
function createPageLock(): Platform['lock'] {
  const last = new Map<string, Promise<unknown>>();
  return (name, task) => {
    const mine = (last.get(name) ?? Promise.resolve()).then(task, task);
    last.set(name, mine);
    return mine;
  };
}
