import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServerClient } from 'savepoint/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGameServer } from '../examples/game-server/game-server.mjs';
import { main } from '../examples/game-server/main.mjs';
import { main as signInSocially } from '../examples/social-verifier/main.mjs';
import { createTestService } from './support/service.js';

// examples/msw-tests runs by itself: vitest.config.ts counts it among the tests.

describe('examples/social-verifier', () => {
  it('lets in whom each network knows, and nobody else', async () => {
    const lines: string[] = [];
    await signInSocially({ print: (line) => lines.push(line) });
    expect(lines).toEqual([
      "The portal's token: signed in.",
      'One for another game of the portal: invalid_credentials.',
      "The network's token: signed in.",
      'One that the network does not know: invalid_credentials.',
      "The chat app's token: signed in.",
      'One from ten minutes ago: invalid_credentials.',
      'While the network is away: unavailable.',
    ]);
  });
});

describe('examples/game-server', () => {
  it('tells its story over real ports', async () => {
    const lines: string[] = [];
    await main({ print: (line) => lines.push(line) });
    const [where, ...story] = lines;
    expect(where).toMatch(/^The save service is at http:\/\/127\.0\.0\.1:\d+, the game's back end at http:\/\/127/);
    expect(story).toEqual([
      'Ada is signed in: her client says the same id.',
      'She was given 100 coins.',
      'She buys a sword: bought, 70 coins left.',
      'The same order again: nothing happens, 70 coins left.',
      'One order sent five times at once is granted 1 time.',
      'Without a token: 401 unauthorized.',
      'With a forged one: 401 unauthorized.',
      'A third sword: bought, 10 coins left.',
      'A fourth: 402 not_enough_coins.',
      'Her client reads 10 coins and 3 swords.',
    ]);
  });

  describe('its back end', () => {
    const service = createTestService();
    const { gameId, privateKey, baseUrl, fetch: toService, clock: now } = service;
    const saves = createServerClient({ gameId, environment: 0, privateKey, baseUrl, fetch: toService, now });
    const server = createGameServer(saves);
    const ada = { name: 'ada', password: 'analytical engine', deviceId: 'ada-and-her-laptop' };
    let address: string;

    beforeEach(async () => {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });

    afterEach(async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    });

    async function post(path: string, text: string, headers: Record<string, string> = {}) {
      const response = await fetch(address + path, { method: 'POST', body: text, headers });
      return { status: response.status, body: await response.json() };
    }

    it('hands out what Auth.External needs and no refresh token', async () => {
      const { status, body } = await post('/login', JSON.stringify(ada));
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(['userId', 'accessToken', 'country', 'time']);
    });

    it('counts visits and gives coins once', async () => {
      for (let visit = 0; visit < 2; visit += 1) await post('/login', JSON.stringify(ada));
      const { body } = await post('/login', JSON.stringify({ ...ada, deviceId: 'another-laptop' }));
      const entries = await saves.readCollection({ userId: body.userId, collection: 'profile' });
      expect(entries.find(({ key }) => key === 'wallet')?.value).toEqual({ coins: 100, items: [], orders: [] });
      const visits = entries.find(({ key }) => key === 'visits');
      expect(visits?.value).toEqual({ count: (visits?.version ?? 0) + 1 });
    });

    it.each([
      [401, 'wrong_password', '/login', JSON.stringify({ ...ada, password: 'x' })],
      [401, 'wrong_password', '/login', '{}'],
      [400, 'bad_request', '/login', JSON.stringify({ ...ada, deviceId: 7 })],
      [400, 'bad_request', '/login', '{"name":'],
      [400, 'bad_request', '/login', 'null'],
      [400, 'bad_request', '/login', `"${'x'.repeat(20_000)}"`],
      [404, 'not_found', '/nothing', '{}'],
      [401, 'unauthorized', '/purchase', '{"orderId":"1","item":"sword"}'],
    ])('answers %i %s to %s %.40s', async (status, error, path, text) => {
      expect(await post(path, text)).toEqual({ status, body: { error } });
    });

    it('says that it should be tried again while the service is away', async () => {
      service.backend.control.fail({ with: 'offline', times: 3 });
      expect(await post('/login', JSON.stringify(ada))).toEqual({ status: 503, body: { error: 'try_again' } });
    });
  });
});
