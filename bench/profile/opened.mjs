import { createBackend } from '../../dist/backend/index.js';
import { createClient } from '../../dist/index.js';

const value = { level: 12, coins: 3_400, name: 'Ada', items: ['sword', 'shield', 'bow'], at: 1_767_225_600_000 };

/** The value of an entry; `bytes` is about how long its JSON is, and it is as short as it can be without. */
export function entryValue(index, bytes = 0) {
  const short = { ...value, index };
  const missing = bytes - JSON.stringify({ ...short, notes: '' }).length;
  return missing > 0 ? { ...short, notes: 'x'.repeat(missing) } : short;
}

const gameId = '00000000-0000-4000-8000-000000000000';
const backend = createBackend({ games: [{ id: gameId, privateKeys: ['a private key of the bench'] }] });

/** A client on the storage that the platform has. Nothing but the making of the account and its entries uses the network. */
export function newClient(network) {
  const fetch = (request) => backend.fetch(request);
  return createClient({ gameId, environment: 0, baseUrl: 'http://saves.test', network, fetch });
}

/**
 * Opens a profile with so many entries. `sent` are those of a player whom the service knows; the others are of one
 * who has never had a network.
 */
export async function openProfile({ entries, isSent, bytes }) {
  const client = newClient(isSent ? 'on' : 'off');
  const ready = await client.init();
  if (!ready.success) throw ready.error;
  const collection = client.profile.collection('progress');
  const sets = Array.from({ length: entries }, (_, index) => collection.set(`key-${index}`, entryValue(index, bytes)));
  await Promise.all(sets);
  if (isSent) {
    await client.profile.flush();
    await client.setNetwork('off');
  }
  return { client, collection };
}

let changes = 0;

/** Another value each time. */
function nextValue() {
  changes += 1;
  return entryValue(changes);
}

/** Microseconds of one set of an entry, each awaited before the next. */
export async function measureSets(collection, calls) {
  const start = performance.now();
  for (let call = 0; call < calls; call += 1) await collection.set('key-0', nextValue());
  return ((performance.now() - start) * 1_000) / calls;
}

/** Microseconds of one set of a bare Map. */
export function measureMap(map, calls) {
  const start = performance.now();
  for (let call = 0; call < calls; call += 1) map.set('key-0', nextValue());
  return ((performance.now() - start) * 1_000) / calls;
}
