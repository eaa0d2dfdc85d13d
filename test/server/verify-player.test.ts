import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { type FailureCode, isSdkError, type ServerClientOptions } from '../../src/server/index.js';
import { gameId, offline, type Reply, scripted, userId } from './scripted-client.js';

const start = 1_763_640_000_000;
const otherGame = 'b2c3d4e5-0000-4000-8000-000000000001';

/** What a token says; a test leaves a claim out by undefined. */
type Claims = Record<string, unknown>;

type Key = { kid: string; privateKey: CryptoKey; jwk: Record<string, unknown> };

let one: Key;
let two: Key;

beforeAll(async () => {
  [one, two] = await Promise.all([newKey('one'), newKey('two')]);
});

async function newKey(kid: string): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } };
}

function claims(change: Claims = {}): JWTPayload {
  const iat = start / 1000;
  const jti = 'b0a1c2d3-0000-4000-8000-000000000009';
  return {
    iss: 'https://auth.test',
    aud: gameId,
    env: 1,
    sub: userId,
    sid: 's-1',
    jti,
    iat,
    exp: iat + 3600,
    ...change,
  };
}

function token(key: Key, change: Claims = {}, header: { typ?: string; kid?: string } = {}): Promise<string> {
  return new SignJWT(claims(change))
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid, ...header })
    .sign(key.privateKey);
}

/** A service that publishes keys, on a clock that the test moves. */
function published(keys: () => Key[], options: Partial<ServerClientOptions> = {}) {
  const time = { now: start + 1_000 };
  const network: { fail: Reply | null } = { fail: null };
  const { client, asked } = scripted(
    (request, index) => network.fail?.(request, index) ?? Response.json({ keys: keys().map(({ jwk }) => jwk) }),
    { now: () => time.now, ...options },
  );
  return { verify: client.verifyPlayer, client, asked, time, network };
}

function gate<T>() {
  let resolve = (_value: T): void => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  return isSdkError(error) ? error.code : `not an SdkError: ${String(error)}`;
}

const refused = (code: FailureCode) => code;

describe('verifyPlayer', () => {
  it('tells who holds a token', async () => {
    const { verify, asked } = published(() => [one]);
    expect(await verify(await token(one))).toEqual({
      userId,
      gameId,
      environment: 1,
      sessionId: 's-1',
      expiresAt: start + 3_600_000,
    });
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET https://auth.test/.well-known/jwks.json']);
    expect(asked[0]?.headers.get('authorization')).toBeNull();
  });

  it('asks for the keys once for many players at once', async () => {
    const { verify, asked } = published(() => [one, two]);
    const tokens = await Promise.all([one, two, one, two].map((key) => token(key)));
    await Promise.all(tokens.map((each) => verify(each)));
    await verify(tokens[0] as string);
    expect(asked).toHaveLength(1);
  });

  it('takes the game id in any case', async () => {
    const { verify } = published(() => [one]);
    expect(await verify(await token(one, { aud: gameId.toUpperCase() }))).toMatchObject({ userId });
  });

  it('refuses a token that has expired', async () => {
    const { verify, time } = published(() => [one]);
    const ours = await token(one);
    time.now = start + 3_599_000;
    expect(await verify(ours)).toMatchObject({ userId });
    time.now = start + 3_600_000;
    expect(await codeOf(verify(ours))).toBe(refused('token_expired'));
  });

  it.each([
    ['for another game', { aud: otherGame }, 'wrong_game'],
    ['for another environment', { env: 2 }, 'wrong_env'],
    ['without an environment', { env: undefined }, 'unauthorized'],
    ['for a list of games', { aud: [gameId, otherGame] }, 'unauthorized'],
    ['that never ends', { exp: undefined }, 'unauthorized'],
    ['without a user', { sub: undefined }, 'unauthorized'],
    ['without a session', { sid: undefined }, 'unauthorized'],
  ] satisfies [string, Claims, FailureCode][])('refuses a token %s', async (_, change, code) => {
    const { verify } = published(() => [one]);
    expect(await codeOf(verify(await token(one, change)))).toBe(refused(code));
  });

  it.each(['rt+jwt', 'JWT', undefined])('refuses a token of type %s, such as a refresh token', async (typ) => {
    const { verify } = published(() => [one]);
    expect(await codeOf(verify(await token(one, {}, { typ: typ as string })))).toBe(refused('unauthorized'));
  });

  it('refuses a token that somebody else signed under a name of ours', async () => {
    const { verify } = published(() => [one]);
    expect(await codeOf(verify(await token(two, {}, { kid: 'one' })))).toBe(refused('unauthorized'));
  });

  it('refuses a token that was changed', async () => {
    const { verify } = published(() => [one]);
    const [head, , signature] = (await token(one)).split('.');
    const payload = btoa(JSON.stringify(claims({ sub: otherGame }))).replaceAll('=', '');
    expect(await codeOf(verify(`${head}.${payload}.${signature}`))).toBe(refused('unauthorized'));
    const cut = (await token(one)).slice(0, -8);
    expect(await codeOf(verify(cut))).toBe(refused('unauthorized'));
  });

  it('refuses a token without a signature', async () => {
    const { verify } = published(() => [one]);
    const bare = new UnsecuredJWT(claims()).encode();
    expect(await codeOf(verify(bare))).toBe(refused('unauthorized'));
    const named = bare.replace(/^[^.]+/, btoa('{"alg":"none","typ":"at+jwt","kid":"one"}').replaceAll('=', ''));
    expect(await codeOf(verify(named))).toBe(refused('unauthorized'));
  });

  it('refuses a token that takes the public key for a shared secret', async () => {
    const { verify } = published(() => [one]);
    const { x } = one.jwk;
    for (const secret of [JSON.stringify(one.jwk), String(x)]) {
      const forged = await new SignJWT(claims())
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'one' })
        .sign(new TextEncoder().encode(secret));
      expect(await codeOf(verify(forged))).toBe(refused('unauthorized'));
    }
  });

  it.each(['', 'nonsense', 'a.b.c', '..', 'Bearer abc', '\u0000'])('refuses %j', async (text) => {
    const { verify } = published(() => [one]);
    expect(await codeOf(verify(text))).toBe(refused('unauthorized'));
  });

  it('refuses what is no string as a mistake in the program', async () => {
    const { verify } = published(() => [one]);
    await expect(verify(undefined as never)).rejects.toThrow(new TypeError('accessToken must be a string'));
    await expect(verify('', null as never)).rejects.toThrow(TypeError);
    await expect(verify('', { signal: 1 as never })).rejects.toThrow('signal');
  });

  it('counts time as the service does, where it had to correct its clock', async () => {
    const skew = 7_200_000;
    const { client, time } = published(() => [one]);
    time.now = start + skew;
    const ours = await token(one);
    expect(await codeOf(client.verifyPlayer(ours))).toBe(refused('token_expired'));
    const corrected = scripted(
      ({ url, headers }) => {
        if (url.endsWith('jwks.json')) return Response.json({ keys: [one.jwk] });
        const far = Number(headers.get('service-timestamp')) > start + 300_000;
        const body = { type: 'about:blank', title: 'Far.', status: 401, code: 'timestamp_out_of_window' };
        if (far) return Response.json({ ...body, serverTime: start }, { status: 401 });
        return Response.json({ userId, accessToken: 'a', refreshToken: 'r', status: 0, country: 'ZZ', time: start });
      },
      { now: () => start + skew },
    ).client;
    await corrected.authenticate({ customUserId: 'player-42', deviceId: 'device-7', ip: '::1' });
    expect(await corrected.verifyPlayer(ours)).toMatchObject({ userId });
  });
});

describe('the published keys', () => {
  it('are asked for again where a token names a new one', async () => {
    let keys = [one];
    const { verify, asked, time } = published(() => keys);
    await verify(await token(one));
    keys = [one, two];
    time.now += 31_000;
    expect(await verify(await token(two))).toMatchObject({ userId });
    expect(asked).toHaveLength(2);
  });

  it('are asked for once in a storm of unknown ones, and once again after the cool-down', async () => {
    const { verify, asked, time } = published(() => [one]);
    await verify(await token(one));
    time.now += 31_000;
    const forged = await Promise.all(
      Array.from({ length: 50 }, (_, index) => token(two, {}, { kid: `forged-${index}` })),
    );
    const storm = async () => new Set(await Promise.all(forged.map((each) => codeOf(verify(each)))));
    expect(await storm()).toEqual(new Set(['unauthorized']));
    expect(await storm()).toEqual(new Set(['unauthorized']));
    expect(asked).toHaveLength(2);
    time.now += 30_000;
    await storm();
    expect(asked).toHaveLength(3);
  });

  it('are not asked for twice by a first token that is forged', async () => {
    const { verify, asked } = published(() => [one]);
    await codeOf(verify(await token(two)));
    expect(asked).toHaveLength(1);
  });

  it('are asked for again after 300 s, so that a withdrawn one stops counting', async () => {
    let keys = [one, two];
    const { verify, asked, time } = published(() => keys);
    const ours = await token(one);
    await verify(ours);
    keys = [two];
    time.now += 299_000;
    await verify(ours);
    expect(asked).toHaveLength(1);
    time.now += 1_000;
    expect(await codeOf(verify(ours))).toBe(refused('unauthorized'));
  });

  it('that cannot be had are a network failure, not a forgery', async () => {
    const { verify, network } = published(() => [one]);
    network.fail = offline;
    const ours = await token(one);
    await expect(verify(ours)).rejects.toMatchObject({ name: 'NoAnswerError', code: 'network', retryable: true });
    network.fail = null;
    expect(await verify(ours)).toMatchObject({ userId });
  });

  it('stay in use while the service cannot be reached, for as long as a token lives', async () => {
    const { verify, network, time, asked } = published(() => [one]);
    await verify(await token(one));
    network.fail = offline;
    time.now += 3_500_000;
    const early = await token(one, { exp: start / 1000 + 999_999 });
    expect(await verify(early)).toMatchObject({ userId });
    const tries = asked.length;
    expect(await verify(early)).toMatchObject({ userId });
    expect(asked).toHaveLength(tries);
    time.now += 100_000;
    expect(await codeOf(verify(early))).toBe('network');
  });

  it('that cannot be had for an unknown name leave it open whether it is a forgery', async () => {
    const { verify, network, time, asked } = published(() => [one]);
    await verify(await token(one));
    network.fail = offline;
    time.now += 31_000;
    expect(await codeOf(verify(await token(two)))).toBe('network');
    const tries = asked.length;
    expect(await codeOf(verify(await token(two)))).toBe('network');
    expect(asked).toHaveLength(tries);
  });

  it.each([
    ['a page', () => new Response('<html>hello</html>')],
    ['no list', () => Response.json({ keys: 'none' })],
    ['a key that is none', () => Response.json({ keys: [{ kty: 'EC', crv: 'P-256', kid: 'one', x: 'AA', y: 'AA' }] })],
  ])('that are %s are an answer of another form', async (_, reply) => {
    const { verify, network } = published(() => [one]);
    network.fail = reply;
    expect(await codeOf(verify(await token(one)))).toBe('invalid_answer');
  });

  it('are waited for only as long as the caller wants', async () => {
    const { verify, network } = published(() => [one]);
    const answer = gate<Response>();
    const reached = gate<void>();
    network.fail = () => {
      reached.resolve();
      return answer.promise;
    };
    const controller = new AbortController();
    const ours = await token(one);
    const leaving = verify(ours, { signal: controller.signal });
    const staying = verify(ours);
    await reached.promise;
    controller.abort();
    expect(await codeOf(leaving)).toBe('aborted');
    answer.resolve(Response.json({ keys: [one.jwk] }));
    expect(await staying).toMatchObject({ userId });
  });
});
