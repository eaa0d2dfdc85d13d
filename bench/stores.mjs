// What one service process does on each store, without a network: requests a second, how long one takes, and the CPU time
// that it costs. Requests are handed to `fetch`, 32 at a time. Run by `npm run bench:stores`, which builds first; over HTTP,
// and what an account takes: `npm run bench:service`. Compare ratios, machines differ.
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { createBackend, createMemoryStore } from '../dist/backend/index.js';
import { runPgbench, watchUpdates } from './service/pgbench.mjs';
import { openPlaces } from './service/places.mjs';
import { openStore } from './service/store.mjs';

const gameId = '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d';
const atOnce = 32;
/** How many connections a store on PostgreSQL takes. */
const connections = 10;
/** How pgbench sends the statement. */
const pgbenchModes = [
  ['prepared', 'prepared as well'],
  ['extended', 'planned each time'],
];
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const updateRounds = 5;
const updateRow = 'update an entry';
const namedRow = 'update it by name';
const storeRow = 'update, store alone';
/** How much longer an update with a name may take. */
const nameCostBound = 1.15;

const value = { level: 12, coins: 3_400, name: 'Ada', items: ['sword', 'shield'], notes: 'x'.repeat(900) };

/**
 * Calls a second; the process's own CPU time for one, in microseconds, which other programs disturb least; and how long
 * the middle one and the slowest of a hundred took, in ms.
 */
async function measure(task, lasts = seconds) {
  const times = [];
  const end = performance.now() + lasts * 1_000;
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

/** A service on the store, and as many players with an entry as there are requests at once. */
async function openService(store) {
  /** The last update of each account, as the service asks the store for it. */
  const asked = new Map();
  const watched = {
    ...store,
    updateEntry(request) {
      asked.set(request.owner.accountId, request);
      return store.updateEntry(request);
    },
  };
  const backend = createBackend({
    games: [{ id: gameId, privateKeys: ['a private key of the bench'] }],
    store: watched,
  });
  await backend.ready();
  const ask = async (path, { method = 'GET', token, body, key } = {}) => {
    const headers = {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
      ...(key && { 'idempotency-key': key }),
    };
    const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await backend.fetch(new Request(`http://saves.test${path}`, request));
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const guest = (device) =>
    ask('/v2/auth/guest', { method: 'POST', body: { game_id: gameId, env: 0, device_id: device } });
  const collection = `/v2/cl/games/${gameId}/collections/progress`;
  const write = (player, version, key) =>
    ask(`${collection}/main?env=0`, { method: 'PATCH', token: player.token, body: { version, value }, key });
  const update = async (player, key) => {
    player.version = (await write(player, player.version, key)).version;
  };
  const players = [];
  for (let index = 0; index < atOnce; index += 1) {
    const { accessToken } = await guest(`device-of-player-${index}`);
    const player = { token: accessToken, version: 0 };
    await write(player, -1);
    // A player of three devices and a back end has four of them in the ledger.
    for (let device = 0; device < 4; device += 1) await update(player, `${randomUUID()}:${randomUUID()}`);
    players.push({ ...player, device: randomUUID() });
  }
  return { store, ask, guest, collection, write, update, players, asked };
}

/** Updates that the store alone carries out, each player's in turn, without what the service does around them. */
async function measureStore({ store, players, asked, update, write }) {
  for (const player of players) await update(player);
  const requests = [...asked.values()];
  const figures = await measure(async (index) => {
    const request = requests[index];
    // The request as it was carried out, on top of itself.
    const written = await store.updateEntry({ ...request, version: request.version + 1, now: Date.now() });
    if (written.outcome !== 'written') throw new Error(`the store has answered ${written.outcome}`);
    request.version += 1;
  });
  for (const player of players) player.version = (await write(player, -1)).version;
  return figures;
}

async function measureService(service) {
  const { ask, guest, collection, write, update, players } = service;
  return {
    'first guest sign-in': await measure((_, call) => guest(`device-of-guest-${call}`)),
    'read a collection': await measure((index) => ask(`${collection}?env=0`, { token: players[index].token })),
    ...(await measureUpdates(players, update)),
    [storeRow]: await measureStore(service),
    'force an entry': await measure(async (index) => {
      value.coins += 1;
      await write(players[index], -1);
    }),
    // The last one: of more sessions than an account may have, those end that the others use.
    'returning sign-in': await measure((index) => guest(`device-of-player-${index}`)),
  };
}

/** The same update without a name and with one, in turns, so that both have the same machine. */
async function measureUpdates(players, update) {
  const plain = [];
  const named = [];
  for (let round = 0; round < updateRounds; round += 1) {
    plain.push(await measure((index) => update(players[index]), seconds / updateRounds));
    const name = (call) => `write-${round}-${call}`;
    named.push(
      await measure(
        (index, call) => update(players[index], `${players[index].device}:${name(call)}`),
        seconds / updateRounds,
      ),
    );
  }
  return { [updateRow]: median(plain), [namedRow]: median(named) };
}

/** The round of the middle, by what a call costs. */
function median(rounds) {
  return [...rounds].sort((left, right) => left.cpu - right.cpu)[Math.floor(rounds.length / 2)];
}

/** What a name costs: how much longer an update with one takes, by rate and by the process's own CPU time. */
function printNameCost(measured) {
  for (const [name, figures] of measured) {
    const [plain, named] = [figures[updateRow], figures[namedRow]];
    const [rate, cpu] = [plain.rate / named.rate, named.cpu / plain.cpu];
    const bound = rate > nameCostBound ? `  over the bound of ${nameCostBound}` : '';
    console.log(
      `${name.padEnd(12)}  an update with a name: ${rate.toFixed(2)} of one without (cpu ${cpu.toFixed(2)})${bound}`,
    );
  }
}

/** What pgbench does with the statement of an update, beside what the service does, and the store alone. */
async function printPgbench(measured, { updates, connectionString }) {
  const figures = measured.get('PostgreSQL');
  for (const [index, [mode, words]] of pgbenchModes.entries()) {
    // Each mode has players of its own: it begins at the version that their entries have.
    const own = updates.slice(index * connections, (index + 1) * connections);
    const rate = await runPgbench({ connectionString, folder: places.folder, updates: own, seconds, mode });
    if (rate === undefined) return console.log('pgbench is left out: this machine has none.');
    for (const row of [updateRow, storeRow]) {
      const ours = figures[row].rate;
      console.log(
        `PostgreSQL    ${row}: ${ours.toFixed(0)} /s, pgbench with the same statement, ${words}: ${rate.toFixed(0)} /s; ` +
          `${(ours / rate).toFixed(2)} of pgbench`,
      );
    }
  }
}

function printTable(measured) {
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
}

console.log(
  `Node ${process.version}, ${availableParallelism()} cores, ${atOnce} requests at once, ${seconds} s each\n`,
);
const places = await openPlaces();
try {
  const measured = new Map();
  let statement = null;
  for (const name of places.stores) {
    const place = places.newPlace(name);
    const store = (await openStore(place)) ?? createMemoryStore();
    const service = await openService(store);
    measured.set(name, await measureService(service));
    if (name === 'PostgreSQL') {
      // The many sign-ins have ended the sessions of before.
      for (const [index, player] of service.players.entries())
        player.token = (await service.guest(`device-of-player-${index}`)).accessToken;
      const updates = await watchUpdates(async () => {
        for (const player of service.players)
          await service.write(player, -1).then(({ version }) => (player.version = version));
        for (const player of service.players) await service.update(player);
      });
      statement = {
        updates: updates.slice(-pgbenchModes.length * connections),
        connectionString: place.connectionString,
      };
    }
    await store.close?.();
  }
  printTable(measured);
  printNameCost(measured);
  if (statement !== null) await printPgbench(measured, statement);
} finally {
  await places.close();
}
