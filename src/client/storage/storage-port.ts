/** Where a client keeps its session, device id and saves: sync or async. localStorage fits, and so does a Map behind three methods. */
export interface StoragePort {
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
  /**
   * Optional: writes only where what is stored is still `from` ('' for nothing), in one step, and gives null; or else what is
   * stored instead. For a storage that several processes share; without it, tabs of one origin take turns.
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
