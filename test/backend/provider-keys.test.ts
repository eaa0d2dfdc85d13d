import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { LogRecord } from '../../src/backend/index.js';
import { operations } from '../../src/protocol/operations.js';
import { createTestService, post, type TestService } from '../support/service.js';
import { createSigningKey, createSite, keySet, type SigningKey, type Site } from '../support/token-issuer.js';

const issuer = 'https://id.example/players';
const configuration = `${issuer}/.well-known/openid-configuration`;
const jwksUrl = 'https://keys.example/jwks';
const minute = 60_000;

let first: SigningKey;
let second: SigningKey;
let stranger: SigningKey;

beforeAll(async () => {
  [first, second, stranger] = await Promise.all([
    createSigningKey('first'),
    createSigningKey('second'),
    createSigningKey('stranger'),
  ]);
});

function open({
  answers = {},
  timeoutMs,
  ...provider
}: {
  answers?: Site['answers'];
  timeoutMs?: number;
  keys?: string;
  issuer?: string;
} = {}) {
  const site = createSite({
    [configuration]: { issuer, jwks_uri: jwksUrl },
    [jwksUrl]: keySet(first),
    ...answers,
  });
  const records: LogRecord[] = [];
  const options = { issuer, audience: 'the-game', fetch: site.fetch, ...provider };
  const identityProviders = [timeoutMs === undefined ? options : { ...options, timeoutMs }];
  const service = createTestService({ game: { identityProviders }, log: (record) => records.push(record) });
  return { service, site, records };
}

/** What the service answers to a player's token: `ok`, or the failure's code. */
async function ask(service: TestService, key: SigningKey, iss = issuer): Promise<string> {
  const iat = Math.floor(service.clock() / 1000);
  const token = await key.sign({ iss, aud: 'the-game', sub: 'ada', iat, exp: iat + 60 });
  const { status, body } = await post(service, operations.signInWithIdentityToken.path, { token });
  return status === 200 ? 'ok' : body.code;
}

describe('the keys of an OpenID provider', () => {
  it('are given up where a function that gets them does not settle', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let begin: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const keys = vi.fn((): Promise<ReturnType<typeof keySet>> => {
      begin();
      return new Promise(() => {});
    });
    const service = createTestService({ game: { identityProviders: [{ issuer, audience: 'the-game', keys }] } });
    const asked = ask(service, first);
    await begun;
    await vi.advanceTimersByTimeAsync(5_000);
    vi.useRealTimers();
    expect(await asked).toBe('unavailable');
    keys.mockImplementation(async () => keySet(first));
    service.backend.control.advance(minute);
    expect(await ask(service, first)).toBe('ok');
  });

  it('are found by its issuer alone', async () => {
    const { service, site } = open();
    expect(await ask(service, first)).toBe('ok');
    expect(site.asked).toEqual([configuration, jwksUrl]);
  });

  it('are found where the issuer ends with a slash', async () => {
    const slash = 'https://id.example/';
    const answers = { 'https://id.example/.well-known/openid-configuration': { issuer: slash, jwks_uri: jwksUrl } };
    expect(await ask(open({ issuer: slash, answers }).service, first, slash)).toBe('ok');
  });

  it.each([
    ['of another issuer', { issuer: 'https://id.example/players/', jwks_uri: jwksUrl }],
    ['of no issuer', { jwks_uri: jwksUrl }],
    ['without an address for the keys', { issuer }],
    ['whose keys come without encryption', { issuer, jwks_uri: 'http://keys.example/jwks' }],
    ['that is nothing', null],
    ['that is not there', 404],
  ])('are not taken from a configuration %s', async (_, found) => {
    const plain = { 'http://keys.example/jwks': keySet(first) };
    const { service, records } = open({ answers: { [configuration]: found, ...plain } });
    expect(await ask(service, first)).toBe('unavailable');
    expect(records).toContainEqual(expect.objectContaining({ kind: 'error' }));
  });

  it('are asked for once, by however many players at once', async () => {
    const { service, site } = open({ keys: jwksUrl });
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(service, first)));
    expect(new Set(answers)).toEqual(new Set(['ok']));
    expect(site.asked).toEqual([jwksUrl]);
  });

  it('are asked for once when a thousand tokens name keys that are not there', async () => {
    const { service, site } = open({ keys: jwksUrl });
    await ask(service, first);
    service.backend.control.advance(30_000);
    const forged = await Promise.all(Array.from({ length: 1_000 }, () => ask(service, stranger)));
    expect(new Set(forged)).toEqual(new Set(['invalid_credentials']));
    expect(site.asked).toHaveLength(2);
  });

  it('may change: a token of the new one is good at once, one of the old one until it is gone', async () => {
    const { service, site } = open();
    expect(await ask(service, first)).toBe('ok');
    site.answers[jwksUrl] = keySet(first, second);
    service.backend.control.advance(minute);
    expect(await ask(service, second)).toBe('ok');
    expect(await ask(service, first)).toBe('ok');
    site.answers[jwksUrl] = keySet(second);
    service.backend.control.advance(10 * minute);
    expect(await ask(service, first)).toBe('invalid_credentials');
    expect(await ask(service, second)).toBe('ok');
  });

  it('are asked for again by a wrong signature where they have no ids, and by none where they have', async () => {
    const unnamed = (key: SigningKey) => ({ keys: [{ ...key.jwk, kid: undefined }] });
    const { service, site } = open({ keys: jwksUrl, answers: { [jwksUrl]: unnamed(first) } });
    expect(await ask(service, first)).toBe('ok');
    service.backend.control.advance(minute);
    expect(await ask(service, second)).toBe('invalid_credentials');
    expect(site.asked).toHaveLength(2);
    site.answers[jwksUrl] = unnamed(second);
    expect(await ask(service, second)).toBe('invalid_credentials');
    service.backend.control.advance(minute);
    expect(await ask(service, second)).toBe('ok');
    expect(site.asked).toHaveLength(3);

    const named = open({ keys: jwksUrl, answers: { [jwksUrl]: keySet(first) } });
    expect(await ask(named.service, first)).toBe('ok');
    named.service.backend.control.advance(minute);
    expect(await ask(named.service, await createSigningKey('first'))).toBe('invalid_credentials');
    expect(named.site.asked).toHaveLength(1);
  });

  it('may move to another address', async () => {
    const { service, site } = open();
    expect(await ask(service, first)).toBe('ok');
    site.answers[configuration] = { issuer, jwks_uri: 'https://keys.example/new' };
    site.answers['https://keys.example/new'] = keySet(second);
    service.backend.control.advance(minute);
    expect(await ask(service, second)).toBe('ok');
  });

  it.each([
    ['cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
    ['fails', 500],
    ['answers what is no key set', { keys: 'none' }],
    ['answers a key that is none', { keys: [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid: 'first' }] }],
    ['answers too much', { keys: [], more: 'x'.repeat(300_000) }],
    ['moves the address with a redirect', async () => Response.redirect('https://elsewhere.example/')],
  ])('say nothing about a token where the provider %s', async (_, answer) => {
    const { service } = open({ keys: jwksUrl, answers: { [jwksUrl]: answer } });
    expect(await ask(service, first)).toBe('unavailable');
    expect(await ask(service, stranger)).not.toBe('ok');
  });

  it('say nothing about a token where the provider does not answer in time', async () => {
    const { service } = open({ keys: jwksUrl, answers: { [jwksUrl]: () => new Promise(() => {}) }, timeoutMs: 1 });
    expect(await ask(service, first)).toBe('unavailable');
  });

  it('stay in use for an hour while new ones cannot be had; no other is called right or wrong', async () => {
    const { service, site } = open({ keys: jwksUrl });
    expect(await ask(service, first)).toBe('ok');
    site.answers[jwksUrl] = 503;
    service.backend.control.advance(50 * minute);
    expect(await ask(service, first)).toBe('ok');
    expect(await ask(service, second)).toBe('unavailable');
    service.backend.control.advance(10 * minute);
    expect(await ask(service, first)).toBe('unavailable');
    site.answers[jwksUrl] = keySet(second);
    service.backend.control.advance(minute);
    expect(await ask(service, second)).toBe('ok');
  });

  it('are not asked for again and again while they cannot be had', async () => {
    const { service, site } = open({ keys: jwksUrl, answers: { [jwksUrl]: 503 } });
    for (let attempt = 0; attempt < 20; attempt += 1) expect(await ask(service, first)).toBe('unavailable');
    expect(site.asked).toHaveLength(1);
    site.answers[jwksUrl] = keySet(first);
    service.backend.control.advance(5_000);
    expect(await ask(service, first)).toBe('ok');
  });
});
