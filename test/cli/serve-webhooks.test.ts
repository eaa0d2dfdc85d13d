import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
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

  it('tells nothing to a receiver whose certificate is trusted no longer, and keeps it', {
    timeout: 60_000,
  }, async () => {
    const [trusted, other] = [certificate('trusted'), certificate('other')];
    const bodies: string[] = [];
    const server = createTlsServer(trusted, (incoming, outgoing) => {
      void text(incoming).then((body) => bodies.push(body));
      outgoing.writeHead(204).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => void server.close());
    const url = `https://localhost:${(server.address() as AddressInfo).port}/hooks`;
    const games = [{ id: gameId, privateKeys: [privateKey], webhook: { url } }];
    const config = fileWith('tls.config.json', JSON.stringify({ games, limits: { rates: false } }));
    const { SAVEPOINT_GAME_ID: _, SAVEPOINT_PRIVATE_KEY: __, ...keys } = whole();
    const store = `${folder()}/tls.db`;
    const env = { ...keys, NODE_EXTRA_CA_CERTS: fileWith('trusted.pem', trusted.cert) };
    const service = await serve(['--config', config, '--store', store], { env });
    const event = async (name: string): Promise<void> => {
      const device = { device_id: `device-of-${name}`, game_id: gameId, env: 0 };
      const headers = { 'Content-Type': 'application/json' };
      const guest = { method: 'POST', headers, body: JSON.stringify(device) };
      const { accessToken } = (await (await fetch(`${service.url}/v2/auth/guest`, guest)).json()) as never;
      const body = JSON.stringify({ ...device, username: name, password: 'a password' });
      const linking = { method: 'POST', headers: { ...headers, Authorization: `Bearer ${accessToken}` }, body };
      expect((await fetch(`${service.url}/v2/auth/name`, linking)).status).toBe(200);
    };
    await event('ada');
    await expect.poll(() => bodies.length, { timeout: 10_000, interval: 5 }).toBe(1);
    server.setSecureContext(other);
    server.closeAllConnections();
    await event('grace');
    const failed = (): boolean => service.lines().some((line) => /could not be delivered/.test(line.message ?? ''));
    await expect.poll(failed, { timeout: 10_000, interval: 5 }).toBe(true);
    expect(bodies).toHaveLength(1);
    expect(service.stdout()).not.toContain('localhost:');
    service.child.kill('SIGKILL');
    await service.ended;
    const opened = await createSqliteStore({ file: store });
    expect(await opened.readEventQueue({ gameId, max: 100, lostFrom: 0 })).toMatchObject({ waiting: 1, dead: 0 });
    await opened.close();
  });

  /** A certificate for localhost that nobody has signed, and its key. */
  function certificate(name: string): { key: string; cert: string } {
    const [key, cert] = [`${folder()}/${name}.key`, `${folder()}/${name}.crt`];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '1'];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, '-keyout', key, '-out', cert],
      {
        stdio: 'ignore',
      },
    );
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
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
    expect(await opened.readEventQueue({ gameId, max: 100, lostFrom: 0 })).toMatchObject({ waiting: 0, dead: 0 });
    await opened.close();
    const came = receiver.received.map(({ userId, kind }) => `${userId} ${kind}`);
    const first = [...new Set(came)];
    for (const userId of new Set(told.map((one) => one.split(' ')[0]))) {
      const of = (all: readonly string[]) => all.filter((one) => one.startsWith(String(userId)));
      expect(of(first)).toEqual(of(told));
    }
  });
});
