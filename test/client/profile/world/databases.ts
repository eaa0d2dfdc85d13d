import type { Page } from './device.js';
import type { Shelf } from './storages.js';
import type { Turns } from './turns.js';

/** A device's databases. */
export interface Databases {
  /** IndexedDB as a page sees it. */
  of(page: Page): IDBFactory;
  /** Everything that is stored, by its key. */
  entries(): (readonly [key: string, text: string])[];
  /** Ends a page's connections: those that it loses, or all when it is gone. */
  disconnect(page: Page): void;
  /** `isLastDone`: what the page has put is committed. */
  leave(page: Page, isLastDone: boolean): void;
  /** Removes what outlives the world. */
  remove?(): Promise<void>;
}

/** What devices have their databases from: a double that can do all that databases do, or the browser's own. */
export interface DatabaseMaker {
  create(shelf: Shelf, turns: Turns): Databases;
  /** Makes the platform its own, for all worlds of a test file. */
  hold(turns: () => Turns | null): Promise<() => void>;
}
