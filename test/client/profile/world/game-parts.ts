import type { Collection, Conflict } from 'savepoint';
import type { Calls, Failure } from './calls.js';
import type { Device, Page } from './device.js';
import type { Listening } from './listening.js';
import type { WatchedService } from './service.js';
import type { Truth } from './truth.js';
import type { Turns } from './turns.js';
import type { Name, Value } from './values.js';

/** What a game belongs to. */
export interface GameWorld {
  /** The collections that the game has. */
  names: readonly Name[];
  turns: Turns;
  truth: Truth;
  service: WatchedService;
  /** An account is being deleted: this code takes it back. */
  removed(account: string, code: string): void;
  /** The service has ended the session of a device. */
  expired(device: Device): void;
}

/** What a collection may offer for an entry that waits. */
export interface Holding {
  held?(): { key: string }[];
  retry?(key: string): Promise<unknown>;
  discard?(key: string): Promise<unknown>;
}

/** What the parts of a game share. */
export interface Parts {
  page: Page;
  where: string;
  calls: Calls;
  world: GameWorld;
  of(name: Name): Collection<Value> & Holding;
  listening: Listening;
  /** The choices that this game has made, by conflict. */
  choices: Map<Conflict | null, Set<string>>;
}

/** A stored entry that misses the schema cannot be read, and says so. */
export function peek<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as Failure).code !== 'invalid_value') throw error;
    return undefined;
  }
}
