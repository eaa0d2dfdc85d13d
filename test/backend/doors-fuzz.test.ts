import fc from 'fast-check';
import { http } from 'msw';
import { setupServer } from 'msw/node';
import { createHandlers } from 'savepoint/backend/msw';
import { type ServedBackend, serve } from 'savepoint/backend/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/backend/openapi/document.js';
import { failures, problem } from '../../src/protocol/failures.js';
import { createContract } from '../support/contract.js';
import { openRaw, statusesIn } from '../support/doors-raw.js';
import { createTestService, signInGuest, type TestService, testGameId, testPrivateKey } from '../support/service.js';

/** Of each kind, through each door. */
const numRuns = process.env['PROVE'] === '1' ? 50_000 : 2_000;
const timeout = numRuns * 60;
/** More work than that for one request is an attack that succeeded. Of the processor: the machine may have others to serve. */
const maxWorkMs = 2_000;

/** Stands for the access token of a player that there is. */
const player = 'Bearer <player>';

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
    .constantFrom(
      ...['guest', 'name', 'identity', 'social', 'recovery', 'conflict', 'conflict/sides', 'refresh', 'sign-out'],
      ...['server', 'peek/name', 'peek/social', 'peek/recovery', 'account', 'account/export', 'account/password'],
      ...['account/recovery-code', 'account/snapshots', `account/snapshots/${someUser}`, 'methods/name'],
      `account/snapshots/${someUser}/restore`,
    )
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
    player,
    player,
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
const mocked = setupServer();

beforeAll(async () => {
  service = createTestService();
  served = await serve(service.backend, { port: 0 });
  // What is not the service's is answered by it all the same, so that every door has the same answers.
  mocked.use(
    http.all(/^https:\/\/mocked\.test\//, ({ request }) => service.fetch(request)),
    ...createHandlers(service.backend, { baseUrl: 'https://mocked.test' }),
  );
  mocked.listen({ onUnhandledRequest: 'bypass' });
});
afterAll(() => {
  mocked.close();
  return served.close();
});

const contract = createContract(openApiDocument());

/** A player for the requests to come; the last one may have been deleted by one. */
async function playerToken(): Promise<string> {
  const { accessToken } = await signInGuest(service, 'device-fuzz');
  return `Bearer ${accessToken}`;
}

/** No 5xx; a failure is one of the table, in the form of a problem; all of it as the OpenAPI document has it. */
async function expectSound(sent: { request: Request; body: string | Uint8Array | null }, response: Response) {
  expect(response.status).toBeLessThan(500);
  const answer = await response.text();
  const { method, url, headers } = sent.request;
  const { status, headers: answerHeaders } = response;
  expect(contract.problemsOf({ method, url, headers, body: sent.body, status, answerHeaders, answer })).toEqual([]);
  if (status < 400 || answer === '') return;
  const said = problem.parse(JSON.parse(answer));
  expect(said.status).toBe(status);
  expect(failures).toHaveProperty(said.code);
}

function workMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

describe('requests that nobody thought of', () => {
  it.each([
    ['its own fetch', (made: Request) => service.fetch(made), () => 'http://saves.test'],
    ['MSW', (made: Request) => fetch(made), () => 'https://mocked.test'],
    ['a port', (made: Request) => fetch(made), () => served.url],
  ])(
    'are answered soundly, and soon, through %s',
    async (_, send, address) => {
      let token = await playerToken();
      await fc.assert(
        fc.asyncProperty(request, async ({ method, path: target, headers, hasType, body: bytes }) => {
          const sent = new Headers(hasType ? { 'content-type': 'application/json' } : {});
          for (const [header, text] of headers) sent.append(header, text === player ? token : text);
          const body = method === 'GET' || method === 'HEAD' ? null : bytes;
          const made = new Request(address() + target, { method, headers: sent, body: body as string | null });
          const before = workMs();
          const response = await send(made.clone());
          await expectSound({ request: made, body }, response);
          expect(workMs() - before).toBeLessThan(maxWorkMs);
          const mayHaveEnded = method === 'DELETE' || target.includes('sign-out');
          if (mayHaveEnded) token = await playerToken();
        }),
        { numRuns },
      );
    },
    timeout,
  );

  it(
    'are answered or refused as raw bytes, and the port lives on',
    async () => {
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
        { numRuns },
      );
      expect((await fetch(`${served.url}/.well-known/jwks.json`)).status).toBe(200);
    },
    timeout,
  );
});
