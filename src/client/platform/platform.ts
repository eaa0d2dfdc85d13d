import { type Lock, withLock } from './locks.js';
import { platformStorages, type Storages } from './storages.js';
import { createTabs, type Tabs } from './tabs.js';

/** What the client takes from the browser, or from Node. Tests pass their own. */
export interface Platform {
  /** The device's clock, ms since 1970. */
  now(): number;
  /** A number from 0 to below 1, for jitter: nothing secret comes of it. */
  random(): number;
  /** The pause before a repeat of a request, in ms, before jitter; the sender's own by default. */
  backOffMs?: ((attempt: number) => number) | undefined;
  /** Says what a game's own function threw, without stopping anything. */
  report(error: unknown): void;
  /** Runs one task at a time under a name, across tabs where the platform can. */
  lock: Lock;
  /** The tabs whose storage keys begin with this prefix. */
  tabs(prefix: string): Tabs;
  /** The browser's storages; undefined where there are none, as in Node. */
  storages?: Storages | undefined;
}

/** The platform that the code runs on. */
export function createPlatform(): Platform {
  return {
    now: () => Date.now(),
    random: () => Math.random(),
    report,
    lock: withLock,
    tabs: createTabs,
    storages: platformStorages,
  };
}

/**
 * Reports what a game's own function threw as an uncaught error: where the game's other errors end up, and never in
 * ours.
 */
export function report(error: unknown): void {
  if (typeof reportError === 'function') reportError(error);
  else console.error(error);
}
