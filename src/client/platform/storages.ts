/** The storages of a browser. Each throws where the browser denies it, as with the site's data switched off. */
export interface Storages {
  /** Undefined where the platform has none. */
  indexedDB(): IDBFactory | undefined;
  /** Undefined where the platform has none, as in a worker. */
  localStorage(): Storage | undefined;
  /** Says how much there is, and keeps it; undefined where the page did not come by https. */
  manager(): StorageManager | undefined;
}

/** The storages of the platform that the code runs on. */
export const platformStorages: Storages = {
  indexedDB: () => globalThis.indexedDB ?? undefined,
  localStorage: () => {
    // Node, Deno and Bun have no document, and a localStorage that does not last.
    if (typeof document === 'undefined') return undefined;
    // Some web views have null.
    const storage = (globalThis.localStorage as Storage | null | undefined) ?? undefined;
    // WebKit takes both away where its settings deny them, in the place of throwing.
    if (storage === undefined && !('indexedDB' in globalThis)) throw new DOMException('denied', 'SecurityError');
    return storage;
  },
  manager: () => (globalThis.navigator as Navigator | undefined)?.storage,
};
