// How long a request takes on PostgreSQL with 0.1, 1 and 10 million accounts of two entries each (1 kB), which are filled in by
// COPY: reads, updates, sign-ins, the search of an operator, and retention. Run by `npm run bench:scale`, which builds first.
// `ACCOUNTS=100000,1000000` chooses the sizes, BENCH_SECONDS how long each is measured. 10 million take 45 GB of disk and a quarter
// of an hour to fill. All of it is gone when the run ends.

import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createBackend } from '../dist/backend/index.js';
import { createPostgresStore } from '../dist/backend/postgres.js';
import { findPostgres } from '../scripts/postgres.mjs';
import { accountId, deviceOf, fill, gameId, subjectOf } from './scale/fill.mjs';
import { openPlaces } from './service/places.mjs';

const sizes = (process.env.ACCOUNTS ?? '100000,1000000,10000000').split(',').map(Number);
const seconds = Number(process.env.BENCH_SECONDS ?? 10);
const atOnce = 8;
/** How much longer an update may take with the most accounts than with the fewest. */
const updateBound = 1.5;

/** The middle one and the slowest of a hundred, in ms, and how many a second. `task` says when there is no more to do. */
async function measure(task, lasts = seconds) {
  const times = [];
  const start = performance.now();
  let calls = 0;
  const worker = async (index) => {
    while (performance.now() < start + lasts * 1_000) {
      const from = performance.now();
      if ((await task(calls++, index)) === false) return;
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, index) => worker(index)));
  const rate = times.length / ((performance.now() - start) / 1_000);
  times.sort((left, right) => left - right);
  const at = (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), rate };
}

function serviceOn(store) {
  const backend = createBackend({ games: [{ id: gameId, privateKeys: ['a private key of the bench'] }], store });
  return async (path, { method = 'GET', token, body } = {}) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await backend.fetch(new Request(`http://saves.test${path}`, request));
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
}

async function measureSize(store, accounts) {
  const ask = serviceOn(store);
  const any = () => Math.floor(Math.random() * accounts);
  const collection = `/v2/cl/games/${gameId}/collections/progress`;
  const scope = { gameId, environment: 0 };
  /** Of the entries that have been updated. */
  const versions = new Map();
  /** By their numbers, each of one worker's own, so that no two write to one account at once. */
  const players = Array.from({ length: atOnce }, () => new Map());

  async function signIn() {
    const n = any();
    const body = { game_id: gameId, env: 0, device_id: deviceOf(n) };
    const { accessToken, userId } = await ask('/v2/auth/guest', { method: 'POST', body });
    if (userId !== accountId(n)) throw new Error('a sign-in has not found its account');
    players[n % atOnce].set(n, { n, token: accessToken });
  }
  await measure(signIn, 1);
  const signIns = await measure(signIn);
  const own = players.map((some) => [...some.values()]);
  const turns = own.map(() => 0);
  const playerOf = (worker) => own[worker][turns[worker]++ % own[worker].length];
  const read = await measure((_, worker) => ask(`${collection}?env=0`, { token: playerOf(worker).token }));
  const update = await measure(async (call, worker) => {
    const player = playerOf(worker);
    const body = { version: versions.get(player.n) ?? 1, value: { call, notes: 'x'.repeat(900) } };
    const { version } = await ask(`${collection}/main?env=0`, { method: 'PATCH', token: player.token, body });
    versions.set(player.n, version);
  });
  const search = await measure(async () => {
    const link = await store.findLink({ ...scope, method: 'device', subject: subjectOf(any()) });
    await store.readAccount({ ...scope, accountId: link.accountId });
    const after = { at: Date.now() - Math.floor(Math.random() * 31_536_000_000), id: '' };
    await store.listAccounts({ scope, list: 'last_seen', after, max: 50, now: Date.now() });
  }, seconds / 2);
  let isOver = false;
  const retention = await measure(async (_, worker) => {
    if (worker > 0 || isOver) return false;
    const now = Date.now();
    isOver = (await store.removeExpired({ now, orphanedBefore: 0, deletedBefore: 0, batch: 200 })) < 200;
    return true;
  }, seconds / 2);
  return {
    'read a collection': read,
    'update an entry': update,
    'returning sign-in': signIns,
    'search (an operator)': search,
    'retention, 200 records': retention,
  };
}

const ms = (value) => (value < 10 ? value.toFixed(2) : value.toFixed(1));

function printTable(measured) {
  const columns = [...measured.keys()].map((size) => `${size / 1e6} million`);
  console.log(`| p50 / p99 in ms | ${columns.join(' | ')} |\n|---|${columns.map(() => '---|').join('')}`);
  for (const what of Object.keys([...measured.values()][0])) {
    const cells = [...measured.values()].map((figures) => `${ms(figures[what].p50)} / ${ms(figures[what].p99)}`);
    console.log(`| ${what} | ${cells.join(' | ')} |`);
  }
  const updates = [...measured.values()].map((figures) => figures['update an entry'].p50);
  const ratio = updates.at(-1) / updates[0];
  const isOver = ratio > updateBound;
  const bound = isOver ? `, over the bound of ${updateBound}` : '';
  console.log(`\nan update with the most accounts takes ${ratio.toFixed(2)} of one with the fewest${bound}`);
  if (isOver) process.exitCode = 1;
}

/** One line that writes over itself on a terminal, and a line every ten seconds elsewhere. */
function createSay() {
  let last = 0;
  return (what, { perSecond, restMs }) => {
    const pause = process.stderr.isTTY ? 500 : 10_000;
    if (performance.now() - last < pause) return;
    last = performance.now();
    const line = `${what}, ${perSecond.toFixed(0)} accounts' rows /s, ${(restMs / 1_000).toFixed(0)} s left`;
    process.stderr.write(process.stderr.isTTY ? `\r${line}\x1b[K` : `${line}\n`);
  };
}

console.log(
  `Node ${process.version}, ${availableParallelism()} cores, ${atOnce} requests at once, ${seconds} s each, load ${loadavg()[0].toFixed(1)} before\n`,
);
const places = await openPlaces({ wal_level: 'minimal', max_wal_senders: 0, max_wal_size: '8GB' });
try {
  const psql = join(findPostgres() ?? '', 'psql');
  const measured = new Map();
  for (const size of sizes) {
    const place = places.newPlace('PostgreSQL');
    const store = await createPostgresStore({ ...place, maxConnections: atOnce });
    const client = new pg.Client({ connectionString: place.connectionString });
    await client.connect();
    const started = performance.now();
    await fill({ psql, ...place }, { accounts: size, now: Date.now(), say: createSay() });
    await client.query('CHECKPOINT');
    const filledIn = (performance.now() - started) / 1_000;
    const bytes = await places.sizeOf(place);
    console.log(
      `${size} accounts: ${(bytes / 1e9).toFixed(1)} GB, ${(bytes / size).toFixed(0)} bytes each; filled in ${filledIn.toFixed(0)} s; load ${loadavg()[0].toFixed(1)}`,
    );
    measured.set(size, await measureSize(store, size));
    await store.close();
    await client.query(`DROP SCHEMA "${place.schema}" CASCADE`);
    await client.end();
  }
  console.log('');
  printTable(measured);
} finally {
  await places.close();
}
