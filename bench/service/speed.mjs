// Requests a second and the processor's time for one, as ratios to the floor of the same round.
import { availableParallelism, loadavg } from 'node:os';
import { median, range } from './figures.mjs';
import { load } from './load.mjs';
import { leaveOut } from './peers.mjs';
import { connections, preparePlayers } from './players.mjs';
import { start } from './processes.mjs';

const ms = 1_000;
/** Until then V8 still compiles: by requests and not by time, as a busy machine answers few in a second. */
const warmUp = { requests: 10_000, ms: 10_000 };
/** Given with the task that this service was written for, measured on 2 such cores; not measured here. */
const emulator = { what: "Firebase's emulator", guests: 412 };

const isBefore = (name) => name.endsWith(', before');

async function startOurs(places, before) {
  const services = { floor: { ...(await start('./floor.mjs')), prepare: preparePlayers } };
  for (const store of places.stores) {
    const service = await start('./ours.mjs', { place: places.newPlace(store) });
    services[store] = { ...service, prepare: preparePlayers };
    if (before === undefined) continue;
    const env = { BENCH_BUILD: before };
    const earlier = await start('./ours.mjs', { place: places.newPlace(store), env });
    services[`${store}, before`] = { ...earlier, prepare: preparePlayers };
  }
  const env = { BENCH_OBSERVED: '1' };
  services['memory, metrics'] = { ...(await start('./ours.mjs', { env })), prepare: preparePlayers };
  return services;
}

async function warm({ port, warmUpRequests = warmUp.requests }, next) {
  let left = warmUpRequests;
  const nextOrNone = (index) => {
    left -= 1;
    return left < 0 ? null : next(index);
  };
  await load(port, nextOrNone, { connections, ms: warmUp.ms });
}

async function measureOne({ port, ask }, next) {
  const before = await ask();
  const { perSecond, answered } = await load(port, next, { connections, ms });
  const { cpu } = await ask();
  return { perSecond, work: (cpu.user + cpu.system - before.cpu.user - before.cpu.system) / answered };
}

/** What each service does, by kind and name. A peer that fails is left out from there on; ours may not fail. */
async function measureAll(services, { rounds, isPeer }) {
  const running = { ...services };
  const work = {};
  const attempt = async (name, task) => {
    try {
      await task(running[name]);
    } catch (error) {
      if (!isPeer(name)) throw error;
      leaveOut(name, error);
      delete running[name];
    }
  };
  for (const name of Object.keys(running)) {
    await attempt(name, async (service) => {
      work[name] = await service.prepare(service.port);
      for (const next of Object.values(work[name])) await warm(service, next);
    });
  }
  const measured = Object.fromEntries(Object.keys(work.floor).map((kind) => [kind, {}]));
  // In turn, so that whatever else the machine does falls on all of them.
  for (let round = 0; round < rounds; round += 1) {
    for (const [kind, taken] of Object.entries(measured)) {
      for (const name of Object.keys(running).filter((each) => work[each][kind] !== undefined)) {
        await attempt(name, async (service) => {
          taken[name] ??= [];
          taken[name].push(await measureOne(service, work[name][kind]));
        });
      }
    }
  }
  return measured;
}

/** Of each round by itself, as both had the same machine in it. */
function ratioOf(taken, base, of) {
  return median(taken.map((figures, round) => of(figures) / of(base[round])));
}

function printTable(measured) {
  const head = [
    'a second, median (least to most)'.padEnd(54),
    'of floor',
    '   of memory',
    '  processor',
    '   of floor',
  ];
  console.log(head.join(''));
  for (const [kind, taken] of Object.entries(measured)) {
    for (const [name, figures] of Object.entries(taken)) {
      const speeds = figures.map(({ perSecond }) => perSecond);
      const columns = [
        `${kind}, ${name}`.padEnd(28),
        median(speeds).toFixed(0).padStart(8),
        range(speeds).padStart(18),
        ratioOf(figures, taken.floor, ({ perSecond }) => perSecond)
          .toFixed(2)
          .padStart(8),
        ratioOf(figures, taken.memory, ({ perSecond }) => perSecond)
          .toFixed(2)
          .padStart(12),
        `${median(figures.map(({ work }) => work)).toFixed(0)} µs`.padStart(11),
        ratioOf(figures, taken.floor, ({ work }) => 1 / work)
          .toFixed(2)
          .padStart(11),
      ];
      console.log(columns.join(''));
    }
  }
}

function printAgainstBefore(measured) {
  console.log('\nthis build against the one before, of each round by itself, median (least to most)');
  for (const [kind, taken] of Object.entries(measured)) {
    for (const name of Object.keys(taken).filter(isBefore)) {
      const now = taken[name.slice(0, -', before'.length)];
      const ratios = now.map(({ perSecond }, round) => perSecond / taken[name][round].perSecond);
      const work = now.map((figures, round) => figures.work / taken[name][round].work);
      const least = `(${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;
      const columns = [`${kind}, ${name}`.padEnd(34), median(ratios).toFixed(2), least.padStart(16)];
      console.log(`${columns.join('  ')}  processor for each ${median(work).toFixed(2)}`);
    }
  }
}

function printAgainstEmulator(guests, stores) {
  const times = stores.map((store) => {
    const perSecond = median(guests[store].map((figures) => figures.perSecond));
    return `${store} ${(perSecond / emulator.guests).toFixed(1)} times`;
  });
  const given = `${emulator.guests} a second on 2 such cores, a given figure, not of this run`;
  console.log(`\nguest sign-in against ${emulator.what} (${given}): ${times.join(', ')}`);
}

/** Starts the floor and a service for each store, and prints what they, the build before and the peers do. */
export async function measureSpeed(places, { rounds, peers, before }) {
  const ours = await startOurs(places, before);
  const isPeer = (name) => peers[name] !== undefined;
  const measured = await measureAll({ ...ours, ...peers }, { rounds, isPeer });
  for (const { stop } of [...Object.values(ours), ...Object.values(peers)]) await stop();
  const machine = `${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)}, Node ${process.version}`;
  console.log(`${rounds} rounds of ${ms / 1_000} s each, in turn; ${connections} connections; ${machine}`);
  printTable(measured);
  if (before !== undefined) printAgainstBefore(measured);
  printAgainstEmulator(measured['guest sign-in'], places.stores);
}
