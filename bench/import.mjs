// How many players a second `savepoint import` takes over and `savepoint export` writes, on SQLite and on PostgreSQL: each
// player with two entries. Run by `node bench/import.mjs` after `npm run build:js`; BENCH_DIST names another build to compare
// with, BENCH_PLAYERS how many. Compare ratios, machines differ.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openPlaces } from './service/places.mjs';

const players = Number(process.env.BENCH_PLAYERS ?? 5_000);
const dist = resolve(process.env.BENCH_DIST ?? new URL('../dist', import.meta.url).pathname);
const game = ['--game-id', '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d', '--environment', '0'];

const value = { level: 12, coins: 3_400, name: 'Ada', items: ['sword', 'shield'], notes: 'x'.repeat(300) };
const line = (n) =>
  JSON.stringify({
    customId: `player-${n}`,
    entries: ['main', 'options'].map((key) => ({ collection: 'progress', key, value: { ...value, n } })),
  });

/** Seconds that a command takes, its start included. */
function run(args, store) {
  const began = performance.now();
  const env = { ...process.env, SAVEPOINT_STORE: store };
  const child = spawn(process.execPath, [join(dist, 'cli/savepoint.js'), ...args], {
    env,
    stdio: ['ignore', 2, 'ignore'],
  });
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('exit', (code) =>
      code === 0 ? done((performance.now() - began) / 1_000) : fail(new Error(`ended with ${code}`)),
    );
  });
}

const places = await openPlaces();
const { folder } = places;
try {
  const file = join(folder, 'players.ndjson');
  writeFileSync(file, Array.from({ length: players }, (_, n) => line(n)).join('\n'));
  for (const kind of places.stores.filter((one) => one !== 'memory')) {
    const store = kind === 'SQLite' ? places.newPlace(kind).file : await places.newDatabase();
    const seconds = {
      import: await run(['import', file, ...game], store),
      again: await run(['import', file, ...game], store),
      export: await run(['export', '--out', join(folder, `${kind}.ndjson`)], store),
    };
    const rates = Object.entries(seconds).map(([what, took]) => `${what} ${Math.round(players / took)}`);
    console.log(`${kind.padEnd(10)} players a second: ${rates.join(', ')}`);
  }
} finally {
  await places.close();
}
