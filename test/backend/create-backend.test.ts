import { describe, expect, it } from 'vitest';
import { type BackendOptions, createBackend, createMemoryStore } from '../../src/backend/index.js';
import { operations } from '../../src/protocol/operations.js';
import {
  createTestService,
  makeConflict,
  post,
  readEntries,
  send,
  signedRequest,
  signInGuest,
  useName,
  writeEntry,
} from '../support/service.js';
import { newSigningKey } from '../support/signing-key.js';

const id = '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d';
const game = { id, privateKeys: ['key'] };
const publicKey = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' };
const issuer = { issuer: 'https://accounts.example', audience: 'game', keys: { keys: [] } };

describe('createBackend', () => {
  it.each<[string, unknown]>([
    ['options', undefined],
    ['games', {}],
    ['games', { games: [] }],
    ['games[0]', { games: [null] }],
    ['games[0].id', { games: [{ ...game, id: 'the-game' }] }],
    ['games[1].id', { games: [game, { ...game, id: id.toUpperCase() }] }],
    ['games[0].privateKeys', { games: [{ id }] }],
    ['games[0].privateKeys', { games: [{ id, privateKeys: [] }] }],
    ['games[0].privateKeys', { games: [{ id, privateKeys: ['a', 'b', 'c'] }] }],
    ['games[0].privateKeys', { games: [{ id, privateKeys: [''] }] }],
    ['games[0].privateKeys', { games: [{ id, privateKeys: ['key\n'] }] }],
    ['games[0].privateKeys', { games: [{ id, privateKeys: [' key'] }] }],
    ['games[0].privateKeys', { games: [{ id, privateKeys: [5] }] }],
    ['games[0].socialPlatforms.chirp', { games: [{ ...game, socialPlatforms: { chirp: 'no' } }] }],
    ['games[0].identityProviders', { games: [{ ...game, identityProviders: {} }] }],
    ['games[0].identityProviders[0].issuer', { games: [{ ...game, identityProviders: [{ ...issuer, issuer: '' }] }] }],
    [
      'games[0].identityProviders[0].audience',
      { games: [{ ...game, identityProviders: [{ ...issuer, audience: 1 }] }] },
    ],
    ['games[0].identityProviders[0].keys', { games: [{ ...game, identityProviders: [{ ...issuer, keys: 'x' }] }] }],
    [
      'games[0].identityProviders[0].audience',
      { games: [{ ...game, identityProviders: [{ ...issuer, audience: [] }] }] },
    ],
    [
      'games[0].identityProviders[0].issuer',
      { games: [{ ...game, identityProviders: [{ issuer: 'a', audience: 'b' }] }] },
    ],
    ['games[0].identityProviders[0].fetch', { games: [{ ...game, identityProviders: [{ ...issuer, fetch: 5 }] }] }],
    [
      'games[0].identityProviders[0].timeoutMs',
      { games: [{ ...game, identityProviders: [{ ...issuer, timeoutMs: 0 }] }] },
    ],
    ['games[0].allowedOrigins', { games: [{ ...game, allowedOrigins: '*' }] }],
    ['games[0].accountMerge', { games: [{ ...game, accountMerge: 'no' }] }],
    ['allowedOrigins', { games: [game], allowedOrigins: '*' }],
    ['allowedOrigins', { games: [game], allowedOrigins: ['*'] }],
    ['allowedOrigins', { games: [game], allowedOrigins: ['https://game.example/'] }],
    ['allowedOrigins', { games: [game], allowedOrigins: ['game.example'] }],
    ['store', { games: [game], store: 'memory' }],
    ['signingKey', { games: [game], signingKey: publicKey }],
    ['formerSigningKeys', { games: [game], formerSigningKeys: [{ kty: 'RSA' }] }],
    ['formerSigningKeys', { games: [game], formerSigningKeys: [publicKey, publicKey] }],
    ['signingKey', { games: [game], formerSigningKeys: [publicKey] }],
    ['clock', { games: [game], clock: 5 }],
    ['random', { games: [game], random: 5 }],
    ['resolveCountry', { games: [game], resolveCountry: 'NZ' }],
    ['log', { games: [game], log: true }],
    ['issuer', { games: [game], issuer: '' }],
    ['trustedProxies', { games: [game], trustedProxies: '127.0.0.1' }],
    ['limits', { games: [game], limits: 5 }],
    ['limits.valueBytes', { games: [game], limits: { valueBytes: 0 } }],
    ['limits.mergeRequestBytes', { games: [game], limits: { mergeRequestBytes: 0.5 } }],
    ['limits.quotas', { games: [game], limits: { quotas: 5 } }],
    ['limits.quotas.values', { games: [game], limits: { quotas: { values: 0 } } }],
    ['limits.quotas.saves', { games: [game], limits: { quotas: { saves: 5 } } }],
    ['limits.rates', { games: [game], limits: { rates: 'on' } }],
    [
      'limits.rates.readsPerAccount',
      { games: [game], limits: { rates: { readsPerAccount: { tries: 0, windowMs: 1 } } } },
    ],
    ['limits.rates.writesPerAccount', { games: [game], limits: { rates: { writesPerAccount: 5 } } }],
    [
      'limits.rates.newGuestsPerAddressPerHour',
      { games: [game], limits: { rates: { newGuestsPerAddressPerHour: {} } } },
    ],
    ['limits.rates.accountsPerAddress', { games: [game], limits: { rates: { accountsPerAddress: {} } } }],
  ])('names %s where it is wrong', (option, options) => {
    const message = new RegExp(`^${option.replaceAll(/[[\].]/g, '\\$&')} must be`);
    expect(() => createBackend(options as BackendOptions)).toThrow(TypeError);
    expect(() => createBackend(options as BackendOptions)).toThrow(message);
  });

  it('takes the origins of pages, of apps and of frames without one', () => {
    const allowedOrigins = [
      'https://game.example',
      'http://localhost:5173',
      'http://[::1]:80',
      'capacitor://localhost',
      'null',
    ];
    expect(() => createBackend({ games: [game], allowedOrigins })).not.toThrow();
  });

  it('takes sizes of its own', async () => {
    const service = createTestService({ limits: { valueBytes: 10, requestBytes: 300 } });
    const player = await signInGuest(service);
    expect((await writeEntry(service, player, { value: { a: 1234 } })).status).toBe(200);
    expect((await writeEntry(service, player, { value: { a: 12345 } })).status).toBe(413);
    expect((await post(service, operations.signInAsGuest.path, { more: 'x'.repeat(300) })).status).toBe(413);
  });

  it('is ready once its keys are there', async () => {
    const service = createTestService();
    await service.backend.ready();
    const [first, second] = [
      await send(service, operations.readPublicKeys.path),
      await send(service, operations.readPublicKeys.path),
    ];
    expect(first.body.keys).toHaveLength(1);
    expect(second.body).toEqual(first.body);
  });

  it('lets an operator give an account to a device, and refuses what names none', async () => {
    const { backend } = createTestService();
    const right = { gameId: id, environment: 0 as const, userId: id, deviceId: 'device-one' };
    expect(await backend.restoreAccount(right)).toBe(false);
    for (const wrong of [{ gameId: 'x' }, { environment: 3 }, { userId: 'x' }, { deviceId: '' }]) {
      await expect(backend.restoreAccount({ ...right, ...wrong } as never)).rejects.toThrow(TypeError);
    }
  });
});

describe('a service that is dumped and loaded', () => {
  async function reopen(dump: unknown, signingKey: object) {
    const store = createMemoryStore();
    store.load(JSON.parse(JSON.stringify(dump)));
    return createTestService({ store, signingKey });
  }

  it('knows its players, sessions, entries, conflicts and nonces', async () => {
    const signingKey = await newSigningKey();
    const store = createMemoryStore();
    const before = createTestService({ store, signingKey });
    const { local, cloud, ticket } = await makeConflict(before);
    await writeEntry(before, cloud, { value: { coins: 9 } });
    const { body: next } = await post(before, operations.refreshSession.path, { refresh_token: cloud.refreshToken });
    const signed = await signedRequest(before);
    expect((await before.backend.fetch(signed.clone())).status).toBe(200);

    const after = await reopen(store.dump(), signingKey);
    expect((await readEntries(after, cloud)).body).toMatchObject([{ value: { coins: 9 }, version: 0 }]);
    const again = await post(after, operations.refreshSession.path, { refresh_token: cloud.refreshToken });
    expect(again.body.refreshToken).toBe(next.refreshToken);
    expect((await signInGuest(after, 'device-two')).userId).toBe(local.userId);
    const named = await useName(after, { username: 'ada', password: 'correct horse' });
    expect(named.userId).toBe(cloud.userId);
    const chosen = await post(
      after,
      operations.resolveConflict.path,
      { ticket, choice: 'cloud' },
      { deviceId: 'device-two' },
    );
    expect(chosen.body.userId).toBe(cloud.userId);
    expect((await after.backend.fetch(signed)).status).toBe(401);
  });

  it('honours no token without its signing key', async () => {
    const store = createMemoryStore();
    const before = createTestService({ store });
    const player = await signInGuest(before);
    const after = await reopen(store.dump(), await newSigningKey());
    expect((await readEntries(after, player)).status).toBe(401);
    expect((await signInGuest(after)).userId).toBe(player.userId);
  });
});

describe('a secret', () => {
  it('is in no log, no failure, no record of requests and no dump', async () => {
    const log: unknown[] = [];
    const store = createMemoryStore();
    const service = createTestService({
      store,
      log: (record) => log.push(record),
      game: { socialPlatforms: { chirp: () => null } },
    });
    const deviceId = 'device-secret-1';
    const passwords = ['correct horse battery', 'wrong horse battery'];
    const [password = '', wrong = ''] = passwords;
    const owner = await signInGuest(service, 'device-secret-0');
    await useName(service, { username: 'ada', password }, { token: owner.accessToken, deviceId: 'device-secret-0' });
    const guest = await signInGuest(service, deviceId);
    const request = { token: guest.accessToken, deviceId };
    const failures: unknown[] = [];
    const refuse = async (path: string, body: Record<string, unknown>) => {
      const answer = await post(service, path, body, request);
      failures.push({ ...answer.body, conflict: undefined }, [...answer.headers]);
      return answer.body;
    };
    const { conflict } = await refuse(operations.signInWithName.path, { username: 'ada', password });
    await refuse(operations.signInWithName.path, { username: 'ada', password: wrong });
    await refuse(operations.signInWithName.path, { username: 'ada\u0000', password });
    await refuse(operations.signInWithSocialToken.path, { token: 'social-secret' });
    await refuse(operations.signInWithIdentityToken.path, { token: 'identity-secret' });
    await refuse(operations.refreshSession.path, { refresh_token: `${guest.refreshToken}x` });
    await refuse(operations.resolveConflict.path, { ticket: conflict.ticket, choice: 'neither' });
    const signed = await signedRequest(service, { key: 'another-private-key', body: { device_id: deviceId } });
    failures.push(await (await service.backend.fetch(signed)).json());
    const resolved = await post(
      service,
      operations.resolveConflict.path,
      { ticket: conflict.ticket, choice: 'cloud' },
      { deviceId },
    );
    expect(resolved.status).toBe(200);

    const secrets = [
      ...passwords,
      ...['social-secret', 'identity-secret', 'another-private-key', service.privateKey],
      ...[deviceId, 'device-secret-0', conflict.ticket],
      ...[guest, owner, resolved.body].flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken]),
      signed.headers.get('service-signature') ?? '',
    ];
    const seen = { log, failures, requests: service.backend.control.requests, dump: store.dump() };
    for (const [place, content] of Object.entries(seen)) {
      const text = JSON.stringify(content);
      expect(text.length).toBeGreaterThan(500);
      for (const secret of secrets) expect(text.includes(secret), `${place}: ${secret.slice(0, 20)}`).toBe(false);
    }
  });
});
