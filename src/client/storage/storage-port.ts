/** Where a client keeps its session and device id: sync or async. localStorage fits, and so does a Map behind three methods. */
export interface StoragePort {
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

/** Where things are kept; `custom` is the storage that the game passed in. */
export type StorageName = 'custom' | 'localStorage' | 'indexedDB' | 'memory';

/** One step of the ladder. */
export interface Rung {
  name: StorageName;
  open(): StoragePort | Promise<StoragePort>;
}
