import { createLocalJWKSet, type JSONWebKeySet, type JWK, jwtVerify } from 'jose';
import { createMemoryStore, type Delivery } from 'savepoint/backend';
import { createServerClient } from 'savepoint/server';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createVerifiedTokens } from '../../src/backend/sessions/verified-tokens.js';
import { operations } from '../../src/protocol/operations.js';
import {
  createTestService,
  post,
  readEntries,
  signInGuest,
  type TestService,
  testStart,
  useName,
} from '../support/service.js';
import { newSigningKey } from '../support/signing-key.js';

let old: JWK;
let fresh: JWK;

beforeAll(async () => {
  [old, fresh] = await Promise.all([newSigningKey(), newSigningKey()]);
});

const publicPart = ({ d: _, ...key }: JWK): JWK => key;

/** A service before and after its signing key was changed, with the same players. */
function change(formerSigningKeys: readonly JWK[]): { before: TestService; after: TestService } {
  const store = createMemoryStore();
  return {
    before: createTestService({ store, signingKey: old }),
    after: createTestService({ store, signingKey: fresh, formerSigningKeys }),
  };
}

const refresh = (service: TestService, { refreshToken }: { refreshToken: string }) =>
  post(service, operations.refreshSession.path, { refresh_token: refreshToken });

describe("the service's signing key", () => {
  it('can be changed without a player noticing', async () => {
    const { before, after } = change([old]);
    const player = await signInGuest(before);
    expect((await readEntries(after, player)).status).toBe(200);
    const renewed = await refresh(after, player);
    expect(renewed.body.userId).toBe(player.userId);
    expect((await readEntries(after, renewed.body)).status).toBe(200);
    // What the new key signed means nothing to the old service.
    expect((await readEntries(before, renewed.body)).status).toBe(401);
  });

  it('is the new one that signs; both are published', async () => {
    const { before, after } = change([old]);
    const keysOf = async (service: TestService) => {
      const response = await service.fetch(new Request(`${service.authUrl}/.well-known/jwks.json`));
      return ((await response.json()) as { keys: JWK[] }).keys;
    };
    const [[former], keys] = [await keysOf(before), await keysOf(after)];
    expect(keys).toHaveLength(2);
    expect(keys).toContainEqual(former);
    expect(JSON.stringify(keys)).not.toContain('"d"');
    const [header = ''] = (await signInGuest(after)).accessToken.split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ kid: keys[0]?.kid });
    expect(keys[0]?.kid).not.toBe(former?.kid);
  });

  it("keeps a game's back end able to verify its players, before and after", async () => {
    const { before, after } = change([old]);
    let current = before;
    const { gameId, privateKey, baseUrl, clock: now } = before;
    const fetch = (request: Request) => current.fetch(request);
    const client = createServerClient({ gameId, environment: 0, privateKey, baseUrl, fetch, now });
    const player = await signInGuest(before);
    expect((await client.verifyPlayer(player.accessToken)).userId).toBe(player.userId);
    current = after;
    before.backend.control.advance(31_000);
    after.backend.control.advance(31_000);
    const later = await signInGuest(after);
    expect((await client.verifyPlayer(later.accessToken)).userId).toBe(player.userId);
    expect((await client.verifyPlayer(player.accessToken)).userId).toBe(player.userId);
  });

  it('leaves a code for a new password what it was, as long as the former key is named with its secret', async () => {
    for (const [formerKeys, status] of [
      [[old], 204],
      [[publicPart(old)], 401],
      [[], 401],
    ] as const) {
      const store = createMemoryStore();
      let code: string | undefined;
      const deliver = (delivery: Delivery) => {
        code = delivery.code;
      };
      const before = createTestService({ store, signingKey: old, deliver });
      await useName(before, { username: 'ada', password: 'correct horse' });
      await post(before, operations.requestReset.path, { username: 'ada' });
      while (before.backend.load().deliveries > 0) await new Promise((done) => setImmediate(done));
      const after = createTestService({ store, signingKey: fresh, formerSigningKeys: formerKeys });
      const set = { username: 'ada', code, new_password: 'battery staple' };
      expect((await post(after, operations.resetPassword.path, set)).status).toBe(status);
    }
  });

  it('ends with its last token: a former one that is public ends refresh tokens at once', async () => {
    const { before, after } = change([publicPart(old)]);
    const player = await signInGuest(before);
    expect((await readEntries(after, player)).status).toBe(200);
    expect(await refresh(after, player)).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  });

  it('ends everything that it signed where it is not named as a former one', async () => {
    const { before, after } = change([]);
    const player = await signInGuest(before);
    expect((await readEntries(after, player)).body.code).toBe('unauthorized');
    expect((await refresh(after, player)).body.code).toBe('unauthorized');
  });

  it('tells what has expired by a former key, too', async () => {
    const { before, after } = change([old]);
    const player = await signInGuest(before);
    after.backend.control.advance(60 * 60_000 + 1_000);
    expect((await readEntries(after, player)).body.code).toBe('token_expired');
    after.backend.control.advance(30 * 86_400_000);
    expect((await refresh(after, player)).body.code).toBe('token_expired');
  });
});

describe('an access token', () => {
  it('is remembered, but not beyond its time or its session', async () => {
    const service = createTestService();
    const [first, second] = [await signInGuest(service), await signInGuest(service, 'device-two')];
    for (let times = 0; times < 2; times += 1) expect((await readEntries(service, first)).status).toBe(200);
    await post(service, operations.signOut.path, { refresh_token: first.refreshToken });
    expect((await readEntries(service, first)).body.code).toBe('unauthorized');
    expect((await readEntries(service, second)).status).toBe(200);
    service.backend.control.advance(60 * 60_000);
    expect((await readEntries(service, second)).body.code).toBe('token_expired');
  });

  it('is the same kind of token where there is no crypto of Node', async () => {
    const options = { signingKey: old };
    const inNode = createTestService(options);
    vi.stubGlobal('process', {});
    // A page has no database.
    const inPage = createTestService({ ...options, store: createMemoryStore() });
    const player = await signInGuest(inPage);
    vi.unstubAllGlobals();
    const published = await inNode.fetch(new Request(`${inNode.authUrl}/.well-known/jwks.json`));
    const keys = createLocalJWKSet((await published.json()) as JSONWebKeySet);
    for (const { accessToken } of [player, await signInGuest(inNode)]) {
      const { protectedHeader } = await jwtVerify(accessToken, keys, { currentDate: new Date(testStart) });
      expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    }
    const [page, node] = [player, await signInGuest(createTestService(options))];
    // Without randomness in it, a refresh token of the same claims is the same text.
    expect(page.refreshToken).toBe(node.refreshToken);
  });
});

it('what is remembered is little, and what is asked for stays', () => {
  const tokens = createVerifiedTokens(10);
  const claims = (sub: string) => ({ iss: '', aud: '', env: 0 as const, sub, sid: '', jti: '', iat: 0, exp: 0 });
  for (let number = 0; number < 100; number += 1) {
    tokens.add(`token-${number}`, claims(String(number)));
    tokens.find('token-0');
  }
  const held = Array.from({ length: 100 }, (_, number) => tokens.find(`token-${number}`)?.sub ?? null);
  expect(held[0]).toBe('0');
  expect(held.filter((sub) => sub !== null).length).toBeLessThanOrEqual(20);
});
