import { expect } from 'vitest';
import { type FailureCode, failures } from '../../src/protocol/failures.js';
import { signedHeaders } from '../../src/protocol/headers.js';
import { encodeSignature, hmac, importPrivateKey, signedText } from '../../src/protocol/signing.js';
import { type TestService, testGameId, testPrivateKey, testStart } from './service.js';

/** A request as the suite writes it, below the door's address. */
export interface DoorRequest {
  method?: string;
  path: string;
  headers?: readonly (readonly [string, string])[];
  /** Bytes bring no content type with them, unlike text. */
  body?: string | Uint8Array<ArrayBuffer>;
}

/** What the cases build on: the service behind the door, and what it has answered so far. */
export interface DoorWorld {
  service: TestService;
  /** The bodies of earlier answers by the name they were remembered by. */
  // biome-ignore lint/suspicious/noExplicitAny: an earlier case has looked at them.
  said: { [name: string]: any };
}

export interface DoorCase {
  name: string;
  request(world: DoorWorld): DoorRequest | Promise<DoorRequest>;
  status: number;
  /** The normalised body; undefined where there is none. */
  body?: unknown;
  headers?: { [name: string]: string };
  remember?: string;
  /** A header that browsers let no script set. Where it is dropped, the case is left to the other doors. */
  needs?: string;
}

/** What a failure answers; `more` is what this one adds, `detail` may be anything. */
function refused(code: FailureCode, more: { [name: string]: unknown } = {}) {
  const { status, title } = failures[code];
  const body = { type: 'about:blank', title, status, code, requestId: '<uuid>', ...more };
  return { status, body: expect.objectContaining(body), headers: { 'content-type': 'application/problem+json' } };
}

/** Spec 2.5, normalised. */
function session(methods?: string[]) {
  const answer = {
    userId: '<uuid>',
    accessToken: '<token>',
    refreshToken: '<token>',
    status: 0,
    country: 'ZZ',
    time: testStart,
  };
  return methods === undefined ? answer : { ...answer, methods };
}

type Headers = readonly (readonly [string, string])[];

const json = ['Content-Type', 'application/json'] as const;
const key = ['Authorization', `Bearer ${testPrivateKey}`] as const;
const jsonAnswer = { 'content-type': 'application/json', 'cache-control': 'no-store' };
const device = { game_id: testGameId, env: 0, device_id: 'device-one' };
const noUser = '11111111-1111-4111-8111-111111111111';

/** A POST to one of the player's endpoints; `as` names the answer whose session it comes from. */
function post(path: string, body: object, as?: string): DoorCase['request'] {
  return ({ said }) => ({
    method: 'POST',
    path: `/v2/auth/${path}`,
    headers: as === undefined ? [json] : [json, ['Authorization', `Bearer ${said[as].accessToken}`]],
    body: JSON.stringify({ ...device, ...body }),
  });
}

function asPlayer(as: string, path: string, method = 'GET', body?: string): DoorCase['request'] {
  return ({ said }) => ({
    method,
    path,
    headers: [['Authorization', `Bearer ${said[as].accessToken}`], ...(body === undefined ? [] : [json])],
    ...(body === undefined ? {} : { body }),
  });
}

function saves({ said }: DoorWorld, rest: string): string {
  return `/v2/pr/games/${testGameId}/saves/${said['guest'].userId}/collections/${rest}`;
}

const update = '{"value":{"b":1.0,"a":[1, 2]},"version":-1}';

/** A write through the private API; each part of it can be another one. */
function patch(
  rest: string,
  {
    body = update,
    headers = [key, json],
    method = 'PATCH',
  }: { body?: DoorRequest['body']; headers?: Headers; method?: string } = {},
): DoorCase['request'] {
  return (world) => ({ method, path: saves(world, rest), headers, body });
}

let nonces = 0;

function newNonce(): string {
  nonces += 1;
  return String(nonces).padStart(32, '0');
}

/** Spec 5.2; each part of the request can be another one than what is signed. */
function signed(
  change: (headers: [string, string][], body: string) => { headers?: Headers; body?: string } = () => ({}),
  {
    text = JSON.stringify({ ...device, custom_user_id: 'custom-1' }),
    nonce = newNonce(),
  }: { text?: string; nonce?: string } = {},
): DoorCase['request'] {
  return async ({ service }) => {
    const timestamp = String(service.clock());
    const mac = await hmac(await importPrivateKey(testPrivateKey), signedText(timestamp, nonce, text));
    const headers: [string, string][] = [
      [...json],
      [signedHeaders.signature, encodeSignature(mac)],
      [signedHeaders.timestamp, timestamp],
      [signedHeaders.nonce, nonce],
      ['X-Forwarded-For', '203.0.113.7'],
    ];
    return { method: 'POST', path: '/v2/auth/server', headers, body: text, ...change(headers, text) };
  };
}

/** The collection that the cases leave behind. */
const heroes = ['%2F', 'a/b', 'e\u0301', 'stats', 'ключ-鍵-👩‍🚀'].map((name) =>
  name === 'stats'
    ? { key: name, value: { a: 2 }, version: 2 }
    : { key: name, value: { b: 1, a: [1, 2] }, version: name.startsWith('к') ? 1 : 0 },
);

const good: DoorCase[] = [
  {
    name: 'signs a guest in',
    request: post('guest', {}),
    status: 200,
    headers: jsonAnswer,
    body: session(['device']),
    remember: 'guest',
  },
  { name: 'finds the guest again', request: post('guest', {}), status: 200, body: session(['device']) },
  {
    name: 'links a name',
    request: post('name', { username: 'Ada', password: 'correct horse' }, 'guest'),
    status: 200,
    body: session(['device', 'name']),
  },
  {
    name: 'links a social account',
    request: post('social', { token: 'good', platform: 'arcade' }, 'guest'),
    status: 200,
    body: session(['device', 'name', 'social']),
  },
  {
    name: 'refuses a social token that does not hold',
    request: post('social', { token: 'bad' }),
    ...refused('invalid_credentials'),
  },
  {
    name: 'names the platforms that there are',
    request: post('social', { token: 'good', platform: 'steam' }),
    ...refused('platform_not_registered', { platforms: ['arcade'] }),
  },
  {
    name: 'refuses an identity token of nobody it knows',
    request: post('identity', { token: 'a.b.c' }),
    ...refused('invalid_credentials'),
  },
  {
    name: 'refuses a wrong password',
    request: post('name', { username: 'Ada', password: 'wrong horse' }),
    ...refused('invalid_credentials'),
  },
  {
    name: 'signs a second device in',
    request: post('guest', { device_id: 'device-two' }),
    status: 200,
    body: session(['device']),
    remember: 'second',
  },
  {
    name: 'answers a conflict',
    request: post('name', { device_id: 'device-two', username: 'ada', password: 'correct horse' }, 'second'),
    ...refused('profile_conflict', {
      conflict: {
        kind: 'fast-forward',
        ahead: 'cloud',
        diff: [],
        mergeable: true,
        ticket: '<ticket>',
        method: 'name',
        expiresAt: testStart + 600_000,
        local: {
          userId: '<uuid>',
          methods: ['device'],
          createdAt: testStart,
          changedAt: null,
          entries: 0,
          bytes: 0,
          fields: [],
        },
        cloud: {
          userId: '<uuid>',
          methods: ['device', 'name', 'social'],
          createdAt: testStart,
          changedAt: null,
          entries: 0,
          bytes: 0,
          fields: [],
        },
      },
    }),
    remember: 'conflict',
  },
  {
    name: 'shows both sides of a conflict',
    request: (world) =>
      post('conflict/sides', { device_id: 'device-two', ticket: world.said['conflict'].conflict.ticket })(world),
    status: 200,
    body: { local: [], cloud: [] },
  },
  {
    name: 'takes megabytes in a choice',
    request: post('conflict', { ticket: 'nothing', choice: 'merge', more: 'x'.repeat(3 * 1024 * 1024) }),
    ...refused('conflict_stale'),
  },
  {
    name: 'carries the choice out',
    request: (world) =>
      post('conflict', { device_id: 'device-two', ticket: world.said['conflict'].conflict.ticket, choice: 'cloud' })(
        world,
      ),
    status: 200,
    body: session(['device', 'name', 'social']),
    remember: 'cloud',
  },
  {
    name: 'refreshes a session',
    request: (world) => post('refresh', { refresh_token: world.said['cloud'].refreshToken })(world),
    status: 200,
    body: session(['device', 'name', 'social']),
  },
  {
    name: 'lists what lost',
    request: asPlayer('guest', '/v2/auth/account/snapshots'),
    status: 200,
    body: { snapshots: [] },
  },
  {
    name: 'knows no snapshot that is not there',
    request: asPlayer('guest', `/v2/auth/account/snapshots/${noUser}/restore`, 'POST'),
    ...refused('not_found'),
  },
  {
    name: 'exports what it holds',
    request: asPlayer('guest', '/v2/auth/account/export'),
    status: 200,
    body: expect.objectContaining({ userId: '<uuid>', entries: [], snapshots: [] }),
  },
  {
    name: 'looks at what a name would do',
    request: post('peek/name', { username: 'Nobody', password: 'correct horse' }),
    status: 200,
    body: { outcome: 'free' },
  },
  {
    name: 'describes the account',
    request: asPlayer('guest', '/v2/auth/account'),
    status: 200,
    body: {
      userId: '<uuid>',
      createdAt: testStart,
      methods: [
        { method: 'device', linkedAt: testStart },
        { method: 'name', label: 'Ada', linkedAt: testStart },
        { method: 'social', label: 'arcade', linkedAt: testStart },
        { method: 'device', linkedAt: testStart },
      ],
    },
  },
  {
    name: 'removes a method',
    request: asPlayer('guest', '/v2/auth/methods/social', 'DELETE'),
    status: 200,
    body: {
      userId: '<uuid>',
      createdAt: testStart,
      methods: [
        { method: 'device', linkedAt: testStart },
        { method: 'name', label: 'Ada', linkedAt: testStart },
        { method: 'device', linkedAt: testStart },
      ],
    },
  },
  {
    name: 'writes an entry for its player',
    request: asPlayer(
      'guest',
      `/v2/cl/games/${testGameId}/collections/mine/main?env=0`,
      'PATCH',
      '{"value":{"coins":1},"version":-1}',
    ),
    status: 200,
    body: { version: 0 },
  },
  {
    name: 'reads a collection for its player',
    request: asPlayer('guest', `/v2/cl/games/${testGameId}/collections/mine?env=0`),
    status: 200,
    body: [{ key: 'main', value: { coins: 1 }, version: 0 }],
  },
  {
    name: 'writes an entry for the game (Spec 4.2)',
    request: patch('hero/stats?env=0'),
    status: 200,
    headers: jsonAnswer,
    body: { version: 0 },
  },
  {
    name: 'accepts a slash at the end (Spec 4.2)',
    request: patch('hero/stats/?env=0'),
    status: 200,
    body: { version: 1 },
  },
  {
    name: 'writes by version',
    request: patch('hero/stats?env=0', { body: '{"value":{"a":2},"version":1}' }),
    status: 200,
    body: { version: 2 },
  },
  {
    name: 'refuses another version, with what is stored',
    request: patch('hero/stats?env=0', { body: '{"value":{},"version":1}' }),
    ...refused('version_mismatch', { currentVersion: 2, currentValue: { a: 2 } }),
  },
  {
    name: 'refuses to create what is there',
    request: patch('hero/stats?env=0', { headers: [key, json, ['If-None-Match', '*']] }),
    ...refused('version_mismatch', { currentVersion: 2, currentValue: { a: 2 } }),
  },
  {
    name: 'refuses a version where there is no entry',
    request: patch('hero/none?env=0', { body: '{"value":{},"version":0}' }),
    ...refused('version_mismatch', { currentVersion: -1 }),
  },
  { name: 'keeps an encoded slash in its key', request: patch('hero/a%2Fb?env=0'), status: 200, body: { version: 0 } },
  {
    name: 'keeps an encoded percent sign in its key',
    request: patch('hero/%252F?env=0'),
    status: 200,
    body: { version: 0 },
  },
  {
    name: 'takes a Unicode key that is encoded',
    request: patch(`hero/${encodeURIComponent('ключ-鍵-👩‍🚀')}?env=0`),
    status: 200,
    body: { version: 0 },
  },
  {
    name: 'takes a Unicode key that is not',
    request: patch('hero/ключ-鍵-👩‍🚀?env=0'),
    status: 200,
    body: { version: 1 },
  },
  {
    name: 'tells composed from combined letters',
    request: patch(`hero/${encodeURIComponent('e\u0301')}?env=0`),
    status: 200,
    body: { version: 0 },
  },
  {
    name: 'reads a collection for the game, by key, each value as it was written (Spec 4.1)',
    request: (world) => ({ path: saves(world, 'hero?env=0'), headers: [key, json] }),
    status: 200,
    headers: jsonAnswer,
    body: heroes,
  },
  {
    name: 'reads an empty collection',
    request: (world) => ({ path: saves(world, 'nothing/?env=0'), headers: [key] }),
    status: 200,
    body: [],
  },
  {
    name: 'has no such user',
    request: () => ({ path: `/v2/pr/games/${testGameId}/saves/${noUser}/collections/hero?env=0`, headers: [key] }),
    ...refused('user_not_found'),
  },
  {
    name: 'authenticates a signed request (Spec 4.3)',
    request: signed(),
    status: 200,
    headers: jsonAnswer,
    body: session(),
  },
  {
    name: 'authenticates a body that is not ASCII',
    request: signed(undefined, { text: JSON.stringify({ ...device, custom_user_id: 'игрок-👩‍🚀-\u2028' }) }),
    status: 200,
    body: session(),
  },
  {
    name: 'publishes its keys',
    request: () => ({ path: '/.well-known/jwks.json' }),
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' },
    body: { keys: [{ kty: 'EC', crv: 'P-256', x: '<x>', y: '<y>', kid: '<kid>', alg: 'ES256', use: 'sig' }] },
  },
  {
    name: 'answers HEAD without a body',
    request: () => ({ method: 'HEAD', path: '/.well-known/jwks.json' }),
    status: 200,
  },
  {
    name: 'answers the preflight of an allowed page',
    needs: 'Origin',
    request: () => ({
      method: 'OPTIONS',
      path: '/v2/auth/guest',
      headers: [
        ['Origin', 'https://game.test'],
        ['Access-Control-Request-Method', 'POST'],
        ['Access-Control-Request-Headers', 'content-type'],
      ],
    }),
    status: 204,
    headers: { 'access-control-allow-origin': 'https://game.test', 'access-control-allow-methods': 'POST' },
  },
  {
    name: 'lets an allowed page read failures',
    needs: 'Origin',
    request: () => ({ path: '/v2/auth/account', headers: [['Origin', 'https://game.test']] }),
    ...refused('unauthorized'),
    headers: { 'access-control-allow-origin': 'https://game.test', 'content-type': 'application/problem+json' },
  },
  {
    name: 'has no preflight for the private API',
    needs: 'Origin',
    request: (world) => ({
      method: 'OPTIONS',
      path: saves(world, 'hero?env=0'),
      headers: [['Origin', 'https://game.test']],
    }),
    ...refused('method_not_allowed'),
  },
  {
    name: 'signs out',
    request: (world) => post('sign-out', { refresh_token: world.said['second'].refreshToken })(world),
    status: 204,
  },
];

const manyBytes = 'x'.repeat(256 * 1024);

const bad: DoorCase[] = [
  {
    name: 'refuses an address that it does not have',
    request: () => ({ path: '/v2/auth/nothing' }),
    ...refused('not_found'),
  },
  { name: 'refuses a path that goes on', request: patch('hero/stats/more?env=0'), ...refused('not_found') },
  { name: 'refuses two slashes at the end', request: patch('hero/stats//?env=0'), ...refused('not_found') },
  { name: 'refuses an empty segment', request: patch('/stats?env=0'), ...refused('not_found') },
  {
    name: 'never sees a dot segment: the address is another one',
    request: patch('hero/..?env=0'),
    ...refused('not_found'),
  },
  { name: 'never sees an encoded dot segment either', request: patch('hero/%2e%2E?env=0'), ...refused('not_found') },
  { name: 'refuses a bad escape', request: patch('hero/%zz?env=0'), ...refused('invalid_key') },
  { name: 'refuses an escape that ends early', request: patch('hero/%2?env=0'), ...refused('invalid_key') },
  { name: 'refuses escapes that are no UTF-8', request: patch('hero/%ff?env=0'), ...refused('invalid_key') },
  { name: 'refuses an escaped surrogate', request: patch('hero/%ed%a0%80?env=0'), ...refused('invalid_key') },
  { name: 'refuses a control character in a key', request: patch('hero/a%00?env=0'), ...refused('invalid_key') },
  {
    name: 'refuses a key that is too long',
    request: patch(`hero/${'k'.repeat(129)}?env=0`),
    ...refused('invalid_key'),
  },
  {
    name: 'refuses a bad escape in a collection',
    request: (world) => ({ path: saves(world, '%zz?env=0'), headers: [key] }),
    ...refused('invalid_key'),
  },
  {
    name: 'refuses a method',
    request: patch('hero/stats?env=0', { method: 'PUT' }),
    ...refused('method_not_allowed'),
    headers: { allow: 'PATCH' },
  },
  {
    name: 'refuses a method that it never takes',
    request: patch('hero/stats?env=0', { method: 'PROPFIND' }),
    ...refused('method_not_allowed'),
  },
  {
    name: 'refuses GET where only POST is',
    request: () => ({ path: '/v2/auth/server' }),
    ...refused('method_not_allowed'),
    headers: { allow: 'POST' },
  },
  {
    name: 'refuses without a key',
    request: patch('hero/stats?env=0', { headers: [json] }),
    ...refused('unauthorized'),
  },
  {
    name: 'refuses another key',
    request: patch('hero/stats?env=0', { headers: [json, ['Authorization', 'Bearer another-key']] }),
    ...refused('unauthorized'),
  },
  {
    name: 'refuses another scheme',
    request: patch('hero/stats?env=0', { headers: [json, ['Authorization', `Basic ${testPrivateKey}`]] }),
    ...refused('unauthorized'),
  },
  {
    name: 'refuses the key twice',
    request: patch('hero/stats?env=0', { headers: [json, key, key] }),
    ...refused('unauthorized'),
  },
  {
    name: 'refuses a player token on the private API',
    request: (world) => ({
      path: saves(world, 'hero?env=0'),
      headers: [['Authorization', `Bearer ${world.said['guest'].accessToken}`]],
    }),
    ...refused('unauthorized'),
  },
  { name: 'refuses without env', request: patch('hero/stats'), ...refused('invalid_env') },
  { name: 'refuses another env', request: patch('hero/stats?env=3'), ...refused('invalid_env') },
  { name: 'refuses env twice', request: patch('hero/stats?env=0&env=0'), ...refused('invalid_env') },
  { name: 'refuses env in another form', request: patch('hero/stats?env=%30%30'), ...refused('invalid_env') },
  {
    name: 'refuses a body without its type',
    request: patch('hero/stats?env=0', { headers: [key], body: new TextEncoder().encode(update) }),
    ...refused('unsupported_media_type'),
  },
  {
    name: 'refuses a body of another type',
    request: patch('hero/stats?env=0', { headers: [key, ['Content-Type', 'text/plain']] }),
    ...refused('unsupported_media_type'),
  },
  {
    name: 'refuses a body in another charset',
    request: patch('hero/stats?env=0', { headers: [key, ['Content-Type', 'application/json; charset=latin1']] }),
    ...refused('unsupported_media_type'),
  },
  {
    name: 'refuses the type twice',
    request: patch('hero/stats?env=0', { headers: [key, json, json] }),
    ...refused('unsupported_media_type'),
  },
  {
    name: 'takes a charset that says UTF-8',
    request: patch('hero/%zz?env=0', { headers: [key, ['Content-Type', 'application/json; charset=UTF-8']] }),
    ...refused('invalid_key'),
  },
  {
    name: 'refuses no body at all',
    request: (world) => ({ method: 'PATCH', path: saves(world, 'hero/stats?env=0'), headers: [key, json] }),
    ...refused('invalid_json'),
  },
  { name: 'refuses an empty body', request: patch('hero/stats?env=0', { body: '' }), ...refused('invalid_json') },
  {
    name: 'refuses truncated JSON',
    request: patch('hero/stats?env=0', { body: update.slice(0, -1) }),
    ...refused('invalid_json'),
  },
  {
    name: 'refuses more than one JSON value',
    request: patch('hero/stats?env=0', { body: `${update}${update}` }),
    ...refused('invalid_json'),
  },
  {
    name: 'refuses bytes that are no UTF-8',
    request: patch('hero/stats?env=0', {
      body: Uint8Array.from([
        ...new TextEncoder().encode('{"value":{"a":"'),
        0xff,
        0xfe,
        ...new TextEncoder().encode('"},"version":-1}'),
      ]),
    }),
    ...refused('invalid_json'),
  },
  {
    name: 'refuses a byte order mark',
    request: patch('hero/stats?env=0', { body: `\ufeff${update}` }),
    ...refused('invalid_json'),
  },
  {
    name: 'refuses JSON that is no object',
    request: patch('hero/stats?env=0', { body: '[]' }),
    ...refused('invalid_request'),
  },
  {
    name: 'refuses a value that is no object',
    request: patch('hero/stats?env=0', { body: '{"value":[],"version":-1}' }),
    ...refused('invalid_request'),
  },
  {
    name: 'refuses a version below -1',
    request: patch('hero/stats?env=0', { body: '{"value":{},"version":-2}' }),
    ...refused('invalid_version'),
  },
  {
    name: 'refuses a version that is text',
    request: patch('hero/stats?env=0', { body: '{"value":{},"version":"1"}' }),
    ...refused('invalid_version'),
  },
  {
    name: 'refuses a number that cannot be kept',
    request: patch('hero/stats?env=0', { body: '{"value":{"a":9007199254740993},"version":-1}' }),
    ...refused('value_not_storable'),
  },
  {
    name: 'refuses a lone surrogate',
    request: patch('hero/stats?env=0', { body: '{"value":{"a":"\\ud800"},"version":-1}' }),
    ...refused('value_not_storable'),
  },
  {
    name: 'refuses what is nested too deep',
    request: patch('hero/stats?env=0', { body: `{"value":{"a":${'['.repeat(32)}${']'.repeat(32)}},"version":-1}` }),
    ...refused('value_not_storable'),
  },
  {
    name: 'refuses a value that is too large',
    request: patch('hero/stats?env=0', { body: `{"value":{"a":"${manyBytes.slice(0, 150 * 1024)}"},"version":-1}` }),
    ...refused('too_large'),
  },
  {
    name: 'refuses a request that is too large',
    request: patch('hero/stats?env=0', { body: manyBytes + update }),
    ...refused('too_large'),
  },
  {
    name: 'refuses a large request before it looks at its type',
    request: patch('hero/stats?env=0', { body: manyBytes + update, headers: [key, ['Content-Type', 'text/plain']] }),
    ...refused('too_large'),
  },
  {
    name: 'has changed nothing by all that',
    request: (world) => ({ path: saves(world, 'hero?env=0'), headers: [key] }),
    status: 200,
    body: heroes,
  },
  {
    name: 'refuses a guest without a device',
    request: post('guest', { device_id: 'short' }),
    ...refused('invalid_request'),
  },
  { name: 'refuses a guest of another game', request: post('guest', { game_id: noUser }), ...refused('not_found') },
  { name: 'refuses a guest of no environment', request: post('guest', { env: 7 }), ...refused('invalid_env') },
  {
    name: 'refuses a token that is none',
    request: () => ({ path: '/v2/auth/account', headers: [['Authorization', 'Bearer a.b.c']] }),
    ...refused('unauthorized'),
  },
  {
    name: 'refuses a refresh with what is no token',
    request: post('refresh', { refresh_token: 'a.b.c' }),
    ...refused('unauthorized'),
  },
  {
    name: 'refuses a choice with what is no ticket',
    request: post('conflict', { ticket: 'nothing', choice: 'local' }),
    ...refused('conflict_stale'),
  },
  {
    name: 'refuses a signature over another body',
    request: signed((_, body) => ({ body: body.replace('custom-1', 'custom-2') })),
    ...refused('invalid_signature'),
  },
  {
    name: 'refuses a signed request without its nonce',
    request: signed((headers) => ({ headers: headers.filter(([name]) => name !== signedHeaders.nonce) })),
    ...refused('invalid_signature'),
  },
  {
    name: 'refuses a signature that is there twice',
    request: signed((headers) => ({
      headers: [...headers, ...headers.filter(([name]) => name === signedHeaders.signature)],
    })),
    ...refused('invalid_signature'),
  },
  {
    name: 'refuses a nonce that is there twice',
    request: signed((headers) => ({
      headers: [...headers, ...headers.filter(([name]) => name === signedHeaders.nonce)],
    })),
    ...refused('invalid_signature'),
  },
  {
    name: 'refuses a timestamp in seconds',
    request: signed((headers) => ({
      headers: headers.map(([name, value]) => [name, name === signedHeaders.timestamp ? value.slice(0, 10) : value]),
    })),
    ...refused('timestamp_out_of_window', { serverTime: testStart }),
  },
  {
    name: 'refuses a signed body that is no JSON',
    request: signed(undefined, { text: '{"game_id":' }),
    ...refused('invalid_json'),
  },
  {
    name: 'takes a nonce once',
    request: signed((headers) => ({ headers }), { nonce: 'replayed-replayed-replayed-repla' }),
    status: 200,
    body: session(),
  },
  {
    name: 'refuses it the second time',
    request: signed((headers) => ({ headers }), { nonce: 'replayed-replayed-replayed-repla' }),
    ...refused('nonce_reused'),
  },
];

const last: DoorCase[] = [
  {
    name: 'deletes an account',
    request: asPlayer('cloud', '/v2/auth/account', 'DELETE'),
    status: 200,
    body: { userId: '<uuid>', removedAt: testStart + 30 * 86_400_000, recoveryCode: '<recoveryCode>' },
  },
  { name: 'and with it its sessions', request: asPlayer('guest', '/v2/auth/account'), ...refused('unauthorized') },
];

/** In this order. */
export const doorCases: readonly DoorCase[] = [...good, ...bad, ...last];
