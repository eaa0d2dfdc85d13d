import type { StoragePort } from './storage-port.js';

const store = 'values';

/** One object store of texts. */
export async function openIndexedDb(): Promise<StoragePort> {
  const opening = indexedDB.open('savepoint', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(store);
  const database = await done(opening);
  // Another tab with a newer version, or the player who clears the site's data, must not wait for us.
  database.onversionchange = () => database.close();
  const run = async <T>(mode: IDBTransactionMode, request: (values: IDBObjectStore) => IDBRequest<T>): Promise<T> => {
    const transaction = database.transaction(store, mode);
    const result = await done(request(transaction.objectStore(store)));
    // A full quota shows at the commit, after the request has succeeded.
    if (mode === 'readwrite') {
      await new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
    }
    return result;
  };
  return {
    getItem: (key) => run('readonly', (values) => values.get(key) as IDBRequest<string | undefined>),
    setItem: (key, value) => run('readwrite', (values) => values.put(value, key)),
    removeItem: (key) => run('readwrite', (values) => values.delete(key)),
  };
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
