/**
 * Where a client keeps its session, device id and saves; synchronous or not. `localStorage` fits, and so does a Map
 * behind three methods. One that throws, rejects or does not answer within 5 s is given up, and memory takes its
 * place.
 */
export interface StoragePort {
  /** Gives what is stored under the key; null or undefined for nothing. */
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>;
  /** Stores the text under the key; a promise settles once it is stored. */
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

/** One step of the ladder. */
export interface Rung {
  name: StorageName;
  open(): StoragePort | Promise<StoragePort>;
}
