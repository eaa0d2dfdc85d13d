import type { Platform } from '../platform/platform.js';
import type { HomeKeys } from './home-keys.js';
import type { SteadyHome } from './steady-home.js';
import type { StorageName } from './storage-port.js';

/** How long the browser is left alone after it was asked: some ask the player, and some agree only later. */
const askAgainMs = 30 * 24 * 60 * 60 * 1_000;

/** Where the client keeps what is on this device, and how safe it is there. Read it anew each time: it changes. */
export interface ClientStorage {
  /** What it is made of; null until it has been opened. `memory` ends with the page. */
  readonly kind: StorageName | null;
  /**
   * Whether the browser keeps it when the device runs out of room. The client asks for that when there is something to
   * lose: at the first value that a signed-in player saves, or when a method is linked; at most every 30 days. Null
   * where the browser does not say.
   */
  readonly persisted: boolean | null;
  /** How much the whole origin stores, in bytes, about; null where the browser does not say. */
  readonly usage: number | null;
  /** How much the whole origin may store, in bytes, about; null where the browser does not say. */
  readonly quota: number | null;
  /**
   * Whether something cannot be stored at present. It is tried again until it can; meanwhile it is in this page's
   * memory alone, so say that the page should stay open.
   */
  readonly isFailing: boolean;
}

/** Knows how safe the home is, and asks the browser to keep it. */
export interface Persistence {
  readonly storage: ClientStorage;
  /** Starts to look at the home: nothing is read before. */
  start(): void;
  /** There is something to lose: asks the browser to keep it, once for each page. */
  ask(): void;
}

export function createPersistence(dependencies: {
  home: SteadyHome;
  keys: Pick<HomeKeys, 'persistence'>;
  platform: Pick<Platform, 'now' | 'storages'>;
}): Persistence {
  const { home, keys, platform } = dependencies;
  let persisted: boolean | null = null;
  let estimate: StorageEstimate = {};
  let isAsked = false;

  async function look(): Promise<void> {
    await home.open();
    if (!isOnDisk(home)) return;
    // It throws where the browser denies it.
    const manager = platform.storages?.manager();
    persisted = (await manager?.persisted()) ?? null;
    estimate = (await manager?.estimate()) ?? {};
  }

  async function ask(): Promise<void> {
    await look();
    if (persisted !== false) return;
    const now = String(platform.now());
    const asked = await home.update(keys.persistence, (text) =>
      Number(now) - Number(text) < askAgainMs && text !== null ? text : now,
    );
    if (asked === now) await platform.storages?.manager()?.persist();
    await look();
  }

  // What a browser does not say stays unknown, and a home that is closed needs no answer.
  const lookQuietly = (): void => void look().catch(() => {});
  return {
    storage: {
      get kind() {
        return home.kind;
      },
      get persisted() {
        return persisted;
      },
      get usage() {
        return estimate.usage ?? null;
      },
      get quota() {
        return estimate.quota ?? null;
      },
      get isFailing() {
        return home.isFailing;
      },
    },
    start: () => {
      lookQuietly();
      home.subscribe(lookQuietly);
    },
    ask: () => {
      if (isAsked) return;
      isAsked = true;
      ask().catch(() => {});
    },
  };
}

function isOnDisk({ kind }: SteadyHome): boolean {
  return kind === 'indexedDB' || kind === 'localStorage';
}
