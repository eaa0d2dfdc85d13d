// What one service process does on each store: requests a second, and bytes an account.
// Run by `npm run bench:stores`, which builds first. PostgreSQL is measured where TEST_DATABASE_URL names one.
// No network: requests are handed to `fetch`, 32 at a time. Compare ratios, machines differ.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createBackend, createMemoryStore } from '../dist/backend/index.js';
import { createPostgresStore } from '../dist/backend/postgres.js';
import { createSqliteStore } from '../dist/backend/sqlite.js';

const gameId = '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d';
const atOnce = 32;
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const accounts = Number(process.env.BENCH_ACCOUNTS ?? 5_000);
const url = process.env.TEST_DATABASE_URL;
const folder = mkdtempSync(join(tmpdir(), 'savepoint-bench-'));
const schema = `bench_${process.pid}`;

const value = { level: 12, coins: 3_400, name: 'Ada', items: ['sword', 'shield'], notes: 'x'.repeat(900) };

/**
 * Calls a second; the process's own CPU time for one, in microseconds, which other programs disturb least; and how long
 * the middle one and the slowest of a hundred took, in ms.
 */
async function measure(task) {
  const times = [];
  const end = performance.now() + seconds * 1_000;
  const start = performance.now();
  const before = process.cpuUsage();
  let calls = 0;
  const worker = async (index) => {
    while (performance.now() < end) {
      const from = performance.now();
      await task(index, calls++);
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, index) => worker(index)));
  const rate = times.length / ((performance.now() - start) / 1_000);
  const { user, system } = process.cpuUsage(before);
  const cpu = (user + system) / times.length;
  times.sort((left, right) => left - right);
  const at = (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;
  return { rate, cpu, p50: at(0.5), p99: at(0.99) };
}

async function measureService(store) {
  const backend = createBackend({ games: [{ id: gameId, privateKeys: ['a private key of the bench'] }], store });
  await backend.ready();
  const ask = async (path, { method = 'GET', token, body } = {}) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await backend.fetch(new Request(`http://saves.test${path}`, request));
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const guest = (device) =>
    ask('/v2/auth/guest', { method: 'POST', body: { game_id: gameId, env: 0, device_id: device } });
  const collection = `/v2/cl/games/${gameId}/collections/progress`;
  const write = (player, version) =>
    ask(`${collection}/main?env=0`, { method: 'PATCH', token: player.token, body: { version, value } });
  const players = [];
  for (let index = 0; index < atOnce; index += 1) {
    const { accessToken } = await guest(`device-of-player-${index}`);
    const player = { token: accessToken, version: 0 };
    await write(player, -1);
    players.push(player);
  }
  return {
    'first guest sign-in': await measure((_, call) => guest(`device-of-guest-${call}`)),
    'returning sign-in': await measure((index) => guest(`device-of-player-${index}`)),
    'read a collection': await measure((index) => ask(`${collection}?env=0`, { token: players[index].token })),
    'update an entry': await measure(async (index) => {
      players[index].version = (await write(players[index], players[index].version)).version;
    }),
    'force an entry': await measure(async (index) => {
      value.coins += 1;
      await write(players[index], -1);
    }),
  };
}

/** Accounts with five entries of 1 kB, straight into the store. */
async function fill(store) {
  const environment = 0;
  // Each its own: V8 keeps equal pieces of a text once.
  const textOf = (...at) => JSON.stringify({ ...value, notes: at.join('-').padEnd(900, 'x') });
  const lost = { snapshotId: 'none', expiresAt: 0, max: 1 };
  const one = async (index) => {
    const accountId = `00000000-0000-4000-9000-${String(index).padStart(12, '0')}`;
    const owner = { gameId, environment, accountId };
    const subject = `a device's hash, of forty-three characters ${index}`;
    const link = { gameId, environment, method: 'device', subject, label: null, credential: null };
    await store.ensureAccount({ link, accountId, now: 1 });
    for (let entry = 0; entry < 5; entry += 1) {
      const names = { collection: 'progress', key: `slot-${entry}` };
      await store.writeEntry({
        owner,
        ...names,
        text: textOf(index, entry),
        version: 'absent',
        lost,
        maxEntries: 10,
        now: 1,
      });
    }
  };
  for (let from = 0; from < accounts; from += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, accounts - from) }, (_, index) => one(from + index)));
  }
}

const heap = () => {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
};

const places = {
  memory: {
    open: async () => createMemoryStore(),
    size: async () => heap(),
  },
  SQLite: {
    open: (name) => createSqliteStore({ file: join(folder, `${name}.db`) }),
    size: async (name) => statSync(join(folder, `${name}.db`)).size,
  },
  ...(url === undefined
    ? {}
    : {
        PostgreSQL: {
          open: (name) =>
            createPostgresStore({ connectionString: url, schema: `${schema}_${name}`, maxConnections: 16 }),
          async size(name) {
            const client = new pg.Client({ connectionString: url });
            await client.connect();
            const text = `SELECT sum(pg_total_relation_size(format('%I.%I', schemaname, tablename)::regclass)) AS bytes
              FROM pg_tables WHERE schemaname = $1`;
            const { rows } = await client.query(text, [`${schema}_${name}`]);
            await client.query(`DROP SCHEMA "${schema}_${name}" CASCADE`);
            await client.end();
            return Number(rows[0].bytes);
          },
        },
      }),
};

console.log(
  `Node ${process.version}, ${availableParallelism()} cores, ${atOnce} requests at once, ${seconds} s each\n`,
);
const measured = new Map();
for (const [name, place] of Object.entries(places)) {
  const store = await place.open('service');
  measured.set(name, await measureService(store));
  await store.close?.();
  if (name === 'PostgreSQL') await place.size('service');
}
const base = measured.get('memory');
for (const [name, figures] of measured) {
  for (const [what, { rate, cpu, p50, p99 }] of Object.entries(figures)) {
    const columns = [
      name.padEnd(12),
      what.padEnd(22),
      `${rate.toFixed(0).padStart(7)} /s`,
      `${(rate / base[what].rate).toFixed(2).padStart(6)} of memory`,
      `cpu ${cpu.toFixed(0).padStart(5)} us`,
      `p50 ${p50.toFixed(1).padStart(6)} ms`,
      `p99 ${p99.toFixed(1).padStart(6)} ms`,
    ];
    console.log(columns.join('  '));
  }
  console.log('');
}

console.log(`${accounts} accounts with five entries of 1 kB`);
for (const [name, place] of Object.entries(places)) {
  const before = name === 'memory' ? heap() : 0;
  const store = await place.open('size');
  await fill(store);
  const rss = process.memoryUsage().rss;
  await store.close?.();
  const bytes = (await place.size('size')) - before;
  // The store has to be there still when the heap is looked at.
  if (store === undefined) throw new Error('no store');
  console.log(
    `${name.padEnd(12)}${(bytes / accounts).toFixed(0).padStart(7)} bytes an account, rss ${(rss / 2 ** 20).toFixed(0)} MB`,
  );
}
rmSync(folder, { recursive: true });
