import fc from 'fast-check';
import { type ServedBackend, serve } from 'savepoint/backend/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failures, problem } from '../../src/protocol/failures.js';
import { openRaw, statusesIn } from '../support/doors-raw.js';
import { createTestService, type TestService, testGameId, testPrivateKey } from '../support/service.js';

const numRuns = process.env['PROVE'] === '1' ? 20_000 : 300;

const segment = fc.oneof(
  fc.constantFrom(
    'v2',
    'pr',
    'cl',
    'auth',
    'games',
    'saves',
    'collections',
    testGameId,
    'server',
    'guest',
    'name',
    'account',
    'methods',
  ),
  fc.constantFrom(
    '%2F',
    '%zz',
    '%',
    '..',
    '.',
    '%00',
    '%ff',
    '',
    '__proto__',
    'constructor',
    ':game',
    '*',
    '(',
    '\u202e',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }).map(encodeURIComponentSafely),
);
const someUser = '11111111-1111-4111-8111-111111111111';
const path = fc.oneof(
  fc.array(segment, { maxLength: 9 }).map((segments) => `/${segments.join('/')}`),
  fc
    .tuple(segment, segment)
    .map(([collection, key]) => `/v2/pr/games/${testGameId}/saves/${someUser}/collections/${collection}/${key}`),
  fc.tuple(segment, segment).map(([collection, key]) => `/v2/cl/games/${testGameId}/collections/${collection}/${key}`),
  fc
    .constantFrom('guest', 'name', 'identity', 'social', 'conflict', 'refresh', 'sign-out', 'server')
    .map((name) => `/v2/auth/${name}`),
);
const query = fc.constantFrom(
  '',
  '?env=0',
  '?env=0',
  '?env=1',
  '?env=',
  '?env=0&env=1',
  '?env=%zz',
  '?__proto__=1',
  '?',
);
const member = fc.constantFrom(
  'value',
  'version',
  'game_id',
  'env',
  'device_id',
  'username',
  'password',
  'token',
  'ticket',
  'choice',
  'refresh_token',
  'show',
  'platform',
  'custom_user_id',
  '__proto__',
);
const content = fc.oneof(
  fc.jsonValue({ stringUnit: 'binary' }),
  fc.constantFrom<unknown>(
    testGameId,
    0,
    -1,
    1e308,
    2 ** 53,
    'device-one',
    'a.b.c',
    'ey.J.x',
    {},
    [],
    null,
    '\ud800',
    'password',
  ),
);
const json = fc
  .dictionary(member, content)
  .map((body) => JSON.stringify({ game_id: testGameId, env: 0, device_id: 'device-one', ...body }));
const body = fc.oneof(
  json,
  json.map((text) => text.slice(0, -2)),
  fc.string(),
  fc.uint8Array({ maxLength: 200 }),
);
const value = fc.oneof(
  fc.constantFrom(
    `Bearer ${testPrivateKey}`,
    'Bearer ',
    'Bearer a.b.c',
    'Basic x',
    'application/json',
    'text/plain',
    'a'.repeat(64),
    '1760000000000',
    'n'.repeat(32),
    '1.2.3.4, x',
  ),
  fc.string({ maxLength: 40 }).map((text) => text.replace(/[^\x20-\x7e]/g, '')),
);
const name = fc.constantFrom(
  'Authorization',
  'Content-Type',
  'Service-Signature',
  'Service-Timestamp',
  'Service-Nonce',
  'X-Forwarded-For',
  'Origin',
  'Accept',
  'Range',
  'If-Match',
);
const request = fc.record({
  method: fc.constantFrom('GET', 'POST', 'POST', 'PATCH', 'PATCH', 'DELETE', 'PUT', 'OPTIONS', 'HEAD'),
  path: fc.tuple(path, query).map((parts) => parts.join('')),
  headers: fc.array(fc.tuple(name, value), { maxLength: 6 }),
  hasType: fc.boolean(),
  body,
});

function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, ''));
}

let service: TestService;
let served: ServedBackend;

beforeAll(async () => {
  service = createTestService();
  served = await serve(service.backend, { port: 0 });
});
afterAll(() => served.close());

/** No 5xx; a failure is one of the table, in the form of a problem. */
async function expectSound(response: Response): Promise<void> {
  expect(response.status).toBeLessThan(500);
  const text = await response.text();
  if (response.status < 400 || text === '') return;
  const said = problem.parse(JSON.parse(text));
  expect(said.status).toBe(response.status);
  expect(failures).toHaveProperty(said.code);
}

describe('requests that nobody thought of', () => {
  it.each([
    ['its own fetch', (made: Request) => service.fetch(made), () => 'http://saves.test'],
    ['a port', (made: Request) => fetch(made), () => served.url],
  ])('are answered soundly through %s', async (_, send, address) => {
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path: target, headers, hasType, body: bytes }) => {
        const sent = new Headers(hasType ? { 'content-type': 'application/json' } : {});
        for (const [header, text] of headers) sent.append(header, text);
        const isBodyless = method === 'GET' || method === 'HEAD';
        const init = { method, headers: sent, ...(isBodyless ? {} : { body: bytes as string }) };
        await expectSound(await send(new Request(address() + target, init)));
      }),
      { numRuns },
    );
  });

  it('are answered or refused as raw bytes, and the port lives on', async () => {
    const line = fc.oneof(
      fc.constantFrom(
        'GET /v2/auth/account HTTP/1.1',
        'POST /v2/auth/guest HTTP/1.1',
        'Host: a',
        'Content-Length: 5',
        'Transfer-Encoding: chunked',
        'Connection: close',
        '',
        '5',
        '0',
        'Expect: 100-continue',
      ),
      fc.string({ maxLength: 30 }),
    );
    const text = fc
      .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('\r\n', '\n'))
      .map(([lines, newline]) => lines.join(newline));
    await fc.assert(
      fc.asyncProperty(text, async (bytes) => {
        const connection = await openRaw(served.port);
        connection.socket.end(bytes);
        for (const status of statusesIn(await connection.closed)) expect(status).toBeLessThan(500);
      }),
      { numRuns: Math.floor(numRuns / 3) },
    );
    expect((await fetch(`${served.url}/.well-known/jwks.json`)).status).toBe(200);
  });
});
