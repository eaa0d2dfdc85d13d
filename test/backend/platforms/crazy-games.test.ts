import { type KeyObject, sign as signWithKey } from 'node:crypto';
import { exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { crazyGames, platformPresets } from 'savepoint/backend/platforms';
import { beforeAll, describe, expect, it } from 'vitest';
import { testGameId, testStart } from '../../support/service.js';

const address = 'https://sdk.crazygames.com/publicKey.json';
const preset = platformPresets.find(({ name }) => name === 'crazyGames') as (typeof platformPresets)[number];
const iat = testStart / 1000;
const at = (now: number) => ({ gameId: testGameId, environment: 0 as const, now });
const claims = {
  userId: 'UOuZBKgjwpY9k4TSBB2NPugbsHD3',
  gameId: '20267',
  username: 'RustyCake.ZU9H',
  iat,
  exp: iat + 3600,
};

interface Pair {
  pem: string;
  bare: string;
  sign(changed?: { [claim: string]: unknown }, header?: { [name: string]: unknown }): Promise<string>;
}

let first: Pair;
let second: Pair;

async function makePair(modulusLength = 2048): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true, modulusLength });
  const { createPublicKey, KeyObject: Keys } = await import('node:crypto');
  return {
    pem: await exportSPKI(publicKey),
    bare: createPublicKey(await exportSPKI(publicKey)).export({ type: 'pkcs1', format: 'pem' }) as string,
    async sign(changed = {}, header = {}) {
      if (modulusLength >= 2048) {
        return new SignJWT({ ...claims, ...changed }).setProtectedHeader({ alg: 'RS256', ...header }).sign(privateKey);
      }
      // jose makes no such short ones.
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const text = `${part({ alg: 'RS256' })}.${part(claims)}`;
      const key: KeyObject = Keys.from(privateKey);
      return `${text}.${signWithKey('sha256', Buffer.from(text), key).toString('base64url')}`;
    },
  };
}

beforeAll(async () => {
  [first, second] = await Promise.all([makePair(), makePair()]);
});

function open(publicKey: unknown, gameId = '20267') {
  const site = { answer: { publicKey } as unknown, asked: [] as string[] };
  const fetch = async (request: Request) => {
    site.asked.push(request.url);
    return Response.json(site.answer);
  };
  return { site, check: preset.create({ gameId }, { fetch }) };
}

const failure = async (check: ReturnType<typeof open>['check'], token: string, now = testStart) =>
  (await check.explain(token, at(now))).steps.find(({ result }) => result === 'failed');

describe('the preset of CrazyGames', () => {
  it('takes tokens of another algorithm of an RSA key where the game says so, and then no other', async () => {
    const { publicKey, privateKey } = await generateKeyPair('PS256', { extractable: true });
    const pem = await exportSPKI(publicKey);
    const sign = (alg: string) => new SignJWT(claims).setProtectedHeader({ alg }).sign(privateKey);
    const fetch = async () => Response.json({ publicKey: pem });
    const verify = crazyGames({ gameId: '20267', algorithm: 'PS256', fetch });
    expect(await verify(await sign('PS256'), at(testStart))).toEqual({ id: claims.userId });
    expect(await verify(await first.sign(), at(testStart))).toBeNull();
    expect(await crazyGames({ gameId: '20267', fetch })(await sign('PS256'), at(testStart))).toBeNull();
  });

  it('reads the published key in both forms of PEM, and asks for it once', async () => {
    for (const pem of [first.pem, first.bare, `\n${first.bare}\n`]) {
      const { site, check } = open(pem);
      for (const header of [{}, { kid: 'any' }]) {
        expect(await check.verify(await first.sign({}, header), at(testStart))).toEqual({ id: claims.userId });
      }
      expect(site.asked).toEqual([address]);
    }
  });

  it('wraps keys of other lengths rightly too', async () => {
    for (const length of [3072, 4096]) {
      const long = await makePair(length);
      expect(await open(long.bare).check.verify(await long.sign(), at(testStart))).toEqual({ id: claims.userId });
    }
  });

  it('refuses the tokens of another game, of which all have the same key', async () => {
    const { check } = open(first.pem);
    for (const gameId of ['31415', undefined, 20267, ['20267'], '20267 ']) {
      const token = await first.sign({ gameId });
      expect(await check.verify(token, at(testStart))).toBeNull();
      expect((await failure(check, token))?.step).toContain('(gameId)');
    }
  });

  it.each<[string, { [claim: string]: unknown }, string]>([
    ['has expired', { exp: iat - 61 }, '(exp)'],
    ['never expires', { exp: undefined }, '(exp)'],
    ['names nobody', { userId: undefined }, 'player'],
    ['names a rounded number', { userId: 2 ** 53 + 2 }, 'player'],
    ['names the player elsewhere', { userId: undefined, sub: 'ada' }, 'player'],
  ])('refuses a token that %s', async (_, changed, step) => {
    const { check } = open(first.pem);
    const token = await first.sign(changed);
    expect(await check.verify(token, at(testStart))).toBeNull();
    expect((await failure(check, token))?.step).toContain(step);
  });

  it('takes no other algorithm, and not the published key as a secret', async () => {
    const { check } = open(first.pem);
    const asSecret = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(first.pem));
    expect((await failure(check, asSecret))?.step).toContain('algorithm');
    const { privateKey } = await generateKeyPair('ES256');
    const other = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    expect((await failure(check, other))?.step).toContain('algorithm');
  });

  it('notices a new key by a wrong signature, though tokens name no key, and at most every 30 s', async () => {
    const { site, check } = open(first.pem);
    expect(await check.verify(await first.sign(), at(testStart))).not.toBeNull();
    site.answer = { publicKey: second.pem };
    const token = await second.sign();
    // Within 30 s a wrong signature is wrong: forged tokens would cause a storm.
    expect(await check.verify(token, at(testStart + 29_000))).toBeNull();
    expect(site.asked).toHaveLength(1);
    expect(await check.verify(token, at(testStart + 31_000))).toEqual({ id: claims.userId });
    expect((await failure(check, await first.sign(), testStart + 32_000))?.step).toContain('signature');
    expect(site.asked).toHaveLength(2);
  });

  it.each<[string, unknown]>([
    ['a text that is no key', 'a key'],
    ['a private key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'],
    ['a key that is cut off', '-----BEGIN RSA PUBLIC KEY-----\nMIIBCgKCAQEA\n-----END RSA PUBLIC KEY-----'],
    ['no text', 5],
    ['nothing', undefined],
  ])('calls no token wrong where %s is published', async (_, key) => {
    const { check } = open(key);
    await expect(check.verify(await first.sign(), at(testStart))).rejects.toThrow(
      /published key|which the platform documents/,
    );
  });

  it('needs the id of the game', () => {
    expect(() => crazyGames({} as never)).toThrow('gameId must be given');
  });
});
