import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IdentityProviderOptions } from '../../src/backend/index.js';
import { operations } from '../../src/protocol/operations.js';
import { type OidcIssuer, startOidcIssuer } from '../support/oidc-issuer.js';
import { createTestService, post, send, signInGuest, type TestService } from '../support/service.js';

function useToken(service: TestService, token: string, request: { token?: string; deviceId?: string } = {}) {
  return post(service, operations.signInWithIdentityToken.path, { token }, request);
}

describe('an ID token of a real OpenID provider', () => {
  let oidc: OidcIssuer;
  let ada: string;

  beforeAll(async () => {
    oidc = await startOidcIssuer();
    ada = await oidc.idTokenFor('ada');
  });

  afterAll(() => oidc.close());

  const serviceWith = (provider: Partial<IdentityProviderOptions> = {}, clock: () => number = Date.now) => {
    const { issuer, clientId, jwksUrl } = oidc;
    const identityProviders = [{ issuer, audience: clientId, keys: jwksUrl, ...provider }];
    return createTestService({ clock, game: { identityProviders } });
  };

  it('links the account by issuer and subject, and signs in from anywhere', async () => {
    const service = serviceWith();
    const guest = await signInGuest(service, 'device-one');
    const linked = await useToken(service, ada, { token: guest.accessToken });
    expect(linked).toMatchObject({ status: 200, body: { userId: guest.userId, methods: ['device', 'identity'] } });
    const { body } = await send(service, operations.readAccount.path, { token: guest.accessToken });
    expect(body.methods[1]).toMatchObject({ method: 'identity', label: oidc.issuer });

    const later = await useToken(service, await oidc.idTokenFor('ada'), { deviceId: 'device-two' });
    expect(later.body.userId).toBe(guest.userId);
    const other = await useToken(service, await oidc.idTokenFor('bob'), { deviceId: 'device-two' });
    expect(other.status).toBe(200);
    expect(other.body.userId).not.toBe(guest.userId);
  });

  it('needs nothing but the issuer to be checked', async () => {
    const { issuer, clientId } = oidc;
    const service = createTestService({
      clock: Date.now,
      game: { identityProviders: [{ issuer, audience: clientId }] },
    });
    expect((await useToken(service, ada)).status).toBe(200);
  });

  it('that another account owns makes a conflict', async () => {
    const service = serviceWith();
    const owner = await useToken(service, ada, { deviceId: 'device-one' });
    const guest = await signInGuest(service, 'device-two');
    const conflict = await useToken(service, ada, { token: guest.accessToken, deviceId: 'device-two' });
    expect(conflict).toMatchObject({ status: 409, body: { conflict: { method: 'identity' } } });
    const { ticket } = conflict.body.conflict;
    const cloud = await post(
      service,
      operations.resolveConflict.path,
      { ticket, choice: 'cloud' },
      { deviceId: 'device-two' },
    );
    expect(cloud.body.userId).toBe(owner.body.userId);
  });

  it('for another app is refused', async () => {
    const token = await oidc.idTokenFor('ada', 'another-app');
    expect(await useToken(serviceWith(), token)).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    const both = serviceWith({ audience: ['the-game', 'another-app'] });
    expect((await useToken(both, token)).status).toBe(200);
  });

  it('of an issuer that is not registered is refused', async () => {
    const service = serviceWith({ issuer: 'https://accounts.example' });
    expect((await useToken(service, ada)).body.code).toBe('invalid_credentials');
    expect((await useToken(createTestService({ clock: Date.now }), ada)).body.code).toBe('invalid_credentials');
  });

  it('that has expired, or is from the future, is refused', async () => {
    for (const offset of [10 * 60_000, -10 * 60_000]) {
      const service = serviceWith({}, () => Date.now() + offset);
      expect((await useToken(service, ada)).body.code).toBe('invalid_credentials');
    }
  });

  it('with another payload or signature is refused', async () => {
    const service = serviceWith();
    const [header, payload, signature] = ada.split('.');
    const claims = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString()) as JWTPayload;
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'bob' })).toString('base64url');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const forged = [`${header}.${changed}.${signature}`, `${header}.${payload}.`, `${none}.${payload}.`, 'nonsense'];
    for (const token of forged) expect((await useToken(service, token)).body.code).toBe('invalid_credentials');
  });

  it('waits where the keys cannot be had, and costs nothing', async () => {
    const service = serviceWith({ keys: () => Promise.reject(new Error('down')) });
    const guest = await signInGuest(service);
    const refused = await useToken(service, ada, { token: guest.accessToken });
    expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect((await send(service, operations.readAccount.path, { token: guest.accessToken })).status).toBe(200);
    expect((await useToken(serviceWith({ keys: `${oidc.issuer}/nowhere` }), ada)).status).toBe(503);
  });
});

describe('an ID token', () => {
  const issuer = 'https://accounts.example';

  async function keyOf(kid: string) {
    const { privateKey, publicKey } = await generateKeyPair('RS256');
    const jwk = { ...(await exportJWK(publicKey)), kid };
    const sign = (service: TestService, claims: JWTPayload = {}, header: object = {}) => {
      const iat = Math.floor(service.clock() / 1000);
      const all = { iss: issuer, aud: 'the-game', sub: 'ada', iat, exp: iat + 60, ...claims };
      return new SignJWT(all).setProtectedHeader({ alg: 'RS256', kid, ...header }).sign(privateKey);
    };
    return { jwk, sign };
  }

  it('needs a subject, an expiry and a time of issue', async () => {
    const { jwk, sign } = await keyOf('first');
    const identityProviders = [{ issuer, audience: 'the-game', keys: { keys: [jwk] } }];
    const service = createTestService({ game: { identityProviders } });
    expect((await useToken(service, await sign(service))).status).toBe(200);
    for (const missing of ['sub', 'exp', 'iat', 'aud', 'iss']) {
      const answer = await useToken(service, await sign(service, { [missing]: undefined }));
      expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    }
  });

  it('of the same e-mail address is another player where the subject is another one', async () => {
    const { jwk, sign } = await keyOf('first');
    const identityProviders = [{ issuer, audience: 'the-game', keys: { keys: [jwk] } }];
    const service = createTestService({ game: { identityProviders } });
    const claims = { email: 'ada@example.com', email_verified: true };
    const ada = await useToken(service, await sign(service, claims), { deviceId: 'device-one' });
    const eve = await useToken(service, await sign(service, { ...claims, sub: 'eve' }), { deviceId: 'device-two' });
    expect([ada.status, eve.status]).toEqual([200, 200]);
    expect(eve.body.userId).not.toBe(ada.body.userId);
    const moved = await useToken(service, await sign(service, { email: 'new@example.com' }), {
      deviceId: 'device-six',
    });
    expect(moved.body.userId).toBe(ada.body.userId);
  });

  it('lets in whoever shows it until it expires: its nonce is for the page that asked for it', async () => {
    const { jwk, sign } = await keyOf('first');
    const identityProviders = [{ issuer, audience: 'the-game', keys: { keys: [jwk] } }];
    const service = createTestService({ game: { identityProviders } });
    const token = await sign(service, { nonce: 'of-one-page' });
    const shown = ['device-one', 'device-two'].map((deviceId) => useToken(service, token, { deviceId }));
    const [first, second] = await Promise.all(shown);
    expect(first).toMatchObject({ status: 200, body: { userId: second?.body.userId } });
    service.backend.control.advance(2 * 60_000);
    expect(await useToken(service, token)).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
  });

  it('for several apps must have been issued to this one', async () => {
    const { jwk, sign } = await keyOf('first');
    const identityProviders = [{ issuer, audience: 'the-game', keys: { keys: [jwk] } }];
    const service = createTestService({ game: { identityProviders } });
    const aud = ['the-game', 'another-app'];
    expect((await useToken(service, await sign(service, { aud, azp: 'the-game' }))).status).toBe(200);
    expect((await useToken(service, await sign(service, { aud, azp: 'another-app' }))).status).toBe(401);
    expect((await useToken(service, await sign(service, { aud }))).status).toBe(401);
  });

  it('is no token that the provider has signed for something else, or for another client', async () => {
    const { jwk, sign } = await keyOf('first');
    const identityProviders = [{ issuer, audience: 'the-game', keys: { keys: [jwk] } }];
    const service = createTestService({ game: { identityProviders } });
    const others: [JWTPayload, object][] = [
      [{}, { typ: 'at+jwt' }],
      [{}, { typ: 'application/at+jwt' }],
      [{}, { typ: 'logout+jwt' }],
      [{ events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }, {}],
      [{ client_id: 'another-app' }, {}],
    ];
    for (const [claims, header] of others) {
      const answer = await useToken(service, await sign(service, claims, header));
      expect(answer, JSON.stringify([claims, header])).toMatchObject({ status: 401 });
    }
    const own = await sign(service, { client_id: 'the-game' }, { typ: 'JWT' });
    expect((await useToken(service, own)).status).toBe(200);
  });

  it('with a new key makes the keys be had again, but not at once for every stranger', async () => {
    const [first, second] = [await keyOf('first'), await keyOf('second')];
    const set: JSONWebKeySet = { keys: [first.jwk] };
    let asked = 0;
    const keys = async () => {
      asked += 1;
      return set;
    };
    const service = createTestService({ game: { identityProviders: [{ issuer, audience: 'the-game', keys }] } });
    await Promise.all([1, 2, 3].map(async () => useToken(service, await first.sign(service))));
    expect(asked).toBe(1);
    expect((await useToken(service, await second.sign(service))).status).toBe(401);
    expect(asked).toBe(1);
    set.keys = [first.jwk, second.jwk];
    service.backend.control.advance(30_000);
    expect((await useToken(service, await second.sign(service))).status).toBe(200);
    expect(asked).toBe(2);
  });
});
