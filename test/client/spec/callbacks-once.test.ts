import fc from 'fast-check';
import { Auth, Main } from 'savepoint';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTestService } from '../../support/service.js';
import { createMemoryStorage } from '../world.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => {
  Main.Dispose();
  vi.useRealTimers();
});

/** What a game calls, one after the other or all at once, and what happens to the ways to the service. */
const steps = fc.array(
  fc.record({
    call: fc.constantFrom('init', 'name', 'other name', 'wrong password', 'guest', 'sign out', 'dispose'),
    way: fc.constantFrom('on', 'on', 'on', 'off', 'lost'),
    waits: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

/** A call of the interface: how often its callback was called, before its promise settled and at last. */
interface Called {
  name: string;
  heard: unknown[];
  atSettling: number | null;
  result: unknown;
}

/** Lets time pass until it has settled: the tries of a request have pauses between them. */
async function inTime(call: Promise<unknown>): Promise<void> {
  let isSettled = false;
  const settled = call.then(() => {
    isSettled = true;
  });
  while (!isSettled) {
    await vi.advanceTimersByTimeAsync(200);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await settled;
}

async function play(sequence: typeof steps extends fc.Arbitrary<infer Steps> ? Steps : never): Promise<Called[]> {
  const { gameId, baseUrl, backend } = createTestService({ clock: () => Date.now() });
  let way = 'on';
  const config = {
    GameId: gameId,
    Environment: 0,
    BaseUrl: baseUrl,
    Storage: createMemoryStorage(),
    Fetch: async (request: Request) => {
      const mine = way;
      const answer = mine === 'off' ? undefined : await backend.fetch(request);
      if (mine === 'on' && answer !== undefined) return answer;
      throw new TypeError('fetch failed');
    },
    TimeoutMs: 1_000,
  } as const;
  const called: Called[] = [];
  const waiting: Promise<unknown>[] = [];
  function follow(name: string, call: (callback: (result: unknown) => void) => Promise<unknown>): Promise<unknown> {
    const one: Called = { name, heard: [], atSettling: null, result: undefined };
    called.push(one);
    const settled = call((result) => void one.heard.push(result)).then((result) => {
      Object.assign(one, { atSettling: one.heard.length, result });
    });
    waiting.push(settled);
    return settled;
  }
  const calls: { readonly [name: string]: () => Promise<unknown> | undefined } = {
    init: () => follow('Init', (OnReadyCallback) => Main.Init({ ...config, OnReadyCallback } as never)),
    name: () => follow('WithName', (callback) => Auth.WithName('ada', 'correct horse', callback)),
    'other name': () => follow('WithName', (callback) => Auth.WithName('bob', 'correct horse', callback)),
    'wrong password': () => follow('WithName', (callback) => Auth.WithName('ada', 'wrong horse', callback)),
    guest: () => follow('AsGuest', (callback) => Auth.AsGuest(callback)),
    'sign out': () => follow('SignOut', (callback) => Auth.SignOut(gameId, 0, callback)),
    dispose: () => void Main.Dispose(),
  };
  void calls['init']?.();
  for (const { call, way: next, waits } of sequence) {
    way = next;
    const made = calls[call]?.();
    if (waits && made !== undefined) await inTime(made);
  }
  Main.Dispose();
  await inTime(Promise.all(waiting));
  // Whatever comes late has come by then.
  await new Promise((resolve) => setImmediate(resolve));
  return called;
}

it('a callback comes once, with what the promise gives and before it settles, whatever happens beside it', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      for (const { name, heard, atSettling, result } of await play(sequence)) {
        expect([name, heard, atSettling]).toEqual([name, [result], 1]);
      }
    }),
    { numRuns: 40, seed: 4873 },
  );
});
