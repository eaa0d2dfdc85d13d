import { createClient } from 'savepoint';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSender, type FetchLike } from '../../src/http/sender.js';
import { operations } from '../../src/protocol/operations.js';
import { assembleServerClient } from '../../src/server/create-server-client.js';
import type { JsonObject, ServerClient, ServerClientOptions } from '../../src/server/index.js';
import { signRequest } from '../../src/server/index.js';
import { readOptions } from '../../src/server/options.js';
import { losingFirstAnswers, withoutLedger } from '../support/older-service.js';
import {
  createTestService,
  post,
  signInGuest,
  type TestService,
  testGameId,
  testPrivateKey,
} from '../support/service.js';

const player = { customUserId: 'player-42', deviceId: 'device-of-42', ip: '203.0.113.9' };
const otherGame = { id: 'b2c3d4e5-0000-4000-8000-000000000001', privateKeys: ['other-private-key'] };

/** The SDK on a service of the test's own, without a port and without waiting between tries. */
function clientOf(service: TestService, options: Partial<ServerClientOptions> = {}): ServerClient {
  const { gameId, privateKey, baseUrl, authUrl, fetch, clock: now } = service;
  const settings = readOptions({ gameId, environment: 0, privateKey, baseUrl, authUrl, fetch, now, ...options });
  return assembleServerClient(settings, createSender({ fetch: settings.fetch, backOffMs: () => 0 }));
}

const addOne = ({ coins = 0 }: JsonObject = {}): JsonObject => ({ coins: Number(coins) + 1 });

describe('against the service', () => {
  let service: TestService;
  let client: ServerClient;

  beforeEach(() => {
    service = createTestService({ resolveCountry: (address) => (address === player.ip ? 'NO' : null) });
    client = clientOf(service);
  });

  describe('authenticate', () => {
    it('makes an account and finds it again by the custom id alone', async () => {
      const first = await client.authenticate(player);
      expect(first).toMatchObject({ status: 0, country: 'NO', time: service.clock() });
      const again = await client.authenticate({ ...player, deviceId: 'another-device' });
      expect(again.userId).toBe(first.userId);
      const somebody = await client.authenticate({ ...player, customUserId: 'player-43' });
      expect(somebody.userId).not.toBe(first.userId);
    });

    it("keeps a guest's progress: the custom id is linked to the device's account", async () => {
      const guest = await signInGuest(service, player.deviceId);
      expect((await client.authenticate(player)).userId).toBe(guest.userId);
    });

    it.each(['lost-answer', 'offline', { status: 503 }, { status: 429, retryAfter: 1 }] as const)(
      'gets through after %j, with a signature that is not refused as a replay',
      async (fault) => {
        service.backend.control.fail({ with: fault, times: 2 });
        const { userId } = await client.authenticate(player);
        expect((await client.authenticate(player)).userId).toBe(userId);
        expect(service.backend.control.requests.map(({ code }) => code)).not.toContain('nonce_reused');
      },
    );

    it('corrects a clock that is hours away', async () => {
      const slow = clientOf(service, { now: () => service.clock() - 7_200_000 });
      expect((await slow.authenticate(player)).time).toBe(service.clock());
      expect(service.backend.control.requests.map(({ status }) => status)).toEqual([401, 200]);
    });

    it('works with base64 as well', async () => {
      const base64 = clientOf(service, { signatureEncoding: 'base64' });
      expect((await base64.authenticate(player)).status).toBe(0);
    });

    it('is refused with the key of another game, and says no more', async () => {
      const wrong = clientOf(service, { privateKey: 'another-private-key' });
      const call = wrong.authenticate(player);
      await expect(call).rejects.toMatchObject({ code: 'invalid_signature', status: 401, retryable: false });
    });

    it('keeps the environments apart', async () => {
      const stage = await clientOf(service, { environment: 1 }).authenticate(player);
      expect(stage.userId).not.toBe((await client.authenticate(player)).userId);
    });
  });

  it('a request that was signed by hand counts once', async () => {
    const body = JSON.stringify({ custom_user_id: 'player-42', device_id: 'device-7', game_id: testGameId, env: 0 });
    const signed = await signRequest({ privateKey: testPrivateKey, body, timestamp: service.clock() });
    const request = (): Request => new Request(`${service.authUrl}/v2/auth/server`, { method: 'POST', ...signed });
    expect((await service.fetch(request())).status).toBe(200);
    expect(await (await service.fetch(request())).json()).toMatchObject({ code: 'nonce_reused' });
  });

  it('the private key can be changed without a pause', async () => {
    const withKeys = (...privateKeys: string[]) => createTestService({ game: { privateKeys } });
    const [old, both, fresh] = [withKeys('old-key'), withKeys('old-key', 'new-key'), withKeys('new-key')];
    const code = async (where: TestService, privateKey: string) => {
      const one = clientOf(where, { privateKey });
      const failed = ({ code }: { code: string }) => code;
      const signed = await one.authenticate(player).then(() => 'ok', failed);
      const { userId } = await signInGuest(where);
      const bearer = await one.readCollection({ userId, collection: 'profile' }).then(() => 'ok', failed);
      return `${signed} ${bearer}`;
    };
    expect(await code(old, 'new-key')).toBe('invalid_signature unauthorized');
    expect(await code(both, 'old-key')).toBe('ok ok');
    expect(await code(both, 'new-key')).toBe('ok ok');
    expect(await code(fresh, 'old-key')).toBe('invalid_signature unauthorized');
    expect(await code(fresh, 'new-key')).toBe('ok ok');
  });

  describe('entries', () => {
    let userId: string;

    beforeEach(async () => {
      ({ userId } = await client.authenticate(player));
    });

    it('come back as they were written, in the order of their keys', async () => {
      const value = { z: 1, a: { list: [1.5, 'ü', null] } };
      await client.updateEntry({ userId, collection: 'profile', key: 'b/ ☃', value, version: -1 });
      await client.updateEntry({ userId, collection: 'profile', key: 'a', value: {}, version: -1 });
      const entries = await client.readCollection({ userId, collection: 'profile' });
      expect(entries).toEqual([
        { key: 'a', value: {}, version: 0 },
        { key: 'b/ ☃', value, version: 0 },
      ]);
      expect(Object.keys(entries[1]?.value ?? {})).toEqual(['z', 'a']);
    });

    it('are written only over the version that the update is based on', async () => {
      const entry = { userId, collection: 'profile', key: 'stats' };
      expect(await client.updateEntry({ ...entry, value: { coins: 1 }, version: -1 })).toEqual({ version: 0 });
      expect(await client.updateEntry({ ...entry, value: { coins: 2 }, version: 0 })).toEqual({ version: 1 });
      const late = client.updateEntry({ ...entry, value: { coins: 9 }, version: 0 });
      const stored = { currentVersion: 1, currentValue: { coins: 2 } };
      await expect(late).rejects.toMatchObject({ code: 'version_mismatch', ...stored });
      const absent = client.updateEntry({ ...entry, key: 'none', value: {}, version: 0 });
      await expect(absent).rejects.toMatchObject({ code: 'version_mismatch', currentVersion: -1 });
    });

    it('of a user that there is not are refused, of an unknown collection there are none', async () => {
      const nobody = '00000000-0000-4000-8000-000000000000';
      const call = client.readCollection({ userId: nobody, collection: 'profile' });
      await expect(call).rejects.toMatchObject({ code: 'user_not_found' });
      expect(await client.readCollection({ userId, collection: 'none' })).toEqual([]);
    });

    it('are what the player sees too', async () => {
      await client.editEntry({ userId, collection: 'profile', key: 'wallet' }, addOne);
      const { accessToken, country, time } = await client.authenticate(player);
      const { gameId, baseUrl, fetch } = service;
      const kept = new Map<string, string>();
      const storage = {
        getItem: (name: string) => kept.get(name) ?? null,
        setItem: (name: string, text: string) => kept.set(name, text),
        removeItem: (name: string) => kept.delete(name),
      };
      const theirs = createClient({ gameId, environment: 0, baseUrl, fetch, storage, autoLogin: false });
      await theirs.init();
      await theirs.auth.external({ userId, accessToken, country, serverTime: time });
      const profile = theirs.profile.collection('profile');
      await profile.load();
      expect(profile.get('wallet')).toEqual({ coins: 1 });
      await profile.update('wallet', addOne);
      await theirs.profile.flush();
      theirs.dispose();
      const edited = await client.editEntry({ userId, collection: 'profile', key: 'wallet' }, addOne);
      expect(edited).toMatchObject({ value: { coins: 3 }, version: 2 });
    });

    it.each([
      ['absent', false],
      ['there already', true],
    ])('lose none of 20 edits at once where the entry is %s', async (_, exists) => {
      const entry = { userId, collection: 'profile', key: 'wallet' };
      if (exists) await client.updateEntry({ ...entry, value: { coins: 0 }, version: -1 });
      await Promise.all(Array.from({ length: 20 }, () => client.editEntry(entry, addOne)));
      const [wallet] = await client.readCollection({ userId, collection: 'profile' });
      expect(wallet).toEqual({ key: 'wallet', value: { coins: 20 }, version: exists ? 20 : 19 });
    });

    it('lose none of 20 edits by five processes that all find it absent', async () => {
      const entry = { userId, collection: 'profile', key: 'wallet' };
      const processes = Array.from({ length: 5 }, () => clientOf(service));
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => (processes[index % 5] as ServerClient).editEntry(entry, addOne)),
      );
      const [wallet] = await client.readCollection({ userId, collection: 'profile' });
      expect(wallet).toEqual({ key: 'wallet', value: { coins: 20 }, version: 19 });
    });

    it('lose none of 20 edits by five processes while answers get lost', async () => {
      const entry = { userId, collection: 'profile', key: 'wallet' };
      await client.updateEntry({ ...entry, value: { orders: [] }, version: -1 });
      const buy = (order: number) => (held: JsonObject | undefined) => {
        const orders = held?.['orders'] as number[];
        return orders.includes(order) ? undefined : { orders: [...orders, order] };
      };
      const processes = Array.from({ length: 5 }, () => clientOf(service));
      service.backend.control.fail({ with: 'lost-answer', times: 15 });
      const edit = async (order: number): Promise<void> => {
        const edits = () => (processes[order % 5] as ServerClient).editEntry(entry, buy(order));
        // An edit whose outcome nobody knows is made again by its caller; the order's id keeps it from counting twice.
        for (let done = false; !done; )
          done = await edits().then(
            () => true,
            ({ retryable }) => !retryable,
          );
      };
      await Promise.all(Array.from({ length: 20 }, (_, order) => edit(order)));
      const [wallet] = await client.readCollection({ userId, collection: 'profile' });
      const orders = wallet?.value['orders'] as number[];
      expect(orders.toSorted((left, right) => left - right)).toEqual(Array.from({ length: 20 }, (_, order) => order));
    });
  });

  describe('writes whose first answers get lost', () => {
    const entry = { userId: '', collection: 'profile', key: 'wallet' };

    beforeEach(async () => {
      entry.userId = (await client.authenticate(player)).userId;
    });

    const stored = async () => (await client.readCollection({ userId: entry.userId, collection: 'profile' }))[0];

    it.each([
      ['absent', false],
      ['there already', true],
    ])('count once each, by five processes at once, where the entry is %s', async (_, exists) => {
      if (exists) await client.updateEntry({ ...entry, value: { coins: 0 }, version: -1 });
      const fetch = losingFirstAnswers(service.fetch);
      const processes = Array.from({ length: 5 }, () => clientOf(service, { fetch }));
      const edits = Array.from({ length: 4 }, () => processes.map((one) => one.editEntry(entry, addOne))).flat();
      await Promise.all(edits);
      expect(await stored()).toMatchObject({ value: { coins: 20 }, version: exists ? 20 : 19 });
    });

    it('are told the version that they made, though others have written since', async () => {
      await client.updateEntry({ ...entry, value: { n: 0 }, version: -1 });
      for (const version of [0, -1]) {
        let isLost = false;
        const fetch: FetchLike = async (request) => {
          const answer = await service.fetch(request);
          if (isLost) return answer;
          isLost = true;
          await client.updateEntry({ ...entry, value: { n: 2 }, version: -1 });
          throw new TypeError('fetch failed');
        };
        const made = await clientOf(service, { fetch }).updateEntry({ ...entry, value: { n: 1 }, version });
        expect(await stored()).toEqual({ key: 'wallet', value: { n: 2 }, version: made.version + 1 });
      }
    });

    it('are right on a service that keeps no ledger too, as far as anybody can tell there', async () => {
      const older = withoutLedger(service.fetch);
      const lossy = clientOf(service, { fetch: losingFirstAnswers(older) });
      await client.updateEntry({ ...entry, value: { coins: 0 }, version: -1 });
      expect(await lossy.updateEntry({ ...entry, value: { coins: 1 }, version: 0 })).toEqual({ version: 1 });
      expect(await lossy.editEntry(entry, addOne)).toMatchObject({ value: { coins: 2 }, version: 2 });
      const forced = lossy.updateEntry({ ...entry, value: { coins: 9 }, version: -1 });
      await expect(forced).rejects.toMatchObject({ code: 'network' });
      expect(await stored()).toEqual({ key: 'wallet', value: { coins: 9 }, version: 3 });
    });
  });

  describe('verifyPlayer', () => {
    const codeOf = (call: Promise<unknown>): Promise<string> =>
      call.then(
        () => 'ok',
        ({ code }) => code,
      );
    const keyRequests = () => service.backend.control.requests.filter(({ path }) => path.endsWith('jwks.json')).length;

    it('tells who a guest is, and who came by the back end', async () => {
      const guest = await signInGuest(service, 'guests-device');
      expect(await client.verifyPlayer(guest.accessToken)).toMatchObject({
        userId: guest.userId,
        gameId: testGameId,
        environment: 0,
        expiresAt: service.clock() + 3_600_000,
      });
      const member = await client.authenticate(player);
      expect(await client.verifyPlayer(member.accessToken)).toMatchObject({ userId: member.userId });
      expect(keyRequests()).toBe(1);
    });

    it('refuses a refresh token, a token of another environment and one that has expired', async () => {
      const guest = await signInGuest(service);
      expect(await codeOf(client.verifyPlayer(guest.refreshToken))).toBe('unauthorized');
      const stage = await signInGuest(service, 'device-one', { environment: 1 });
      expect(await codeOf(client.verifyPlayer(stage.accessToken))).toBe('wrong_env');
      service.backend.control.advance(3_600_000);
      expect(await codeOf(client.verifyPlayer(guest.accessToken))).toBe('token_expired');
    });

    it('refuses a token of another game of the same service', async () => {
      const shared = createTestService({ games: [{ id: testGameId, privateKeys: [testPrivateKey] }, otherGame] });
      const { body } = await post<{ accessToken: string }>(shared, operations.signInAsGuest.path, {
        game_id: otherGame.id,
      });
      expect(await codeOf(clientOf(shared).verifyPlayer(body.accessToken))).toBe('wrong_game');
    });

    it('refuses a token of another service', async () => {
      const elsewhere = await signInGuest(createTestService());
      expect(await codeOf(client.verifyPlayer(elsewhere.accessToken))).toBe('unauthorized');
      expect(keyRequests()).toBe(1);
    });

    it('says that the service is away where it cannot ask for the keys', async () => {
      const { accessToken } = await signInGuest(service);
      service.backend.control.fail({ with: 'offline', times: 3 });
      expect(await codeOf(client.verifyPlayer(accessToken))).toBe('network');
      expect(await codeOf(client.verifyPlayer(accessToken))).toBe('ok');
    });
  });
});
