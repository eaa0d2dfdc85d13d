import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isSdkError, type SdkError, type ServiceError } from '../../src/errors.js';
import { type Call, createSender } from '../../src/http/sender.js';
import { checkUpdateAnswer } from '../../src/protocol/answer-checks.js';
import { holdTime, refusal, refusedConnection, scriptedService, settled, start } from './scripted-service.js';

const secret = 'the-private-key-0123456789';

function call(more: Partial<Call<{ version: number }>> = {}): Call<{ version: number }> {
  return {
    method: 'PATCH',
    url: 'https://saves.test/entry?env=0',
    headers: { Authorization: `Bearer ${secret}` },
    body: '{"value":{},"version":0}',
    answer: checkUpdateAnswer,
    ...more,
  };
}

/** A date as HTTP has it, so many ms after the test's start. */
const httpDate = (ms: number): string => new Date(start + ms).toUTCString();
/** The same time in the form of RFC 850, which HTTP still has to read: "Thu, 09 Oct 2025 …" is "Thursday, 09-Oct-25 …". */
const oldHttpDate = (ms: number): string =>
  httpDate(ms).replace(
    /^(\w+), (\d+) (\w+) \d\d(\d\d)/,
    (_, __, day, month, year) => `Thursday, ${day}-${month}-${year}`,
  );
const done = (): Response => Response.json({ version: 1 });
const lost = (): Error => new TypeError('fetch failed', { cause: new Error('socket hang up') });
const page = (status: number, headers: Record<string, string> = {}): Response =>
  new Response(`<h1>${status}</h1>`, { status, headers: { 'content-type': 'text/html', ...headers } });
/** Deaf to the request's signal, as an injected fetch may be. */
const never = (): Promise<Response> => new Promise(() => {});
const endless = (): Response =>
  new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array([0x7b])) }));

async function failureOf(work: Promise<unknown>): Promise<SdkError> {
  const error: unknown = await work.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  expect(isSdkError(error), inspect(error)).toBe(true);
  return error as SdkError;
}

beforeEach(holdTime);

afterEach(() => {
  vi.useRealTimers();
});

describe('the request', () => {
  it('carries its headers and its exact text, follows no redirect, and sends no cookies', async () => {
    const service = scriptedService([done()]);
    const body = '{"value": {"b":1.0,"a":"\\u00e9é"},"version":0}\n';

    await service.send(call({ body, keepalive: true }));

    const request = service.requests[0] as Request;
    expect(request.method).toBe('PATCH');
    expect(request.url).toBe('https://saves.test/entry?env=0');
    expect(request.redirect).toBe('manual');
    expect(request.credentials).toBe('omit');
    expect(request.cache).toBe('no-store');
    expect(request.keepalive).toBe(true);
    expect(Object.fromEntries(request.headers)).toEqual({
      accept: 'application/json, application/problem+json',
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
    });
    expect(await service.bodies[0]).toBe(body);
  });

  it('has neither body nor content type where there is none to send', async () => {
    const service = scriptedService([done()]);
    await service.send(call({ method: 'GET', body: undefined }));
    expect(service.requests[0]?.headers.has('content-type')).toBe(false);
    expect(service.requests[0]?.body).toBeNull();
    expect(service.requests[0]?.keepalive).toBe(false);
  });

  it('is another one at each try, with the same text', async () => {
    const texts: string[] = [];
    const read = async (request: Request): Promise<Response> => {
      texts.push(await request.text());
      return texts.length < 3 ? page(503) : done();
    };
    await scriptedService([read, read, read]).send(call());
    expect(texts).toEqual(Array(3).fill('{"value":{},"version":0}'));
  });
});

describe('the answer', () => {
  it('is checked against its schema', async () => {
    await expect(scriptedService([done()]).send(call())).resolves.toEqual({ version: 1 });
  });

  it('may have no body where none is asked for', async () => {
    const service = scriptedService([new Response(null, { status: 204 })]);
    await expect(service.send({ ...call(), answer: null })).resolves.toBeUndefined();
  });

  it.each([
    ['a page', () => page(200)],
    ['JSON', () => Response.json({})],
  ])('with a body where none is asked for is an invalid answer: %s', async (_, answer) => {
    const error = await failureOf(scriptedService([answer()]).send({ ...call(), answer: null }));
    expect(error).toMatchObject({ code: 'invalid_answer', status: 200, retryable: false });
  });

  it.each([
    ['no JSON', () => new Response('{"version":'), /The answer does not/],
    ['nothing', () => new Response(''), /The answer does not/],
    ['a page', () => page(200), /The answer does not/],
    ['another form', () => Response.json({ version: '1' }), /"version"/],
    ['JSON that is no object', () => Response.json([1]), /The answer does not/],
  ])('that is %s is an invalid answer, and is not asked for again', async (_, answer, message) => {
    const service = scriptedService([answer()]);
    const error = await failureOf(service.send(call()));
    expect(error).toMatchObject({ name: 'InvalidAnswerError', code: 'invalid_answer', status: 200, retryable: false });
    expect(error.message).toMatch(message);
    expect(service.requests).toHaveLength(1);
  });
});

describe('a refusal', () => {
  it('is a ServiceError with what the problem says', async () => {
    const more = { detail: 'It moved on.', requestId: 'r-1', currentVersion: 7, currentValue: { a: 1 } };
    const service = scriptedService([refusal(409, 'version_mismatch', more)]);
    const error = await failureOf(service.send(call()));
    expect(error).toMatchObject({
      name: 'ServiceError',
      code: 'version_mismatch',
      message: 'No. It moved on.',
      status: 409,
      requestId: 'r-1',
      currentVersion: 7,
      currentValue: { a: 1 },
      retryable: false,
    });
  });

  it('keeps a code that this version does not know', async () => {
    const error = await failureOf(scriptedService([refusal(418, 'from_the_future')]).send(call()));
    expect(error).toMatchObject({ code: 'from_the_future', status: 418 });
  });

  it("goes by the status of the answer, not by the body's", async () => {
    const error = await failureOf(scriptedService([refusal(409, 'version_mismatch', { status: 200 })]).send(call()));
    expect(error).toMatchObject({ status: 409 });
  });

  it("takes the request's id from the header where the body has none", async () => {
    const error = await failureOf(
      scriptedService([refusal(404, 'not_found', {}, { 'x-request-id': 'r-2' })]).send(call()),
    );
    expect(error.requestId).toBe('r-2');
  });

  it.each([
    [502, 'invalid_answer', true],
    [504, 'invalid_answer', true],
    [503, 'unavailable', true],
    [429, 'rate_limited', true],
    [403, 'invalid_answer', false],
  ])("in a proxy's own words, %d, is %s", async (status, code, retryable) => {
    const service = scriptedService([page(status), page(status), page(status)]);
    const error = await failureOf(service.send(call()));
    expect(error).toMatchObject({ code, status, retryable });
    expect(service.requests).toHaveLength(retryable ? 3 : 1);
  });
});

describe('a redirect', () => {
  it.each([301, 302, 307, 308])('with %d is no answer, whatever its body says', async (status) => {
    const service = scriptedService(Array.from({ length: 3 }, () => refusal(status, 'not_found')));
    expect(await failureOf(service.send(call()))).toMatchObject({ code: 'network', retryable: true });
    for (const request of service.requests) expect(request.url).toBe(service.requests[0]?.url);
  });
});

const repeats = {
  always: undefined,
  'not-carried-out': (_: SdkError, notCarriedOut: boolean) => notCarriedOut,
  never: () => false,
};

describe('repeating', () => {
  const cases: Record<string, { step: () => Response | Error; repeated: (keyof typeof repeats)[] }> = {
    'a connection that was refused': { step: refusedConnection, repeated: ['always', 'not-carried-out'] },
    'an unknown network failure': { step: lost, repeated: ['always'] },
    '429': { step: () => refusal(429, 'rate_limited'), repeated: ['always', 'not-carried-out'] },
    '503': { step: () => refusal(503, 'unavailable'), repeated: ['always', 'not-carried-out'] },
    "a proxy's 503": { step: () => page(503), repeated: ['always', 'not-carried-out'] },
    "a proxy's 502": { step: () => page(502), repeated: ['always'] },
    '500': { step: () => refusal(500, 'internal'), repeated: ['always'] },
    '409': { step: () => refusal(409, 'version_mismatch'), repeated: [] },
    '401': { step: () => refusal(401, 'unauthorized'), repeated: [] },
    'an answer that is no JSON': { step: () => page(200), repeated: [] },
  };
  const rows = Object.entries(cases).flatMap(([what, { step, repeated }]) =>
    (['always', 'not-carried-out', 'never'] as const).map((repeat) => ({
      what,
      step,
      repeat,
      verb: repeated.includes(repeat) ? 'does' : 'does not',
    })),
  );

  it.each(rows)('with "$repeat" $verb follow $what', async ({ step, repeat, verb }) => {
    const service = scriptedService([step(), done()]);
    const outcome = await service.send(call({ mayRepeat: repeats[repeat] })).catch((error: SdkError) => error.code);
    expect(service.requests).toHaveLength(verb === 'does' ? 2 : 1);
    if (verb === 'does') expect(outcome).toEqual({ version: 1 });
    else expect(typeof outcome).toBe('string');
  });

  it('gives up after three tries, with the last failure', async () => {
    const service = scriptedService([lost(), page(502), refusal(503, 'unavailable')]);
    expect(await failureOf(service.send(call()))).toMatchObject({ code: 'unavailable' });
    expect(service.waits).toEqual([150, 300]);
  });

  it('waits with jitter: half of the back-off to all of it', async () => {
    const service = scriptedService([lost(), done()], { random: () => 1 });
    await service.send(call());
    expect(service.waits).toEqual([300]);
  });

  it.each([
    ['seconds', { 'retry-after': '7' }, {}, 7_000],
    ['none', { 'retry-after': '0' }, {}, 0],
    ["a date, by the service's clock", { 'retry-after': httpDate(9_000), date: httpDate(2_000) }, {}, 7_000],
    ['a date, by our clock where the service hides its own', { 'retry-after': httpDate(9_000) }, {}, 9_000],
    ['a date that is over', { 'retry-after': httpDate(-9_000) }, {}, 0],
    ["the body's milliseconds", { 'retry-after': '7' }, { retryAfterMs: 6_500 }, 6_500],
    ['nothing that can be read', { 'retry-after': 'soon' }, {}, 150],
    ['an empty header', { 'retry-after': '' }, {}, 150],
    ['a number below 0', { 'retry-after': '-5' }, {}, 150],
    ['a fraction', { 'retry-after': '1.5' }, {}, 150],
    ['two headers in one', { 'retry-after': '1, 2' }, {}, 150],
    ['a date as it was written once', { 'retry-after': oldHttpDate(9_000) }, {}, 9_000],
  ])('waits as long as Retry-After says: %s', async (_, headers, more, ms) => {
    const service = scriptedService([refusal(429, 'rate_limited', more, headers), done()]);
    await service.send(call());
    expect(service.waits).toEqual([ms]);
  });

  it("reads a date by the service's clock where the caller knows it", async () => {
    const step = page(503, { 'retry-after': httpDate(60_000) });
    const service = scriptedService([step, done()], { serverTime: () => start + 53_000 });
    await service.send(call());
    expect(service.waits).toEqual([7_000]);
  });

  it('never comes earlier than Retry-After says, and not in step with everybody else', async () => {
    const service = scriptedService([page(503, { 'retry-after': '2' }), done()], { random: () => 1 });
    await service.send(call());
    expect(service.waits).toEqual([2_300]);
  });

  it('does not start a wait that would go beyond 30 s in all, and says how long it would be', async () => {
    const service = scriptedService([page(503, { 'retry-after': '30' })]);
    expect(await failureOf(service.send(call()))).toMatchObject({ code: 'unavailable', retryAfterMs: 30_000 });
    expect(service.waits).toEqual([]);
    expect(Date.now()).toBe(start);
  });

  it.each([
    ['a day in the header', { 'retry-after': '86400' }, {}],
    ['a date of next year', { 'retry-after': httpDate(365 * 86_400_000) }, {}],
    ['a day in the body', {}, { retryAfterMs: 86_400_000 }],
    ['a number that no clock knows', { 'retry-after': '9'.repeat(400) }, {}],
  ])('takes no more than an hour for what the service asks for: %s', async (_, headers, more) => {
    const service = scriptedService([refusal(429, 'rate_limited', more, headers)]);
    const error = await failureOf(service.send(call()));
    expect(error).toMatchObject({ code: 'rate_limited' });
    expect((error as ServiceError).retryAfterMs ?? 0).toBeLessThanOrEqual(3_600_000);
  });

  it('counts the time of the tries to the 30 s', async () => {
    const slow = (): Promise<Response> => new Promise((resolve) => setTimeout(() => resolve(page(503)), 9_990));
    const service = scriptedService([slow, slow, slow, slow]);
    expect(await failureOf(service.send(call()))).toMatchObject({ code: 'timeout' });
    expect(service.requests).toHaveLength(3);
    expect(Date.now()).toBe(start + 30_000);
  });
});

describe('a time-out', () => {
  it.each([
    ['no answer at all', never],
    ['a body that never ends', endless],
  ])('ends a try of 10 s: %s', async (_, step) => {
    const service = scriptedService([step, done()]);
    const answer = service.sendHeld(call());
    await vi.advanceTimersByTimeAsync(9_999);
    expect(service.requests).toHaveLength(1);
    await expect(settled(answer)).resolves.toEqual({ version: 1 });
    expect(service.requests[0]?.signal.aborted).toBe(true);
  });

  it('is a NoAnswerError, and does not repeat what may have been carried out', async () => {
    const service = scriptedService([never], { timeoutMs: 50 });
    const failure = failureOf(service.send(call({ mayRepeat: repeats['not-carried-out'] })));
    expect(await failure).toMatchObject({ name: 'NoAnswerError', code: 'timeout', retryable: true });
  });

  it('gives the last try what is left of the 30 s', async () => {
    const service = scriptedService([never, never, never]);
    const failure = await failureOf(service.send(call()));
    expect(failure).toMatchObject({ code: 'timeout', message: 'Not done within 30000 ms.' });
    expect(service.waits).toEqual([10_150, 10_300]);
    expect(Date.now()).toBe(start + 30_000);
  });

  it('that is longer than a timer can be is no time-out at once', async () => {
    const later = (): Promise<Response> => new Promise((resolve) => setTimeout(() => resolve(done()), 60_000));
    const answer = scriptedService([later], { timeoutMs: Number.POSITIVE_INFINITY }).send(call());
    await expect(answer).resolves.toEqual({ version: 1 });
  });

  it('leaves no timer behind', async () => {
    await scriptedService([page(503), done()]).send(call());
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('an abort', () => {
  it('before the call sends nothing', async () => {
    const service = scriptedService([]);
    expect(await failureOf(service.send(call({ signal: AbortSignal.abort() })))).toMatchObject({
      code: 'aborted',
      retryable: false,
    });
    expect(service.requests).toHaveLength(0);
  });

  it.each([
    ['no answer at all', never],
    ['a body that never ends', endless],
  ])('ends a try under way: %s', async (_, step) => {
    const controller = new AbortController();
    const service = scriptedService([step]);
    const failure = failureOf(service.sendHeld(call({ signal: controller.signal })));
    await vi.advanceTimersByTimeAsync(0);
    expect(service.requests).toHaveLength(1);
    controller.abort();
    expect(await failure).toMatchObject({ code: 'aborted' });
    expect(service.requests[0]?.signal.aborted).toBe(true);
  });

  it('does not say why, where the reason is a secret', async () => {
    const controller = new AbortController();
    const failure = failureOf(scriptedService([never]).sendHeld(call({ signal: controller.signal })));
    controller.abort(new Error(secret));
    expect(inspect(await failure, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(secret);
  });

  it('ends the pause between two tries at once', async () => {
    const controller = new AbortController();
    let tries = 0;
    const send = createSender({
      fetch: async () => {
        tries += 1;
        return page(503, { 'retry-after': '20' });
      },
    });
    const failure = failureOf(send(call({ signal: controller.signal })));
    await vi.advanceTimersByTimeAsync(1_000);
    controller.abort();
    expect(await failure).toMatchObject({ code: 'aborted' });
    expect(tries).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that comes with the answer leaves no pause behind', async () => {
    const controller = new AbortController();
    const send = createSender({
      fetch: async () =>
        ({
          ok: false,
          status: 503,
          headers: new Headers(),
          text: async () => {
            controller.abort();
            return '';
          },
        }) as Response,
    });
    expect(await failureOf(send(call({ signal: controller.signal })))).toMatchObject({ code: 'aborted' });
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('an error', () => {
  const fetchThatKeepsTheRequest = async (request: Request): Promise<Response> => {
    const error = new TypeError(`could not send ${request.headers.get('authorization')}`, { cause: request });
    throw Object.assign(error, { request, options: { headers: request.headers } });
  };

  it.each([
    ['the network', fetchThatKeepsTheRequest],
    ['a refusal', async () => refusal(401, 'unauthorized')],
    [
      "a proxy's page that echoes the request",
      async (request: Request) => new Response(request.headers.get('authorization'), { status: 502 }),
    ],
    [
      'an answer that echoes the request',
      async (request: Request) => Response.json({ version: request.headers.get('authorization') }),
    ],
    ['nothing that was thrown', async () => Promise.reject(undefined)],
  ] as [string, (request: Request) => Promise<Response>][])('never holds the authorization: %s', async (_, fetch) => {
    const error = await failureOf(settled(createSender({ fetch })(call())));
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(secret);
    expect(JSON.stringify(error)).not.toContain(secret);
    expect(error.cause).toBeUndefined();
  });
});
