import { createHmac } from 'node:crypto';
import { CompactSign, exportSPKI, importJWK, SignJWT } from 'jose';
import { apple, google, oidc, platformPresets } from 'savepoint/backend/platforms';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../src/protocol/operations.js';
import { type OidcIssuer, startOidcIssuer } from '../../support/oidc-issuer.js';
import { createTestService, post, testGameId, testStart } from '../../support/service.js';
import { createSigningKey, createSite, keySet, type SigningKey } from '../../support/token-issuer.js';

const issuer = 'https://accounts.google.com';
const certs = 'https://www.googleapis.com/oauth2/v3/certs';
const iat = testStart / 1000;
const at = (now: number) => ({ gameId: testGameId, environment: 0 as const, now });
const preset = (name: string) => platformPresets.find((one) => one.name === name) as (typeof platformPresets)[number];

let first: SigningKey;
let second: SigningKey;

beforeAll(async () => {
  [first, second] = await Promise.all([createSigningKey('first', 'RS256'), createSigningKey('second', 'RS256')]);
});

function openGoogle(clientId: string | string[] = 'the-game') {
  const site = createSite({
    [`${issuer}/.well-known/openid-configuration`]: { issuer, jwks_uri: certs },
    [certs]: keySet(first),
  });
  return { site, check: preset('google').create({ clientId }, { fetch: site.fetch }) };
}

const claims = { iss: issuer, aud: 'the-game', sub: '110169484474386276334', iat, exp: iat + 3600 };

/** The step at which a token failed, by the words of the step. */
async function failedStep(check: ReturnType<typeof openGoogle>['check'], token: string, now = testStart) {
  expect(await check.verify(token, at(now))).toBeNull();
  return (await check.explain(token, at(now))).steps.find(({ result }) => result === 'failed');
}

describe('the preset of Google', () => {
  it('knows a player as the same one under both spellings of the issuer', async () => {
    const { check } = openGoogle();
    const player = { id: claims.sub, issuer };
    expect(await check.verify(await first.sign(claims), at(testStart))).toEqual(player);
    expect(await check.verify(await first.sign({ ...claims, iss: 'accounts.google.com' }), at(testStart))).toEqual(
      player,
    );
    expect(await failedStep(check, await first.sign({ ...claims, iss: 'http://accounts.google.com' }))).toMatchObject({
      step: expect.stringContaining('(iss)'),
    });
  });

  it('takes one spelling of the issuer alone, where the game says so', async () => {
    const site = createSite({
      [`${issuer}/.well-known/openid-configuration`]: { issuer, jwks_uri: certs },
      [certs]: keySet(first),
    });
    const strict = preset('google').create({ clientId: 'the-game', issuers: 'https' }, { fetch: site.fetch });
    expect(await strict.verify(await first.sign(claims), at(testStart))).not.toBeNull();
    expect(await failedStep(strict, await first.sign({ ...claims, iss: 'accounts.google.com' }))).toMatchObject({
      step: expect.stringContaining('(iss)'),
    });
  });

  it('takes the tokens of each of its clients, and of no other', async () => {
    const { check } = openGoogle(['the-game', 'the-game-on-phones']);
    expect(
      await check.verify(await first.sign({ ...claims, aud: 'the-game-on-phones' }), at(testStart)),
    ).not.toBeNull();
    const others: { [claim: string]: unknown }[] = [
      { aud: 'another' },
      { aud: undefined },
      { aud: ['the-game', 'another'] },
      { azp: 'another' },
    ];
    for (const wrong of others) {
      expect(await failedStep(check, await first.sign({ ...claims, ...wrong }))).toMatchObject({
        step: expect.stringContaining('(aud)'),
      });
    }
  });

  it.each<[string, { [claim: string]: unknown }, string]>([
    ['has expired', { exp: iat - 61 }, '(exp)'],
    ['never expires', { exp: undefined }, '(exp)'],
    ['is of tomorrow', { iat: iat + 86_400, exp: iat + 90_000 }, '(exp)'],
    ['is not valid yet', { nbf: iat + 86_400 }, '(exp)'],
    ['says no time of issue', { iat: undefined }, '(exp)'],
    ['names nobody', { sub: '' }, 'player'],
    ['names a number', { sub: 17 }, 'player'],
  ])('refuses a token that %s, and says where', async (_, changed, step) => {
    const { check } = openGoogle();
    expect(await failedStep(check, await first.sign({ ...claims, ...changed }))).toMatchObject({
      step: expect.stringContaining(step),
    });
  });

  it('takes no algorithm without a public key, and no other key than a published one', async () => {
    const { check } = openGoogle();
    const key = await importJWK(first.jwk, 'RS256');
    const pem = await exportSPKI(key as CryptoKey);
    const payload = new TextEncoder().encode(JSON.stringify(claims));
    const asSecret = (secret: string) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(new TextEncoder().encode(secret));
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const head = part({ alg: 'HS256', kid: 'first' });
    const byHand = `${head}.${part(claims)}`;
    const mac = createHmac('sha256', Buffer.from(first.jwk.n ?? '', 'base64url'))
      .update(byHand)
      .digest('base64url');
    const stranger = await createSigningKey('first', 'RS256');
    const { 'alg-none': none, ...wrong } = {
      'alg-none': `${part({ alg: 'none' })}.${part(claims)}.`,
      'the key as a secret, as PEM': await asSecret(pem),
      'the key as a secret, as JSON': await asSecret(JSON.stringify(first.jwk)),
      'the key as a secret, as a number': `${byHand}.${mac}`,
    };
    for (const token of [none, ...Object.values(wrong)]) {
      expect((await failedStep(check, token))?.step).toMatch(/algorithm/);
    }
    expect((await failedStep(check, await stranger.sign(claims)))?.step).toMatch(/signature/);
    for (const kid of ['../first', '', 'first\u0000', '__proto__', "first' OR 1=1"]) {
      const token = await new CompactSign(payload)
        .setProtectedHeader({ alg: 'RS256', kid })
        .sign(await privateOf('RS256'));
      expect((await failedStep(check, token))?.step).toMatch(/key/);
    }
    const own = {
      alg: 'RS256',
      jwk: stranger.jwk,
      jku: 'https://elsewhere.example/keys',
      x5u: 'https://elsewhere.example/',
    };
    const withKey = await new SignJWT(claims).setProtectedHeader(own as never).sign(await privateOf('RS256'));
    expect((await failedStep(check, withKey))?.step).toMatch(/signature/);
  });

  it('notices that the keys have changed', async () => {
    const { site, check } = openGoogle();
    expect(await check.verify(await first.sign(claims), at(testStart))).not.toBeNull();
    site.answers[certs] = keySet(second);
    expect(await check.verify(await second.sign(claims), at(testStart + 31_000))).not.toBeNull();
    expect(await failedStep(check, await first.sign(claims), testStart + 32_000)).toMatchObject({
      step: expect.stringContaining('key'),
    });
    expect(site.asked.filter((address) => address === certs)).toHaveLength(2);
  });

  it('says why the keys could not be had', async () => {
    const { site, check } = openGoogle();
    site.answers[`${issuer}/.well-known/openid-configuration`] = {
      issuer: 'https://elsewhere.example',
      jwks_uri: certs,
    };
    const { steps } = await check.explain(await first.sign(claims), at(testStart));
    expect(steps.find(({ result }) => result === 'failed')).toMatchObject({
      step: expect.stringContaining('key'),
      detail: 'The answer (200) is the configuration of another issuer.',
    });
    await expect(check.verify(await first.sign(claims), at(testStart))).rejects.toThrow(
      'configuration of another issuer',
    );
  });
});

async function privateOf(alg: string): Promise<CryptoKey> {
  const { generateKeyPair } = await import('jose');
  return (await generateKeyPair(alg)).privateKey;
}

describe('the preset of Apple', () => {
  it('asks for the keys where Apple documents them, and nowhere else', async () => {
    const site = createSite({ 'https://appleid.apple.com/auth/keys': keySet(first) });
    const check = preset('apple').create({ clientId: 'com.example.game' }, { fetch: site.fetch });
    const token = await first.sign({
      ...claims,
      iss: 'https://appleid.apple.com',
      aud: 'com.example.game',
      sub: '000792.d7',
    });
    expect(await check.verify(token, at(testStart))).toEqual({ id: '000792.d7', issuer: 'https://appleid.apple.com' });
    expect(site.asked).toEqual(['https://appleid.apple.com/auth/keys']);
    expect(await check.verify(await first.sign(claims), at(testStart))).toBeNull();
  });
});

describe('the presets of identity providers, in code', () => {
  it('are options of `identityProviders`', async () => {
    const site = createSite({
      [`${issuer}/.well-known/openid-configuration`]: { issuer, jwks_uri: certs },
      [certs]: keySet(first),
      'https://appleid.apple.com/auth/keys': keySet(second),
    });
    const { fetch } = site;
    const identityProviders = [google({ clientId: 'the-game', fetch }), apple({ clientId: ['the-game'], fetch })];
    const service = createTestService({ game: { identityProviders } });
    const signIn = async (token: string) => {
      const { status, body } = await post(service, operations.signInWithIdentityToken.path, { token });
      return status === 200 ? body.userId : body.code;
    };
    const ada = await signIn(await first.sign(claims));
    expect(await signIn(await first.sign({ ...claims, iss: 'accounts.google.com' }))).toBe(ada);
    const atApple = { ...claims, iss: 'https://appleid.apple.com' };
    expect(await signIn(await second.sign(atApple))).not.toBe(ada);
    expect(await signIn(await first.sign(atApple))).toBe('invalid_credentials');
    expect(await signIn(await second.sign(claims))).toBe('invalid_credentials');
    expect(await signIn(await first.sign({ ...claims, aud: 'another' }))).toBe('invalid_credentials');
  });

  it('name the option that is wrong', () => {
    expect(() => oidc({ issuer: 'http://id.example', clientId: 'x' })).toThrow('issuer must be an https address');
    expect(() => oidc({ issuer: 'https://id.example/?a=b', clientId: 'x' })).toThrow('issuer must be');
    expect(() => google({} as never)).toThrow('clientId must be given');
    expect(() => google(undefined as never)).toThrow('options must be an object');
    expect(() => google({ clientId: [] })).toThrow('clientId must be');
    expect(() => apple({ clientId: 'x', timeoutMs: 0 })).toThrow('timeoutMs must be');
    expect(() => apple({ clientId: 'x', fetch: 'x' } as never)).toThrow('fetch must be');
    expect(() =>
      createTestService({ game: { identityProviders: [{ ...google({ clientId: 'x' }), issuerAliases: [''] }] } }),
    ).toThrow('issuerAliases');
  });
});

describe('a preset of OpenID, at a real provider', () => {
  let provider: OidcIssuer;

  beforeAll(async () => {
    provider = await startOidcIssuer();
  });

  afterAll(() => provider.close());

  it('knows the player, finds the keys by itself, and refuses the token of another client', async () => {
    const { issuer: real, clientId, idTokenFor } = provider;
    const check = preset('oidc').create({ issuer: real, clientId }, {});
    const token = await idTokenFor('ada');
    expect(await check.verify(token, at(Date.now()))).toEqual({ id: 'ada', issuer: real });
    expect(await check.explain(token, at(Date.now()))).toMatchObject({ player: { id: 'ada' } });
    expect((await failedStep(check, await idTokenFor('ada', 'another-app'), Date.now()))?.step).toMatch(/aud/);
    expect((await failedStep(check, token, Date.now() + 121_000))?.step).toMatch(/exp/);
  });

  it.each([
    ['oidc', {}, '/.well-known/openid-configuration'],
    ['google', { called: 'https://accounts.google.com' }, '/.well-known/openid-configuration'],
    ['apple', { called: 'https://appleid.apple.com', keysAt: '/auth/keys' }, '/auth/keys'],
  ] as const)('may be that of %s: its keys change, and nobody else can sign its tokens', async (name, shape, first) => {
    const real = await startOidcIssuer(shape);
    try {
      const asked: string[] = [];
      const fetchThere = (request: Request) => {
        asked.push(request.url);
        return real.fetch(request);
      };
      const { clientId, issuer: own, idTokenFor } = real;
      const settings = name === 'oidc' ? { issuer: own, clientId } : { clientId };
      const check = preset(name).create(settings, { fetch: fetchThere });
      const now = Date.now();
      const token = await idTokenFor('ada');
      expect(await check.verify(token, at(now))).toEqual({ id: 'ada', issuer: own });
      expect(asked[0]).toBe(`${own}${first}`);
      expect((await failedStep(check, await idTokenFor('ada', 'another-app'), now))?.step).toMatch(/aud/);
      expect((await failedStep(check, token, now + 121_000))?.step).toMatch(/exp/);
      const [head, payload, signature = ''] = token.split('.');
      const changed = `${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
      expect((await failedStep(check, changed, now))?.step).toMatch(/signature/);
      const other = preset('oidc').create({ issuer: 'https://id.example', clientId }, { fetch: fetchThere });
      expect((await failedStep(other, token, now))?.step).toMatch(/iss/);
      real.rotate();
      const later = now + 31_000;
      expect(await check.verify(await idTokenFor('grace'), at(later))).toEqual({ id: 'grace', issuer: own });
      expect((await failedStep(check, token, later + 1_000))?.step).toMatch(/key/);
    } finally {
      await real.close();
    }
  });

  it('signs in through `identityProviders`', async () => {
    const { issuer: real, clientId, idTokenFor } = provider;
    const service = createTestService({
      clock: Date.now,
      game: { identityProviders: [oidc({ issuer: real, clientId })] },
    });
    const token = await idTokenFor('ada');
    expect(await post(service, operations.signInWithIdentityToken.path, { token })).toMatchObject({ status: 200 });
  });
});
