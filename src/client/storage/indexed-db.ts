import type { StoragePort } from './storage-port.js';

const store = 'values';

/** One object store of texts. */
export async function openIndexedDb(): Promise<StoragePort> {
  const opening = indexedDB.open('savepoint', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(store);
  const database = await done(opening);
  // Another tab with a newer version, or the player who clears the site's data, must not wait for us.
  database.onversionchange = () => database.close();

  /** Settles once the transaction has: a full quota shows at the commit, after the request has succeeded. */
  async function change<T>(task: (values: IDBObjectStore) => Promise<T>): Promise<T> {
    const transaction = database.transaction(store, 'readwrite');
    const committed = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    const [result] = await Promise.all([task(transaction.objectStore(store)), committed]);
    return result;
  }

  return {
    getItem: (key) => done(database.transaction(store).objectStore(store).get(key) as IDBRequest<string | undefined>),
    setItem: (key, value) => change((values) => done(values.put(value, key))),
    removeItem: (key) => change((values) => done(values.delete(key))),
    swap: (key, from, to) =>
      change(async (values) => {
        const found = (await done(values.get(key) as IDBRequest<string | undefined>)) ?? '';
        if (found !== from) return found;
        await done(values.put(to, key));
        return null;
      }),
  };
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
