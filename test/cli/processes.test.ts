import { expect, it } from 'vitest';
import type { Asked, ServingProcess } from '../../src/cli/serve/cluster.js';
import { superviseProcesses } from '../../src/cli/serve/processes.js';
import { runCommand } from './in-process.js';
import { gameId, setUpServe } from './served.js';

interface Fake extends ServingProcess {
  number: number;
  asked: Asked[];
  isKilled: boolean;
  listen(): void;
  end(code: number | null, signal?: string): void;
}

/** Processes that do only what a test says, and a clock that it moves. */
function setUp(count: number) {
  const started: Fake[] = [];
  const waits: { ms: number; over(): void }[] = [];
  const lines: Record<string, unknown>[] = [];
  const stop = new AbortController();
  stop.signal.addEventListener('abort', () => {
    for (const { over } of waits) over();
  });
  let now = 0;
  function start(number: number): Fake {
    let listen = (): void => {};
    let end = (_: { code: number | null; signal: string | null }): void => {};
    const fake: Fake = {
      number,
      pid: 100 + started.length,
      asked: [],
      isKilled: false,
      listening: new Promise((resolve) => {
        listen = resolve;
      }),
      ended: new Promise((resolve) => {
        end = resolve;
      }),
      ask: (what) => void fake.asked.push(what),
      metrics: async () => (number === 2 ? null : [`of ${number}`]),
      numbers: async () => null,
      tell() {},
      onTold() {},
      kill() {
        fake.isKilled = true;
      },
      listen: () => listen(),
      end: (code, signal) => end({ code, signal: signal ?? null }),
    };
    started.push(fake);
    return fake;
  }
  const processes = superviseProcesses({
    count,
    start,
    out: (line) => lines.push(JSON.parse(line)),
    now: () => now,
    wait: (ms) =>
      new Promise((resolve) => {
        waits.push({ ms, over: resolve });
      }),
    stop: stop.signal,
    endWithinMs: 5,
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const pass = (ms: number): void => {
    now += ms;
  };
  return { started, waits, lines, stop, processes, settle, pass };
}

const numbers = (started: Fake[]): number[] => started.map(({ number }) => number);

it('starts the others once the first one listens, and asks all of them', async () => {
  const { started, processes, settle, stop } = setUp(3);
  const run = processes.run();
  await settle();
  expect(numbers(started)).toEqual([1]);
  started[0]?.listen();
  await settle();
  expect(numbers(started)).toEqual([1, 2, 3]);
  processes.ask('reload');
  expect(started.map(({ asked }) => asked)).toEqual([['reload'], ['reload'], ['reload']]);
  expect(await processes.metrics()).toEqual([['of 1'], ['of 3']]);
  stop.abort();
  expect(started.map(({ asked }) => asked.at(-1))).toEqual(['stop', 'stop', 'stop']);
  for (const one of started) one.end(0);
  expect(await run).toBe(0);
});

it('ends with the first one, where that ends before it listens', async () => {
  const { started, processes, settle } = setUp(3);
  const run = processes.run();
  await settle();
  started[0]?.end(2);
  expect(await run).toBe(2);
  expect(started).toHaveLength(1);
});

it('starts again whichever ends by itself, at once; and later and later where it ends soon', async () => {
  const { started, waits, lines, processes, settle, pass, stop } = setUp(2);
  const run = processes.run();
  started[0]?.listen();
  await settle();
  pass(60_000);
  started[1]?.end(null, 'SIGKILL');
  await settle();
  expect(numbers(started)).toEqual([1, 2, 2]);
  expect(lines.at(-2)).toMatchObject({
    kind: 'process_ended',
    level: 'error',
    process: 2,
    pid: 101,
    signal: 'SIGKILL',
  });
  expect(waits).toEqual([]);
  for (let times = 0; times < 9; times += 1) {
    started.at(-1)?.end(1);
    await settle();
    expect(waits).toHaveLength(times + 1);
    waits.at(-1)?.over();
    await settle();
  }
  expect(waits.map(({ ms }) => ms)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  expect(numbers(started)).toEqual([1, 2, ...Array.from({ length: 10 }, () => 2)]);
  // One that lasted begins with no pause again.
  pass(60_000);
  started.at(-1)?.end(1);
  await settle();
  expect(waits).toHaveLength(9);
  started.at(-1)?.end(1);
  await settle();
  const before = started.length;
  stop.abort();
  started[0]?.end(0);
  expect(await run).toBe(0);
  // What waited to be started is not started any more.
  expect(started).toHaveLength(before);
});

it('kills one that does not end in time', async () => {
  const { started, processes, settle, stop } = setUp(1);
  const run = processes.run();
  started[0]?.listen();
  await settle();
  stop.abort();
  await expect.poll(() => started[0]?.isKilled, { interval: 2 }).toBe(true);
  started[0]?.end(null, 'SIGKILL');
  expect(await run).toBe(0);
});

const { whole } = setUpServe();

it.each([
  [
    './saves.db',
    /needs PostgreSQL, for a file is for one process: give SAVEPOINT_STORE=postgres:\/\/… \(savepoint move/,
  ],
  ['memory', /needs PostgreSQL, for what is in memory is for one process/],
])('says what several processes need, on %s', async (store, message) => {
  const env = { ...whole(), SAVEPOINT_GAME_ID: gameId, SAVEPOINT_STORE: store };
  const { code, err } = await runCommand(['serve', '--processes', '2', '--port', '0'], { env });
  expect(err).toMatch(message);
  expect(code).toBe(2);
});

it.each(['0', '65', 'two', '-1', ''])('refuses %j processes', async (processes) => {
  const { code, err } = await runCommand(['serve', `--processes=${processes}`, '--port', '0'], { env: whole() });
  expect(err).toMatch(/the number of processes must be from 1 to 64/);
  expect(code).toBe(2);
});
