import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { platformPresets, type SignedTokenPlatform, signedToken } from 'savepoint/backend/platforms';
import { beforeAll, describe, expect, it } from 'vitest';
import { testGameId, testStart } from '../../support/service.js';
import { createSigningKey, createSite, keySet, type SigningKey } from '../../support/token-issuer.js';

const preset = platformPresets.find(({ name }) => name === 'signedToken') as (typeof platformPresets)[number];
const keys = 'https://portal.example/keys';
const iat = testStart / 1000;
const at = (now: number) => ({ gameId: testGameId, environment: 0 as const, now });
const claims = {
  iss: 'https://portal.example',
  aud: 'my-game',
  gameId: '17',
  sub: 'ada',
  uid: 'a-1',
  iat,
  exp: iat + 60,
};

let portal: SigningKey;
let newer: SigningKey;

beforeAll(async () => {
  [portal, newer] = await Promise.all([createSigningKey('one'), createSigningKey('two')]);
});

function open(settings: { [field: string]: string | string[] }) {
  const site = createSite({ [keys]: keySet(portal) });
  return { site, check: preset.create({ keys, ...settings }, { fetch: site.fetch }) };
}

const failure = async ({ check }: ReturnType<typeof open>, changed: { [claim: string]: unknown }) => {
  const token = await portal.sign({ ...claims, ...changed });
  expect(await check.verify(token, at(testStart))).toBeNull();
  return (await check.explain(token, at(testStart))).steps.find(({ result }) => result === 'failed')?.step;
};

describe('the preset of signed tokens', () => {
  it('looks for the game in the audience', async () => {
    const one = open({ audience: ['my-game', 'my-other-game'] });
    expect(await one.check.verify(await portal.sign(claims), at(testStart))).toEqual({ id: 'ada' });
    expect(
      await one.check.verify(await portal.sign({ ...claims, aud: ['x', 'my-game'] }), at(testStart)),
    ).not.toBeNull();
    for (const aud of ['another', undefined, ['another'], '']) expect(await failure(one, { aud })).toContain('(aud)');
  });

  it('looks for the game in a claim of the portal’s own', async () => {
    const one = open({ claim: 'gameId', claimValue: '17', playerClaim: 'uid' });
    expect(await one.check.verify(await portal.sign({ ...claims, aud: 'x' }), at(testStart))).toEqual({ id: 'a-1' });
    for (const gameId of ['18', undefined, 17, ['17'], null]) expect(await failure(one, { gameId })).toContain('game');
    expect(await failure(one, { uid: undefined })).toContain('player');
    const inherited = open({ claim: 'toString', claimValue: 'x' });
    expect(await failure(inherited, {})).toContain('game');
    expect(await failure(open({ audience: 'my-game', playerClaim: 'constructor' }), {})).toContain('player');
  });

  it('checks the issuer, and the algorithm, where the game says them', async () => {
    expect(await failure(open({ audience: 'my-game', issuer: 'https://elsewhere.example' }), {})).toContain('(iss)');
    expect(await failure(open({ audience: 'my-game', algorithms: ['RS256', 'EdDSA'] }), {})).toContain('algorithm');
    expect(
      await open({ audience: 'my-game', algorithms: 'ES256' }).check.verify(await portal.sign(claims), at(testStart)),
    ).toEqual({ id: 'ada' });
  });

  it('shows no step for what is not asked for', async () => {
    const stepsOf = async (settings: { [field: string]: string }) =>
      (await open(settings).check.explain('x', at(testStart))).steps.map(({ step }) => step).join();
    const all = await stepsOf({ audience: 'x', issuer: 'x', claim: 'x', claimValue: 'x' });
    const few = await stepsOf({ audience: 'x' });
    for (const part of ['(iss)', 'own claim']) {
      expect(all).toContain(part);
      expect(few).not.toContain(part);
    }
    expect(await stepsOf({ claim: 'x', claimValue: 'x' })).not.toContain('(aud)');
  });

  it('notices that the keys have changed, and keeps the old ones while there are no newer', async () => {
    const { site, check } = open({ audience: 'my-game' });
    const long = { ...claims, exp: iat + 7_200 };
    expect(await check.verify(await portal.sign(long), at(testStart))).not.toBeNull();
    site.answers[keys] = keySet(newer);
    expect(await check.verify(await newer.sign(long), at(testStart + 31_000))).not.toBeNull();
    expect(await check.verify(await portal.sign(long), at(testStart + 32_000))).toBeNull();
    site.answers[keys] = 500;
    expect(await check.verify(await newer.sign(long), at(testStart + 30 * 60_000))).not.toBeNull();
    await expect(check.verify(await newer.sign(long), at(testStart + 62 * 60_000))).rejects.toThrow('The answer (500)');
  });

  it('refuses a token that could be of several keys, since it does not say of which', async () => {
    const pairs = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')]);
    const published = await Promise.all(pairs.map(({ publicKey }) => exportJWK(publicKey)));
    const { site, check } = open({ audience: 'my-game' });
    site.answers[keys] = { keys: published.slice(0, 1) };
    const { privateKey } = pairs[0] as (typeof pairs)[0];
    const token = await new SignJWT({ ...claims, exp: iat + 600 })
      .setProtectedHeader({ alg: 'ES256' })
      .sign(privateKey);
    expect(await check.verify(token, at(testStart))).toEqual({ id: 'ada' });
    const both = open({ audience: 'my-game' });
    both.site.answers[keys] = { keys: published };
    expect(await both.check.verify(token, at(testStart))).toBeNull();
    const { steps } = await both.check.explain(token, at(testStart));
    expect(steps.find(({ result }) => result === 'failed')?.detail).toBe('It does not say which key it is of.');
  });

  it.each<[string, object]>([
    ['audience', { audience: undefined }],
    ['claimValue', { claim: 'gameId' }],
    ['claimValue', { claimValue: '17' }],
    ['algorithms', { algorithms: ['HS256'] }],
    ['algorithms', { algorithms: ['none'] }],
    ['keys', { keys: 'http://portal.example/keys' }],
  ])('names %s where it is wrong: %j', (option, changed) => {
    const options = { keys, audience: 'my-game', ...changed } as SignedTokenPlatform;
    expect(() => signedToken(options)).toThrow(new RegExp(`^${option} must be`));
  });
});
