/**
 * Where a client keeps its session, device id and saves; synchronous or not. `localStorage` fits, and so does a Map
 * behind three methods. What throws or rejects is tried again until it works, and what does not answer is waited for;
 * `storageDegraded` says so, after 5 s for one that does not answer.
 */
export interface StoragePort {
  /** Gives what is stored under the key; null or undefined for nothing. */
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>;
  /** Stores the text under the key; a promise settles once it is stored. A text is never empty. */
  setItem(key: string, value: string): unknown;
  /** Removes what is stored under the key, if anything is. */
  removeItem(key: string): unknown;
  /**
   * Optional: stores `to` only where what is stored is still `from` ('' for nothing), in one step, and gives null; or
   * else gives what is stored instead. For a storage that several processes share; without it, tabs of one origin
   * take turns.
   */
  swap?(key: string, from: string, to: string): string | null | Promise<string | null>;
}

/** Where things are kept; `custom` is the storage that the game passed in. */
export type StorageName = 'custom' | 'localStorage' | 'indexedDB' | 'memory';
