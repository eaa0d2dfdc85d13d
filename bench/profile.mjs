// What the player's profile costs: the bytes that a page loads, what a `set` costs over a bare Map, with one entry and with
// 2,000, and in Chromium what a `set` and a start cost over a bare database.
// Run by `npm run bench:profile`, which builds first. Figures are medians; compare ratios, machines differ.
import { PerformanceObserver } from 'node:perf_hooks';
import { createClient } from '../dist/index.js';
import { measureSizes, printSizes } from '../scripts/size.mjs';
import { printCostsInChromium, printSetsInNode } from './profile/costs.mjs';
import { median } from './profile/rounds.mjs';

const rounds = 15;
const value = { level: 12, coins: 3_400, name: 'Ada', items: ['sword', 'shield', 'bow'], at: 1_767_225_600_000 };

let collections = 0;
new PerformanceObserver((list) => {
  collections += list.getEntries().length;
}).observe({ entryTypes: ['gc'] });

/** Microseconds and bytes of one call. */
async function measure(task, calls = 1_000) {
  const times = [];
  const bytes = [];
  for (let round = 0; round < rounds; round += 1) {
    globalThis.gc();
    // The collector says what it did a little later.
    await new Promise((resolve) => setTimeout(resolve, 20));
    const [heap, seen, start] = [process.memoryUsage().heapUsed, collections, performance.now()];
    await task(calls, round);
    const time = performance.now() - start;
    const allocated = process.memoryUsage().heapUsed - heap;
    await new Promise((resolve) => setTimeout(resolve, 20));
    times.push((time * 1_000) / calls);
    // A collection in between makes the figure meaningless.
    if (seen === collections) bytes.push(allocated / calls);
  }
  return { time: median(times), bytes: bytes.length === 0 ? Number.NaN : median(bytes) };
}

async function openProfile(entries) {
  const stored = new Map();
  const client = createClient({
    gameId: '00000000-0000-4000-8000-000000000000',
    environment: 0,
    baseUrl: 'http://127.0.0.1:9',
    network: 'off',
    storage: {
      getItem: (key) => stored.get(key),
      setItem: (key, text) => stored.set(key, text),
      removeItem: (key) => stored.delete(key),
    },
  });
  await client.init();
  const collection = client.profile.collection('bench');
  await Promise.all(Array.from({ length: entries }, (_, index) => collection.set(`key-${index}`, { ...value, index })));
  return { client, collection };
}

function row(name, { time, bytes }, base) {
  const columns = [
    name.padEnd(58),
    `${time.toFixed(2)} µs`.padStart(11),
    `${(time / base.time).toFixed(0)} x`.padStart(8),
    (Number.isNaN(bytes) ? 'collected' : `${bytes.toFixed(0)} B`).padStart(11),
  ];
  console.log(columns.join(''));
}

console.log('What a page loads, with all dependencies');
printSizes(await measureSizes());

console.log(`\nOne set of a ${JSON.stringify(value).length}-byte value${' '.repeat(29)}time  to Map allocated`);
const map = new Map();
const bare = await measure((calls, round) => {
  for (let index = 0; index < calls; index += 1) map.set('key-0', { ...value, index, round });
});
row('a bare Map', bare, bare);
const copied = await measure((calls, round) => {
  for (let index = 0; index < calls; index += 1) {
    map.set('key-0', JSON.parse(JSON.stringify({ ...value, index, round })));
  }
});
row('a Map of copies (JSON)', copied, bare);
for (const entries of [1, 2_000]) {
  const { client, collection } = await openProfile(entries);
  const together = await measure(async (calls, round) => {
    let kept;
    for (let index = 0; index < calls; index += 1) kept = collection.set('key-0', { ...value, index, round });
    await kept;
  });
  row(`set, 1,000 in one go, kept on the device; entries: ${entries}`, together, bare);
  const reading = await measure((calls) => {
    for (let index = 0; index < calls; index += 1) collection.get('key-0');
  });
  row(`get; entries: ${entries}`, reading, bare);
  client.dispose();
}

await printSetsInNode();
await printCostsInChromium();
