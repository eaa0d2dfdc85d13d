import { type BackendOptions, createMemoryStore, type LogRecord } from 'savepoint/backend';
import { describe, expect, it } from 'vitest';
import { webhookDefaults } from '../../../src/protocol/gaps/webhooks.js';
import { adminOf, createOperatedService, operatorOf, otherGame } from '../../support/operators.js';
import { post, signInGuest, type TestService, testGameId, testPrivateKey, testStart } from '../../support/service.js';
import { createReceiver } from '../webhooks/receiver.js';

const { webhookTries, webhookRetryMaxMs, webhookCountMs, webhookKeptMs, webhooksRetriedAtOnce } = webhookDefaults;
const gameId = testGameId;
const url = 'https://game.example/hooks?secret=of-the-url';

/** A game whose back end answers so, until `status` is set. */
function createStage(first: number | 'lost' = 500, more: Pick<Partial<BackendOptions>, 'limits' | 'log'> = {}) {
  const answer = { status: first };
  const store = createMemoryStore();
  const stage: { service?: TestService } = {};
  const receiver = createReceiver(
    () => stage.service?.clock() ?? 0,
    () => (answer.status === 'lost' ? 'lost' : new Response(null, { status: answer.status })),
  );
  const games = [{ id: gameId, privateKeys: [testPrivateKey], webhook: { url, fetch: receiver.fetch } }, otherGame];
  const service = createOperatedService({ store, games, ...more });
  stage.service = service;
  const { backend } = service;
  /** Tries to deliver so often that what fails is set aside. */
  const giveUp = async () => {
    for (let tries = 0; tries < webhookTries; tries += 1) {
      await backend.deliverWebhooks();
      backend.control.advance(webhookRetryMaxMs);
    }
  };
  const link = async (name: string) => {
    const player = await signInGuest(service, `device-of-${name}`);
    await post(service, '/v2/auth/name', { username: name, password: 'a password' }, { token: player.accessToken });
    return player.userId;
  };
  return { service, backend, games, store, answer, receiver, link, giveUp, admin: adminOf(service) };
}

describe('an operator', () => {
  it('sees how many events wait, and since when', async () => {
    const { admin, backend, link } = createStage();
    expect(await admin.webhooks({ gameId })).toEqual({ waiting: 0, dead: 0, events: [] });
    await link('ada');
    backend.control.advance(5_000);
    await link('grace');
    expect(await admin.webhooks({ gameId })).toEqual({ waiting: 2, oldestAt: testStart, dead: 0, events: [] });
    expect(await admin.webhooks({ gameId: otherGame.id })).toEqual({ waiting: 0, dead: 0, events: [] });
  });

  it('sees which events were set aside and why, and nothing of what they tell', async () => {
    const { admin, link, giveUp, service } = createStage(404);
    const ada = await link('ada');
    await admin.players({ gameId, environment: 0 }).ban(ada, { reason: 'a secret of the support' });
    await giveUp();
    await giveUp();
    const queue = await admin.webhooks({ gameId });
    expect(queue).toMatchObject({ waiting: 0, dead: 2 });
    expect(queue.events.map(({ kind }) => kind)).toEqual(['banned', 'linked']);
    expect(queue.events[1]).toEqual({
      id: expect.any(String),
      kind: 'linked',
      env: 0,
      userId: ada,
      at: testStart,
      attempts: webhookTries,
      lastStatus: 404,
      deadAt: expect.any(Number),
      removedAt: testStart + webhookKeptMs,
    });
    expect(queue.events[1]?.deadAt).toBeLessThanOrEqual(service.clock());
    expect(JSON.stringify(queue)).not.toMatch(/secret|game\.example/);
  });

  it('sees of an event that nobody answered no status', async () => {
    const { admin, link, giveUp } = createStage('lost');
    await link('ada');
    await giveUp();
    const [event] = (await admin.webhooks({ gameId })).events;
    expect(event).toMatchObject({ attempts: webhookTries });
    expect(event).not.toHaveProperty('lastStatus');
  });

  it('has them sent again, one or all, each before the later ones of its player', async () => {
    const { admin, link, giveUp, answer, backend, receiver } = createStage();
    for (const name of ['ada', 'grace', 'lin']) await link(name);
    await giveUp();
    const { events, cursor } = await admin.webhooks({ gameId, limit: 2 });
    expect(events).toHaveLength(2);
    const rest = await admin.webhooks({ gameId, cursor });
    expect(new Set([...events, ...rest.events].map(({ id }) => id)).size).toBe(3);
    expect(rest).not.toHaveProperty('cursor');

    answer.status = 204;
    const id = events[0]?.id as string;
    expect(await admin.retryWebhooks({ gameId, id: id.toUpperCase() })).toEqual({ retried: 1, hasMore: false });
    await expect(admin.retryWebhooks({ gameId, id })).rejects.toMatchObject({ code: 'not_found' });
    expect(await backend.deliverWebhooks()).toBe(1);
    expect(receiver.received.at(-1)).toMatchObject({ id, kind: 'linked' });
    backend.control.advance(1);
    expect(await admin.retryWebhooks({ gameId: otherGame.id })).toEqual({ retried: 0, hasMore: false });
    expect(await admin.retryWebhooks({ gameId })).toEqual({ retried: 2, hasMore: false });
    expect(await backend.deliverWebhooks()).toBe(2);
    expect(await admin.webhooks({ gameId })).toEqual({ waiting: 0, dead: 0, events: [] });
    const audit = (await admin.audit()).entries.filter(({ action }) => action === 'retryWebhooks');
    expect(audit.map(({ what, after }) => ({ what, after }))).toEqual([
      { what: { game: gameId, event: null }, after: { waiting: 2 } },
      { what: { game: gameId, event: id }, after: { waiting: 1 } },
    ]);
  });

  it('is told to ask again where more were set aside than one request takes', async () => {
    const { admin, store } = createStage();
    const account = { gameId, environment: 0, accountId: 'a' } as const;
    const state = { kind: 'unbanned', at: 1, details: {}, attempts: 32, lastStatus: 500, dueAt: 1, deadAt: 1 } as const;
    const events = Array.from({ length: webhooksRetriedAtOnce + 1 }, (_, index) => {
      return { ...account, ...state, ordinal: index, eventId: `e-${index}`, expiresAt: testStart * 2 };
    });
    store.load({ ...store.dump(), events });
    expect(await admin.retryWebhooks({ gameId })).toEqual({ retried: webhooksRetriedAtOnce, hasMore: true });
    expect(await admin.retryWebhooks({ gameId })).toEqual({ retried: 1, hasMore: false });
  });

  it('needs a key that allows it, and a game that there is', async () => {
    const { service } = createStage();
    const reader = await operatorOf(service, 'read');
    expect(await reader.webhooks({ gameId })).toMatchObject({ waiting: 0 });
    await expect(reader.retryWebhooks({ gameId })).rejects.toMatchObject({ code: 'insufficient_scope' });
    const support = await operatorOf(service, 'support');
    expect(await support.retryWebhooks({ gameId })).toEqual({ retried: 0, hasMore: false });
    const none = '00000000-0000-4000-8000-000000000000';
    await expect(support.webhooks({ gameId: none })).rejects.toMatchObject({ code: 'not_found' });
    await expect(support.retryWebhooks({ gameId: none })).rejects.toMatchObject({ code: 'not_found' });
    await expect(support.webhooks({ gameId, cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(support.retryWebhooks({ gameId, id: 'x' })).rejects.toThrow(TypeError);
  });
});

it('of a back end that takes nothing the oldest events go, and a warning, the operators and the metrics say so', async () => {
  const log: LogRecord[] = [];
  const lost = () => log.filter(({ kind }) => kind === 'warning');
  const limits = { webhookEventsPerGame: 2 };
  const { admin, backend, games, link, giveUp, service } = createStage(500, {
    limits,
    log: (record) => void log.push(record),
  });
  for (const name of ['ada', 'grace']) await link(name);
  await backend.sweep();
  expect([await admin.webhooks({ gameId }), lost()]).toMatchObject([{ waiting: 2 }, []]);
  await giveUp();
  for (const name of ['lin', 'mary', 'joan']) await link(name);
  backend.control.advance(60_000);
  // The sweep that comes with a request.
  await service.backend.fetch(new Request('http://saves.test/openapi.json'));
  expect(await admin.webhooks({ gameId })).toMatchObject({ waiting: 2, dead: 0, lost: 3 });
  await backend.deliverWebhooks();
  expect(backend.load().webhooks).toMatchObject([{ waiting: 2, lost: 3 }]);
  expect(lost()).toEqual([
    {
      kind: 'warning',
      time: expect.any(Number),
      code: 'webhook_events_lost',
      message: expect.stringMatching(/ of more than 2 /),
      gameId,
      lost: 3,
    },
  ]);
  await link('kay');
  await backend.sweep();
  expect(lost()).toHaveLength(1);
  // A reload may bring another limit, and what was warned of is said once more.
  await backend
    .reconfigured({ games, limits: { webhookEventsPerGame: 1 }, log: (record) => void log.push(record) })
    .sweep();
  expect(lost()).toHaveLength(2);
  expect(await admin.webhooks({ gameId })).toMatchObject({ waiting: 1, lost: 5 });
});

it('the queue that metrics show is counted by who delivers, once in a while', async () => {
  const { backend, link, answer, giveUp } = createStage();
  expect(backend.load().webhooks).toEqual([]);
  await link('ada');
  await backend.deliverWebhooks();
  expect(backend.load().webhooks).toEqual([{ gameId, waiting: 1, oldestAgeMs: 0, dead: 0, lost: 0 }]);
  await link('grace');
  backend.control.advance(webhookCountMs - 1);
  await backend.deliverWebhooks();
  expect(backend.load().webhooks).toMatchObject([{ waiting: 1, oldestAgeMs: webhookCountMs - 1 }]);
  backend.control.advance(1);
  await backend.deliverWebhooks();
  expect(backend.load().webhooks).toMatchObject([{ waiting: 2 }]);
  await giveUp();
  await backend.deliverWebhooks();
  expect(backend.load().webhooks).toEqual([{ gameId, waiting: 0, oldestAgeMs: 0, dead: 2, lost: 0 }]);
  answer.status = 204;
  const without = backend.reconfigured({
    games: [{ id: gameId, privateKeys: [testPrivateKey] }],
    insecureFastPasswordsForTests: true,
  });
  await without.deliverWebhooks();
  expect(without.load().webhooks).toEqual([]);
});
