import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createBackend } from 'savepoint/backend';
import { createSqliteStore } from 'savepoint/backend/sqlite';
import { verifyRequest } from 'savepoint/server';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebhookEvent } from '../../src/protocol/webhooks.js';
import { gameId, privateKey, setUpServe } from './served.js';

const { serve, whole, fileWith, folder } = setUpServe();
const later = 2 * 60 * 60_000;

describe('savepoint serve with a webhook', () => {
  const ends: (() => void)[] = [];
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });

  /** A game's back end that has each event before it refuses every other one. */
  async function listen() {
    const received: WebhookEvent[] = [];
    let clock = 0;
    const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
      const body = await text(incoming);
      const now = Date.now() + clock;
      const { ok } = await verifyRequest({ privateKeys: [privateKey], headers: incoming.headers, body, now });
      if (ok) received.push(JSON.parse(body) as WebhookEvent);
      outgoing.writeHead(received.length % 2 === 0 ? 204 : 503).end();
    };
    const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
    return {
      received,
      url,
      advance(ms: number) {
        clock += ms;
      },
    };
  }

  it('loses no event by kill -9, and each account has its events in order', { timeout: 60_000 }, async () => {
    const receiver = await listen();
    const store = `${folder()}/hooks.db`;
    const games = [{ id: gameId, privateKeys: [privateKey], webhook: { url: receiver.url } }];
    const config = fileWith('hooks.config.json', JSON.stringify({ games, limits: { rates: false } }));
    const { SAVEPOINT_GAME_ID: _, SAVEPOINT_PRIVATE_KEY: __, ...env } = whole();
    const service = await serve(['--config', config, '--store', store], { env });
    const ask = async (method: string, path: string, body: object | null, token?: string) => {
      const headers = {
        'Content-Type': 'application/json',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      };
      const scope = { game_id: gameId, env: 0 };
      const sent = body === null ? {} : { body: JSON.stringify({ ...scope, ...body }) };
      const answer = await fetch(`${service.url}${path}`, { method, headers, ...sent });
      expect(answer.status).toBe(200);
      // biome-ignore lint/suspicious/noExplicitAny: what is not there fails below.
      return (await answer.json()) as any;
    };

    const told: string[] = [];
    for (let player = 0; player < 6; player += 1) {
      const device = { device_id: `device-of-player-${player}` };
      const { accessToken: token, userId } = await ask('POST', '/v2/auth/guest', device);
      await ask('POST', '/v2/auth/name', { ...device, username: `player${player}`, password: 'a password' }, token);
      await ask('DELETE', '/v2/auth/account', null, token);
      told.push(`${userId} linked`, `${userId} deleted`);
    }
    await expect.poll(() => receiver.received.length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(2);
    service.child.kill('SIGKILL');
    await service.ended;

    // Another process, when leases have ended and all is due again.
    const opened = await createSqliteStore({ file: store });
    let clock = later;
    const next = createBackend({ games, store: opened, clock: () => Date.now() + clock });
    receiver.advance(later);
    for (let round = 0; round < 20; round += 1) {
      await next.deliverWebhooks();
      clock += later;
      receiver.advance(later);
    }
    expect(await opened.readEventQueue({ gameId, max: 100 })).toEqual({ waiting: 0, oldestAt: null, dead: 0 });
    await opened.close();
    const came = receiver.received.map(({ userId, kind }) => `${userId} ${kind}`);
    const first = [...new Set(came)];
    for (const userId of new Set(told.map((one) => one.split(' ')[0]))) {
      const of = (all: readonly string[]) => all.filter((one) => one.startsWith(String(userId)));
      expect(of(first)).toEqual(of(told));
    }
  });
});
