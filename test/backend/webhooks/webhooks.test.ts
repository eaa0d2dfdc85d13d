import { createMemoryStore, type LogRecord, type WebhookOptions } from 'savepoint/backend';
import { expect, it } from 'vitest';
import { webhookDefaults } from '../../../src/protocol/gaps/webhooks.js';
import {
  createTestService,
  post,
  signInGuest,
  type TestService,
  testGameId,
  testStart,
} from '../../support/service.js';
import { createReceiver, type Receiver } from './receiver.js';

const url = 'https://game.example/hooks?secret=of-the-url';
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function createStage(answer?: Parameters<typeof createReceiver>[1], more: Partial<WebhookOptions> = {}) {
  const log: LogRecord[] = [];
  const store = createMemoryStore();
  const stage: { service?: TestService } = {};
  const receiver: Receiver = createReceiver(() => stage.service?.clock() ?? 0, answer);
  const webhook = { url, fetch: receiver.fetch, ...more };
  const service = createTestService({ store, log: (record) => void log.push(record), game: { webhook } });
  stage.service = service;
  const link = (token: string, username: string) =>
    post(service, '/v2/auth/name', { username, password: 'a password of ada' }, { token });
  return { service, store, receiver, log, link };
}

it('tells a back end of a login method that was linked, signed as its own requests are', async () => {
  const { service, receiver, link } = createStage();
  const player = await signInGuest(service);
  expect((await link(player.accessToken, 'ada')).status).toBe(200);
  expect(await service.backend.deliverWebhooks()).toBe(1);
  expect(receiver.received).toEqual([
    {
      id: expect.stringMatching(uuid),
      kind: 'linked',
      gameId: testGameId,
      env: 0,
      userId: player.userId,
      at: testStart,
      sequence: expect.any(Number),
      method: 'name',
    },
  ]);
  expect(receiver.requests).toMatchObject([{ url, method: 'POST', redirect: 'manual' }]);
  expect(await service.backend.deliverWebhooks()).toBe(0);
});

it('says with a deletion when the account is removed', async () => {
  const { service, receiver } = createStage();
  const player = await signInGuest(service);
  const removed = await service.backend.fetch(
    new Request('http://saves.test/v2/auth/account', {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${player.accessToken}` },
    }),
  );
  const { removedAt } = (await removed.json()) as { removedAt: number };
  await service.backend.deliverWebhooks();
  expect(receiver.received).toMatchObject([{ kind: 'deleted', userId: player.userId, removedAt }]);
  expect(JSON.stringify(receiver.requests)).not.toMatch(/recovery|subject|credential/);
});

it('tells of the kinds that the game asks for, and keeps nothing where it has no webhook', async () => {
  const { service, store, link } = createStage(undefined, { events: ['deleted'] });
  await link((await signInGuest(service)).accessToken, 'ada');
  expect(store.dump().events).toEqual([]);

  const other = createMemoryStore();
  const without = createTestService({ store: other });
  const player = await signInGuest(without);
  await post(
    without,
    '/v2/auth/name',
    { username: 'ada', password: 'a password of ada' },
    { token: player.accessToken },
  );
  expect(other.dump().events).toEqual([]);
  expect(await without.backend.deliverWebhooks()).toBe(0);
});

it('tries again what failed, later each time, and tells it in its order', async () => {
  const { service, receiver, link, store } = createStage((n) => new Response(null, { status: n < 2 ? 500 : 200 }));
  const player = await signInGuest(service);
  await link(player.accessToken, 'ada');
  expect(await service.backend.deliverWebhooks()).toBe(0);
  expect(await service.backend.deliverWebhooks()).toBe(0);
  expect(receiver.requests).toHaveLength(1);
  service.backend.control.advance(webhookDefaults.webhookRetryMinMs);
  expect(await service.backend.deliverWebhooks()).toBe(0);
  service.backend.control.advance(2 * webhookDefaults.webhookRetryMinMs - 1);
  expect(await service.backend.deliverWebhooks()).toBe(0);
  service.backend.control.advance(1);
  expect(await service.backend.deliverWebhooks()).toBe(1);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  expect(store.dump().events).toEqual([]);
});

it.each([
  ['a redirect', () => Response.redirect('https://elsewhere.example/')],
  ['a refusal', () => new Response('no', { status: 404 })],
  ['an endless answer', () => new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65_536)) }))],
  ['a lost connection', () => 'lost' as const],
])('takes %s for no delivery, and the log has no address', async (_, answer) => {
  const { service, log, link, store } = createStage(answer);
  await link((await signInGuest(service)).accessToken, 'ada');
  expect(await service.backend.deliverWebhooks()).toBe(0);
  expect(store.dump().events).toMatchObject([{ attempts: 1, deadAt: null }]);
  expect(log.filter(({ kind }) => kind === 'error')).toHaveLength(1);
  expect(JSON.stringify(log)).not.toMatch(/of-the-url|game\.example/);
});

it('gives up on an event after a day, and goes on with the next one of the account', async () => {
  const { service, link, store, receiver } = createStage((n) => {
    return new Response(null, { status: n < webhookDefaults.webhookTries ? 500 : 200 });
  });
  const player = await signInGuest(service);
  await link(player.accessToken, 'ada');
  for (let attempt = 1; attempt <= webhookDefaults.webhookTries; attempt += 1) {
    await service.backend.deliverWebhooks();
    service.backend.control.advance(webhookDefaults.webhookRetryMaxMs);
  }
  const [event] = store.dump().events ?? [];
  expect(event).toMatchObject({ kind: 'linked', attempts: webhookDefaults.webhookTries });
  expect(event?.deadAt).toBeGreaterThan(testStart);
  const { accessToken: token } = (
    await post(service, '/v2/auth/name', {
      username: 'ada',
      password: 'a password of ada',
    })
  )['body'];
  await service.backend.fetch(
    new Request('http://saves.test/v2/auth/account', {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${token}` },
    }),
  );
  expect(await service.backend.deliverWebhooks()).toBe(1);
  expect(receiver.received.at(-1)).toMatchObject({ kind: 'deleted' });
});

it('delivers each event at least once, and in order for one account, where the receiver fails half the time', async () => {
  const { service, receiver, store } = createStage((n) => new Response(null, { status: n % 2 === 0 ? 503 : 200 }));
  const players = await Promise.all(Array.from({ length: 9 }, (_, index) => signInGuest(service, `device-${index}`)));
  for (const name of ['name', 'second', 'third']) {
    for (const [index, { accessToken: token }] of players.entries()) {
      if (name === 'name') {
        await post(service, '/v2/auth/name', { username: `p${index}`, password: 'a password' }, { token });
      } else {
        await post(service, '/v2/auth/guest', { device_id: `${name}-${index}`, intent: 'link' }, { token });
      }
    }
  }
  const told = (store.dump().events ?? []).map(({ accountId, eventId }) => [accountId, eventId] as const);
  expect(told).toHaveLength(27);
  for (let round = 0; round < 100 && store.dump().events?.length !== 0; round += 1) {
    // Two processes on one store.
    await Promise.all([service.backend.deliverWebhooks(), service.backend.deliverWebhooks()]);
    service.backend.control.advance(webhookDefaults.webhookRetryMaxMs);
  }
  expect(store.dump().events).toEqual([]);
  expect(receiver.received.length).toBeGreaterThan(told.length);
  for (const { userId } of players) {
    const ids = receiver.received.filter((event) => event.userId === userId).map(({ id }) => id);
    // A repeat comes right after the first time.
    expect(ids.filter((id, index) => id !== ids[index - 1])).toEqual(
      told.filter(([accountId]) => accountId === userId).map(([, id]) => id),
    );
  }
});

it('follows a reload: a game gets a webhook, and loses it', async () => {
  const store = createMemoryStore();
  const service = createTestService({ store });
  const receiver = createReceiver(service.clock);
  const game = { id: testGameId, privateKeys: [service.privateKey] };
  const next = service.backend.reconfigured({
    games: [{ ...game, webhook: { url, fetch: receiver.fetch } }],
    insecureFastPasswordsForTests: true,
  });
  const told = { ...service, backend: next };
  const player = await signInGuest(told);
  await post(told, '/v2/auth/name', { username: 'ada', password: 'a password' }, { token: player.accessToken });
  expect(await next.deliverWebhooks()).toBe(1);
  const last = next.reconfigured({ games: [game], insecureFastPasswordsForTests: true });
  const other = { ...service, backend: last };
  const second = await signInGuest(other, 'device-two');
  const grace = { username: 'grace', password: 'a password' };
  expect((await post(other, '/v2/auth/name', grace, { token: second.accessToken })).status).toBe(200);
  expect(store.dump().events).toEqual([]);
  expect(await last.deliverWebhooks()).toBe(0);
});

it('begins nothing more once it is to end', async () => {
  const { service, receiver, link } = createStage();
  await link((await signInGuest(service)).accessToken, 'ada');
  expect(await service.backend.deliverWebhooks(AbortSignal.abort())).toBe(0);
  expect(receiver.requests).toEqual([]);
});

it.each([
  [{ url: 'ftp://game.example' }, 'games[0].webhook.url'],
  [{ url: 'https://user:pass@game.example' }, 'games[0].webhook.url'],
  [{ url: 'nonsense' }, 'games[0].webhook.url'],
  [{ url, events: [] }, 'games[0].webhook.events'],
  [{ url, events: ['created'] }, 'games[0].webhook.events'],
  [{ url, fetch: 1 }, 'games[0].webhook.fetch'],
  [null, 'games[0].webhook'],
])('refuses %j, and does not show it', (webhook, option) => {
  const create = () => createTestService({ game: { webhook: webhook as never } });
  expect(create).toThrow(TypeError);
  expect(create).toThrow(new RegExp(`^${option.replaceAll(/[[\].]/g, '\\$&')} must be`));
  expect(create).not.toThrow(/user:pass|nonsense/);
});
