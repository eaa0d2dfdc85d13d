// What the service does in a second, beside the least that one of its kind can do, in the same run; how soon it answers, and
// what it keeps in memory. Run by `npm run bench:service`, which builds first. Compare the ratios: machines differ.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { gameId, load, requestText } from './service/load.mjs';
import { availableStores } from './service/stores.mjs';

const rounds = Number(process.env.ROUNDS ?? 7);
const ms = 1_000;
const file = (name) => new URL(`./service/${name}.mjs`, import.meta.url);

async function start(name, ...args) {
  const startedAt = performance.now();
  const child = fork(file(name), args, { execArgv: ['--expose-gc'] });
  const [{ port }] = await once(child, 'message');
  const ask = async (what = 'work') => {
    child.send(what);
    const [usage] = await once(child, 'message');
    return usage;
  };
  const stop = async () => {
    child.kill();
    await once(child, 'exit');
  };
  return { port, ask, stop, startedAt };
}

const scope = { game_id: gameId, env: 0 };
const value = { level: 12, coins: 3_400, name: 'Ada', items: ['sword', 'shield', 'bow'] };
let devices = 0;
const guest = () => {
  devices += 1;
  return requestText('POST', '/v2/auth/guest', { body: { ...scope, device_id: `device-${devices}-of-the-bench` } });
};
const collection = `/v2/cl/games/${gameId}/collections/progress`;

/** Each connection is a player of its own, with five entries. */
async function preparePlayers(port, connections = 32) {
  const { answers } = await load(port, guest, { connections: 1, count: connections, ms: 60_000 });
  const tokens = answers.map((text) => JSON.parse(text).accessToken);
  const write = (token, key, version) =>
    requestText('PATCH', `${collection}/key-${key}?env=0`, { token, body: { value, version } });
  const writes = tokens.flatMap((token) => [0, 1, 2, 3, 4].map((key) => write(token, key, -1)));
  await load(port, (_, sent) => writes[sent - 1], { connections: 1, count: writes.length, ms: 60_000 });
  const updates = tokens.map(() => 0);
  return {
    'guest sign-in': guest,
    read: (index) => requestText('GET', `${collection}?env=0`, { token: tokens[index] }),
    // By version, as the SDKs write: each is based on the one before.
    update(index) {
      const count = updates[index];
      updates[index] += 1;
      return write(tokens[index], count % 5, Math.floor(count / 5));
    },
  };
}

function median(numbers) {
  return numbers.toSorted((left, right) => left - right)[Math.floor((numbers.length - 1) / 2)];
}

const services = { floor: await start('floor') };
for (const store of availableStores()) services[store] = await start('ours', store);
const work = {};
const measured = {};
for (const [name, { port }] of Object.entries(services)) {
  work[name] = await preparePlayers(port);
  for (const next of Object.values(work[name])) await load(port, next, { ms: 1_500 });
}
// In turn, so that whatever else the machine does falls on all of them.
for (let round = 0; round < rounds; round += 1) {
  for (const kind of Object.keys(work.floor)) {
    for (const [name, { port, ask }] of Object.entries(services)) {
      const before = await ask();
      const { perSecond, answered } = await load(port, work[name][kind], { ms });
      const { cpu } = await ask();
      const used = cpu.user + cpu.system - before.cpu.user - before.cpu.system;
      measured[`${kind}|${name}`] ??= [];
      measured[`${kind}|${name}`].push({ perSecond, work: used / answered });
    }
  }
}
for (const { stop } of Object.values(services)) await stop();

console.log(
  `${rounds} rounds of ${ms / 1_000} s each, in turn; 32 connections; load of the machine ${loadavg()[0].toFixed(1)}`,
);
console.log(`${'a second, median (least to most)'.padEnd(52)}   of floor  processor   of floor`);
for (const kind of Object.keys(work.floor)) {
  const floor = measured[`${kind}|floor`];
  for (const name of Object.keys(services)) {
    const taken = measured[`${kind}|${name}`];
    const speeds = taken.map(({ perSecond }) => perSecond);
    const works = taken.map(({ work: used }) => used);
    // Of each round by itself: both had the same machine.
    const ratio = median(taken.map(({ perSecond }, round) => perSecond / floor[round].perSecond));
    const workRatio = median(floor.map(({ work: used }, round) => used / taken[round].work));
    const range = `(${Math.min(...speeds).toFixed(0)} to ${Math.max(...speeds).toFixed(0)})`;
    const columns = [
      `${kind}, ${name}`.padEnd(26),
      median(speeds).toFixed(0).padStart(8),
      range.padStart(18),
      ratio.toFixed(2).padStart(11),
      `${median(works).toFixed(0)} µs`.padStart(11),
      workRatio.toFixed(2).padStart(11),
    ];
    console.log(columns.join(''));
  }
}

const starts = [];
const idle = [];
for (let round = 0; round < 5; round += 1) {
  const service = await start('ours', 'memory');
  await load(service.port, guest, { connections: 1, count: 1, ms: 60_000 });
  starts.push(performance.now() - service.startedAt);
  idle.push((await service.ask('memory')).memory.rss / 1e6);
  await service.stop();
}
console.log(
  `\nstart of the process to the first guest: ${median(starts).toFixed(0)} ms (${Math.min(...starts).toFixed(0)} to ${Math.max(...starts).toFixed(0)})`,
);
console.log(
  `memory of the idle process: ${median(idle).toFixed(0)} MB (${Math.min(...idle).toFixed(0)} to ${Math.max(...idle).toFixed(0)})`,
);
