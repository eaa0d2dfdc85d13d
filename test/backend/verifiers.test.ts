import { generateKeyPair, SignJWT } from 'jose';
import {
  createRequestVerifier,
  createSignedTokenVerifier,
  type LogRecord,
  type RequestVerifierOptions,
  type SignedTokenOptions,
  type SocialVerifier,
} from 'savepoint/backend';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/protocol/operations.js';
import { createTestService, post, testGameId, testStart } from '../support/service.js';
import { createSigningKey, createSite, keySet, type SigningKey } from '../support/token-issuer.js';

const context = { gameId: testGameId, environment: 0 as const, now: testStart };
const iat = testStart / 1000;
const jwksUrl = 'https://portal.example/keys';

let portal: SigningKey;
let stranger: SigningKey;

beforeAll(async () => {
  [portal, stranger] = await Promise.all([createSigningKey('portal', 'RS256'), createSigningKey('portal', 'RS256')]);
});

/** Through the service, as a player has it: `ok`, or the failure's code; and what the operator reads. */
async function signIn(verify: SocialVerifier, token: string) {
  const records: LogRecord[] = [];
  const log = (record: LogRecord) => records.push(record);
  const service = createTestService({ game: { socialPlatforms: { portal: verify } }, log });
  const { status, body } = await post(service, operations.signInWithSocialToken.path, { token });
  return { code: status === 200 ? 'ok' : body.code, told: JSON.stringify([records, body]) };
}

describe('a verifier of signed tokens', () => {
  const options = { issuer: 'https://portal.example', audience: 'my-game' };
  const token = (claims: { [claim: string]: unknown } = {}, key = portal) =>
    key.sign({ iss: options.issuer, aud: 'my-game', sub: 'ada', iat, exp: iat + 60, ...claims });
  const verifier = (more: Partial<SignedTokenOptions> = {}) =>
    createSignedTokenVerifier({ keys: keySet(portal), ...options, ...more });

  it("gives the player's id", async () => {
    expect(await verifier()(await token(), context)).toEqual({ id: 'ada' });
    expect(await verifier({ subjectClaim: 'uid' })(await token({ uid: 17 }), context)).toEqual({ id: '17' });
    expect((await signIn(verifier(), await token())).code).toBe('ok');
  });

  it.each<[string, { [claim: string]: unknown }]>([
    ['another issuer', { iss: 'https://elsewhere.example' }],
    ['another game', { aud: 'another-game' }],
    ['nobody', { sub: '' }],
    ['yesterday', { exp: iat - 61 }],
    ['tomorrow', { nbf: iat + 86_400 }],
    ['ever', { exp: undefined }],
    ['no game', { aud: undefined }],
    ['no player', { sub: undefined }],
  ])('refuses one of %s', async (_, claims) => {
    expect(await verifier()(await token(claims), context)).toBeNull();
  });

  it('refuses one of another key, of another algorithm, and what is none', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    const sign = (header: { alg: string }, key: CryptoKey | Uint8Array) =>
      new SignJWT({ iss: options.issuer, aud: 'my-game', sub: 'ada', iat, exp: iat + 60 })
        .setProtectedHeader({ kid: 'portal', ...header })
        .sign(key);
    // As if the published key were a shared secret.
    const published = new TextEncoder().encode(JSON.stringify(portal.jwk));
    const forged = [
      await token({}, stranger),
      await sign({ alg: 'ES256' }, privateKey),
      await sign({ alg: 'HS256' }, published),
      `${btoa('{"alg":"none"}')}.${btoa('{"sub":"ada"}')}.`,
      'nonsense',
    ];
    for (const wrong of forged) expect(await verifier()(wrong, context)).toBeNull();
    expect(await verifier({ algorithms: ['ES256'] })(await token(), context)).toBeNull();
  });

  it('looks at claims of the portal’s own', async () => {
    const verify = createSignedTokenVerifier({ keys: keySet(portal), claims: { gameId: 'my-game', level: 2 } });
    expect(await verify(await token({ gameId: 'my-game', level: 2 }), context)).toEqual({ id: 'ada' });
    expect(await verify(await token({ gameId: 'another', level: 2 }), context)).toBeNull();
    expect(await verify(await token({ gameId: 'my-game', level: '2' }), context)).toBeNull();
    expect(await verify(await token({ gameId: 'my-game' }), context)).toBeNull();
  });

  it('fetches the keys, and waits where they cannot be had', async () => {
    const site = createSite({ [jwksUrl]: 500 });
    const verify = verifier({ keys: jwksUrl, fetch: site.fetch });
    const refused = await signIn(verify, await token());
    expect(refused.code).toBe('unavailable');
    site.answers[jwksUrl] = keySet(portal);
    expect(await verify(await token(), { ...context, now: testStart + 5_000 })).toEqual({ id: 'ada' });
  });

  it.each([
    ['keys', { keys: 'x' }],
    ['audience', { audience: '' }],
    ['audience', { audience: undefined }],
    ['issuer', { issuer: 5 }],
    ['algorithms', { algorithms: ['HS256'] }],
    ['subjectClaim', { subjectClaim: '' }],
  ])('names %s where it is wrong: %j', (option, wrong) => {
    expect(() => verifier(wrong as never)).toThrow(TypeError);
    expect(() => verifier(wrong as never)).toThrow(option);
  });
});

describe('a verifier that asks a network', () => {
  const address = 'https://network.example/me';
  const secret = 'a-very-secret-token';
  const player: RequestVerifierOptions['player'] = (answer) => {
    const { app, id } = answer as { app: string; id: string };
    return app === 'my-app' ? id : null;
  };

  it('sends the token as Bearer, and takes the id that comes back', async () => {
    const sent: Request[] = [];
    const fetch = async (request: Request) => {
      sent.push(request);
      return Response.json({ app: 'my-app', id: 17 });
    };
    const verify = createRequestVerifier({ request: address, player, fetch });
    expect(await verify(secret, context)).toEqual({ id: '17' });
    expect(sent[0]?.url).toBe(address);
    expect(sent[0]?.redirect).toBe('manual');
    expect(sent[0]?.headers.get('authorization')).toBe(`Bearer ${secret}`);
    expect(await verify('line\nbreak', context)).toBeNull();
    expect(sent).toHaveLength(1);
  });

  it('asks as the network wants it', async () => {
    const sent: string[] = [];
    const fetch = async (request: Request) => {
      sent.push(`${request.method} ${request.url} ${await request.text()}`);
      return Response.json({ app: 'my-app', id: 'ada' });
    };
    const request = (token: string, { gameId }: { gameId: string }) =>
      ({ url: `${address}?game=${gameId}`, method: 'POST', body: new URLSearchParams({ token }) }) as const;
    expect(await createRequestVerifier({ request, player, fetch })(secret, context)).toEqual({ id: 'ada' });
    expect(sent).toEqual([`POST ${address}?game=${testGameId} token=${secret}`]);
  });

  it.each([
    ['invalid_credentials', 'refuses the token', 401],
    ['invalid_credentials', 'knows it for another app', { app: 'another', id: 'ada' }],
    ['invalid_credentials', 'knows no id', { app: 'my-app' }],
    ['invalid_credentials', 'knows an id that is none', { app: 'my-app', id: 1.5 }],
    ['unavailable', 'fails', 500],
    ['unavailable', 'is asked too often', 429],
    ['unavailable', 'has moved', async () => Response.redirect('https://elsewhere.example/')],
    ['unavailable', 'answers what is not JSON', async () => new Response('<html>')],
    ['unavailable', 'answers something else', null],
    ['unavailable', 'cannot be reached', () => Promise.reject(new TypeError(`no connection to ${secret}`))],
  ])('answers %s where the network %s, and tells nobody the token', async (code, _, answer) => {
    const site = createSite({ [`${address}?token=${secret}`]: answer });
    const request = (token: string) => ({ url: `${address}?token=${token}` });
    const answered = await signIn(createRequestVerifier({ request, player, fetch: site.fetch }), secret);
    expect(answered.code).toBe(code);
    expect(answered.told).not.toContain(secret);
  });

  it('answers unavailable where the network is too slow', async () => {
    for (const fetch of [() => new Promise<never>(() => {}), async () => new Response(new ReadableStream())]) {
      const verify = createRequestVerifier({ request: address, player, fetch, timeoutMs: 1 });
      expect((await signIn(verify, secret)).code).toBe('unavailable');
    }
  });

  it('takes other statuses for a refusal where the network has them', async () => {
    const site = createSite({ [address]: 404 });
    const verify = createRequestVerifier({ request: address, player, fetch: site.fetch, refusals: [404] });
    expect(await verify(secret, context)).toBeNull();
  });

  it('names what is wrong with its options', () => {
    expect(() => createRequestVerifier({ request: 'me', player })).toThrow('request must be');
    expect(() => createRequestVerifier({ request: address } as never)).toThrow('player must be');
  });
});
