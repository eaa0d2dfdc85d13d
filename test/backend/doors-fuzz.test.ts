import fc from 'fast-check';
import { http } from 'msw';
import { setupServer } from 'msw/node';
import { createHandlers } from 'savepoint/backend/msw';
import { type ServedBackend, serve } from 'savepoint/backend/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/backend/openapi/document.js';
import { failures } from '../../src/protocol/failures.js';
import { problem } from '../../src/protocol/problem.js';
import { createContract } from '../support/contract.js';
import { openRaw, statusesIn } from '../support/doors-raw.js';
import { grouped, printFigures } from '../support/figures.js';
import { type FuzzRequest, standIns, structuredBy, unstructured } from '../support/fuzz-requests.js';
import { adminOf, createOperatedService, here } from '../support/operators.js';
import { signedRequest, signInGuest, type TestService } from '../support/service.js';

const store = process.env['TEST_STORE'];
/** Of each kind, through each door. Where `npm run prove` has another store in the place of memory, the doors are the same. */
const proven = store === undefined ? 50_000 : 5_000;
const isProof = process.env['PROVE'] === '1';
const numRuns = isProof ? proven : 600;
/** The same requests each time, so that a change fails for what it has changed; `npm run prove` looks for new ones. */
const usual = isProof ? {} : { seed: 4873 };
const timeout = numRuns * 60;
/** What takes longer is an attack that succeeded. */
const maxMs = 2_000;
const mayEndSessions = /sign-out|account|conflict|refresh|name|social|password|ban|merge|undo/;

/** Fails where something is slow each time: the machine may have others to serve, but not three times. */
async function soon<Result>(go: () => Promise<Result>): Promise<{ result: Result; ms: number }> {
  for (let tries = 1; ; tries += 1) {
    const start = performance.now();
    const result = await go();
    const ms = performance.now() - start;
    if (ms < maxMs) return { result, ms };
    if (tries === 3) throw new Error(`It took ${Math.ceil(ms)} ms.`);
  }
}

let service: TestService;
let served: ServedBackend;
const mocked = setupServer();

beforeAll(async () => {
  service = createOperatedService({
    game: {
      accountMerge: true,
      socialPlatforms: { arcade: (token) => (token.startsWith('arcade-') ? { id: token } : null) },
    },
  });
  // The client shares this process with the port. While other tests keep it busy, neither sees that a connection has become
  // too old; Node 20 then closes it with the next request already on its way, which fails with ECONNRESET.
  served = await serve(service.backend, { port: 0, limits: { keepAliveMs: timeout * 7 } });
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

/** A player for the requests to come; the last one may have been deleted by one, or signed out. */
/** The player on the device that requests name. Whoever was there before may have been banned. */
async function newPlayer(before?: string) {
  if (before !== undefined)
    await adminOf(service)
      .players(here)
      .unban(before)
      .catch(() => {});
  return signInGuest(service, 'device-fuzz');
}

/** The request as it is sent: with what its stand-ins stand for, and signed where it is to be. */
async function madeOf(
  { method, path, headers, hasType, body, isSigned }: FuzzRequest,
  address: string,
  known: { [standIn: string]: string },
): Promise<{ request: Request; body: string | Uint8Array | null }> {
  const filled = (text: string): string =>
    Object.entries(known).reduce((so, [standIn, value]) => so.replaceAll(standIn, value), text);
  const sent = new Headers(hasType ? { 'content-type': 'application/json' } : {});
  for (const [header, text] of headers) sent.append(header, filled(text));
  const bytes = typeof body === 'string' ? filled(body) : body;
  if (isSigned)
    for (const [header, text] of (await signedRequest(service, { text: String(bytes) })).headers)
      sent.set(header, text);
  const content = method === 'GET' || method === 'HEAD' ? null : bytes;
  return {
    request: new Request(address + filled(path), { method, headers: sent, body: content as string | null }),
    body: content,
  };
}

/** No 5xx; a failure is one of the table, in the form of a problem; all of it as the OpenAPI document has it. */
async function expectSound(
  sent: { request: Request; body: string | Uint8Array | null },
  response: Response,
): Promise<string> {
  expect(response.status).toBeLessThan(500);
  const answer = await response.text();
  const { method, url, headers } = sent.request;
  const { status, headers: answerHeaders } = response;
  const problems = contract.problemsOf({ method, url, headers, body: sent.body, status, answerHeaders, answer });
  // Where there is none to be sent, it is not read.
  expect(problems.filter((one) => !one.endsWith('a request body where there is none'))).toEqual([]);
  if (status < 400 || answer === '') return answer;
  const said = problem.parse(JSON.parse(answer));
  expect(said.status).toBe(status);
  expect(failures).toHaveProperty(said.code);
  return answer;
}

const doors = [
  ['its own fetch', (made: Request) => service.fetch(made), () => 'http://saves.test'],
  ['MSW', (made: Request) => fetch(made), () => 'https://mocked.test'],
  ['a port', (made: Request) => fetch(made), () => served.url],
] as const;

describe.each([
  ['structured', structuredBy(openApiDocument())],
  ['unstructured', unstructured],
])('%s requests that nobody thought of', (kind, requests) => {
  it.each(doors)(
    'are answered soundly, and soon, through %s',
    async (door, send, address) => {
      let player = await newPlayer();
      let ticket = 'none';
      let slowest = 0;
      let carriedOut = 0;
      await fc.assert(
        fc.asyncProperty(requests, async (request) => {
          const { token, userId, refreshToken } = standIns;
          const made = await madeOf(request, address(), {
            [token]: player.accessToken,
            [userId]: player.userId,
            [refreshToken]: player.refreshToken,
            [standIns.ticket]: ticket,
          });
          const { result: response, ms } = await soon(() => send(made.request.clone()));
          const answer = await expectSound(made, response);
          slowest = Math.max(slowest, ms);
          const { status } = response;
          if (status < 300) carriedOut += 1;
          ticket = answer.startsWith('{') ? (JSON.parse(answer).conflict?.ticket ?? ticket) : ticket;
          if (mayEndSessions.test(request.path) || request.method === 'DELETE') player = await newPlayer(player.userId);
        }),
        { numRuns, ...usual },
      );
      // What is refused at the door says nothing of what is behind it.
      if (kind === 'structured') expect(carriedOut).toBeGreaterThan(numRuns / 4);
      printFigures(
        `fuzz on ${store ?? 'memory'}, ${kind}, through ${door}: ${grouped(numRuns)} requests, ${grouped(carriedOut)} carried out, no 5xx, ` +
          `slowest ${Math.ceil(slowest)} ms`,
      );
    },
    timeout,
  );
});

describe('raw bytes that nobody thought of', () => {
  it(
    'are answered or refused, and soon, and the port lives on',
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
      let slowest = 0;
      let answers = 0;
      await fc.assert(
        fc.asyncProperty(text, async (bytes) => {
          const { result: statuses, ms } = await soon(async () => {
            const connection = await openRaw(served.port);
            connection.socket.end(bytes);
            return statusesIn(await connection.closed);
          });
          for (const status of statuses) expect(status).toBeLessThan(500);
          slowest = Math.max(slowest, ms);
          answers += statuses.length;
        }),
        { numRuns, ...usual },
      );
      expect((await fetch(`${served.url}/.well-known/jwks.json`)).status).toBe(200);
      printFigures(
        `fuzz on ${store ?? 'memory'}, raw bytes, through a port: ${grouped(numRuns)} connections, ${grouped(answers)} answers, no 5xx, ` +
          `slowest ${Math.ceil(slowest)} ms`,
      );
    },
    timeout,
  );
});
