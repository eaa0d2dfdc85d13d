// What the page does that `chromium.mjs` opens: each function is called from there by its name.
import { openDB } from 'idb';
import { entryValue, measureMap, measureSets, newClient, openProfile } from './opened.mjs';

const map = new Map();
let collection;

const openBare = () => openDB('bare', 1, { upgrade: (database) => void database.createObjectStore('saves') });

/** Fills this device with a profile, and a database beside it with the same values. */
globalThis.fill = async (options) => {
  ({ collection } = await openProfile(options));
  const bare = await openBare();
  const { store, done } = bare.transaction('saves', 'readwrite');
  for (let index = 0; index < options.entries; index += 1) store.put(entryValue(index, options.bytes), `key-${index}`);
  await done;
  bare.close();
};

globalThis.measureMap = (calls) => measureMap(map, calls);
globalThis.measureSets = (calls) => measureSets(collection, calls);

/** Microseconds of one put, each awaited before the next. */
globalThis.measurePuts = async (calls) => {
  const bare = await openBare();
  const start = performance.now();
  for (let call = 0; call < calls; call += 1) await bare.put('saves', entryValue(call), 'key-0');
  const time = performance.now() - start;
  bare.close();
  return (time * 1_000) / calls;
};

/** Milliseconds from `init` to the first value that the game gets. */
globalThis.measureStart = async () => {
  const start = performance.now();
  const client = newClient('off');
  await client.init();
  const first = client.profile.collection('progress').get('key-1');
  const time = performance.now() - start;
  client.dispose();
  if (first?.index !== 1) throw new Error('The profile has not been read.');
  return time;
};

/** Milliseconds until a bare database is open and its values are read. */
globalThis.measureGetAll = async () => {
  const start = performance.now();
  const bare = await openBare();
  const values = await bare.getAll('saves');
  const time = performance.now() - start;
  bare.close();
  if (values[1]?.index !== 1) throw new Error('The values have not been read.');
  return time;
};
