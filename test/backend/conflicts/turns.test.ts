import { createMemoryStore } from 'savepoint/backend';
import { describe, expect, it } from 'vitest';
import { pathOf } from '../../../src/protocol/addresses.js';
import { accountDefaults } from '../../../src/protocol/gaps/accounts.js';
import { operations } from '../../../src/protocol/operations.js';
import {
  createTestService,
  makeDivergedConflict,
  post,
  send,
  type TestService,
  testGameId,
} from '../../support/service.js';

const choose = (service: TestService, body: Record<string, unknown>) =>
  post(service, operations.resolveConflict.path, body, { deviceId: 'device-two' });

/** A conflict in a service whose store says how many of its reads of whole accounts are under way. */
async function makeWatchedConflict(options: Partial<Parameters<typeof createTestService>[0]> = {}) {
  const store = createMemoryStore();
  const seen = { now: 0, most: 0, all: 0 };
  const watch = <Request, Result>(read: (request: Request) => Promise<Result>) => {
    return async (request: Request): Promise<Result> => {
      seen.now += 1;
      seen.all += 1;
      seen.most = Math.max(seen.most, seen.now);
      await new Promise((resolve) => setImmediate(resolve));
      try {
        return await read(request);
      } finally {
        seen.now -= 1;
      }
    };
  };
  const watched = {
    ...store,
    readConflictSides: watch(store.readConflictSides),
    resolveConflict: watch(store.resolveConflict),
    readSnapshot: watch(store.readSnapshot),
    restoreSnapshot: watch(store.restoreSnapshot),
  };
  const service = createTestService({ store: watched, ...options });
  const { conflict } = await makeDivergedConflict(service, { local: { a: '{"n":1}' }, cloud: { a: '{"n":2}' } });
  return { service, seen, ticket: conflict.ticket };
}

describe('many choices at once', () => {
  const restsOn = { local: [], cloud: [] };

  it.each([
    ['local', {}],
    ['cloud', {}],
    ['merge', { entries: [], rests_on: restsOn }],
  ])('%s: read the accounts of one conflict in turns, as other whole reads do', async (choice, more) => {
    const { service, seen, ticket } = await makeWatchedConflict();
    const answers = await Promise.all(Array.from({ length: 100 }, () => choose(service, { ticket, choice, ...more })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([choice === 'merge' ? 409 : 200]));
    expect([seen.most, seen.all]).toEqual([accountDefaults.wholeReadsAtOncePerAccount, 100]);
  });

  it('read no account where they merge nothing, or by a ticket that is none', async () => {
    const { service, seen, ticket } = await makeWatchedConflict();
    const codes = (answers: { body: { code: string } }[]) => [...new Set(answers.map(({ body }) => body.code))];
    const many = (body: Record<string, unknown>) =>
      Promise.all(Array.from({ length: 20 }, () => choose(service, { choice: 'merge', ...body })));
    expect(codes(await many({ ticket }))).toEqual(['invalid_request']);
    expect(seen.all).toBe(0);
    const sides = { ticket: 'no ticket' };
    const answer = await post(service, operations.readConflictSides.path, sides, { deviceId: 'device-two' });
    expect([answer.body.code, seen.all]).toEqual(['conflict_stale', 0]);
  });

  it('refuse a merge that says nothing at once, however many wait', async () => {
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const store = createMemoryStore();
    const service = createTestService({
      store: {
        ...store,
        resolveConflict: async (request) => {
          await held;
          return store.resolveConflict(request);
        },
      },
    });
    const { conflict } = await makeDivergedConflict(service, { local: { a: '{"n":1}' }, cloud: { a: '{"n":2}' } });
    const { ticket } = conflict;
    const waiting = Array.from({ length: 10 }, () => choose(service, { ticket, choice: 'local' }));
    expect(await choose(service, { ticket, choice: 'merge' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
    letGo();
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('count for the ticket', async () => {
    const { service, ticket } = await makeWatchedConflict({
      limits: { rates: { readsPerAccount: { tries: 5, windowMs: 60_000 } } },
    });
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1) statuses.push((await choose(service, { ticket, choice: 'merge' })).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
  });
});

describe('those who ask for a snapshot at once', () => {
  it.each([
    ['read', operations.readSnapshot, 'GET'],
    ['restore', operations.restoreSnapshot, 'POST'],
  ] as const)('%s it in turns, and read none where there is none', async (_, operation, method) => {
    const { service, seen, ticket } = await makeWatchedConflict();
    const { accessToken: token } = (await choose(service, { ticket, choice: 'cloud' })).body;
    const { body } = await send(service, operations.listSnapshots.path, { token });
    const [{ id }] = body.snapshots;
    const ask = (snapshot: string) => send(service, pathOf(operation, { snapshot }), { method, token });
    Object.assign(seen, { most: 0, all: 0 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(id)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect([seen.most, seen.all]).toEqual([accountDefaults.wholeReadsAtOncePerAccount, 50]);
    expect((await ask(testGameId)).status).toBe(404);
    expect(seen.all).toBe(method === 'GET' ? 50 : 51);
  });
});
