import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { forceEntry, readSaves, writeEntry } from '../../src/http/entries.js';
import { checkCollectionAnswer } from '../../src/protocol/answer-checks.js';
import { holdTime, refusal, refusedConnection, scriptedService } from './scripted-service.js';

beforeEach(holdTime);

afterEach(() => {
  vi.useRealTimers();
});

const call = { url: 'https://saves.test/collections/hero', environment: 2, bearer: 'key' } as const;
const stored = (version: number, value: object): Response =>
  refusal(409, 'version_mismatch', { currentVersion: version, currentValue: value });
const lost = (): Error => new TypeError('fetch failed');
const broken = (): Response => refusal(500, 'internal');
const gateway = (): Response => new Response('<h1>Bad gateway</h1>', { status: 502 });
const done = (version: number): Response => Response.json({ version });

describe('readSaves', () => {
  it('asks for the collection of an environment, as the bearer', async () => {
    const entries = [{ key: 'stats', value: { coins: 1 }, version: 0 }];
    const service = scriptedService([Response.json(entries)]);
    expect(await readSaves(service.send, call, checkCollectionAnswer)).toEqual(entries);
    expect(service.requests[0]?.url).toBe('https://saves.test/collections/hero?env=2');
    expect(service.requests[0]?.method).toBe('GET');
    expect(service.requests[0]?.headers.get('authorization')).toBe('Bearer key');
  });

  it('brings a value as it was sent, a member named __proto__ as well', async () => {
    const text = '[{"key":"k","value":{"__proto__":{"a":1},"b":2},"version":3}]';
    const service = scriptedService([new Response(text)]);
    expect(JSON.stringify(await readSaves(service.send, call, checkCollectionAnswer))).toBe(text);
  });

  it('is repeated: reading twice is reading once', async () => {
    const service = scriptedService([lost(), gateway(), Response.json([])]);
    expect(await readSaves(service.send, call, checkCollectionAnswer)).toEqual([]);
  });
});

describe('writeEntry', () => {
  const write = (steps: (Response | Error)[], version: number) => {
    const service = scriptedService(steps);
    const entry = { ...call, valueText: '{"b":1.0,"a":2}' };
    const result = version === -1 ? forceEntry(service.send, entry) : writeEntry(service.send, { ...entry, version });
    return { service, result };
  };

  it('sends the text of the value as it is', async () => {
    const { service, result } = write([done(4)], 3);
    expect(await result).toEqual({ version: 4 });
    expect(service.requests[0]?.method).toBe('PATCH');
    expect(await service.bodies[0]).toBe('{"value":{"b":1.0,"a":2},"version":3}');
  });

  it('with a version is repeated after a lost answer', async () => {
    expect(await write([lost(), done(4)], 3).result).toEqual({ version: 4 });
  });

  it.each([
    ['a lost answer', lost],
    ["a gateway's page", gateway],
    ['a 500', broken],
  ])('with a version takes its own entry for its success after %s', async (_, step) => {
    expect(await write([step(), stored(4, { a: 2, b: 1 })], 3).result).toEqual({ version: 4 });
  });

  it.each([
    ['another value', 4, { a: 2, b: 2 }],
    ['a member more', 4, { a: 2, b: 1, c: 1 }],
    ['another version', 2, { a: 2, b: 1 }],
    ['no entry any more', -1, {}],
  ])('with a version does not take %s for its success', async (_, version, value) => {
    await expect(write([lost(), stored(version, value)], 3).result).rejects.toMatchObject({ code: 'version_mismatch' });
  });

  it.each([
    ['the first answer', []],
    ['a refused connection', [refusedConnection()]],
    ['429', [refusal(429, 'rate_limited')]],
    ['503', [refusal(503, 'unavailable')]],
  ])('with a version is a mismatch after %s, even where the same is stored: another one wrote it', async (_, steps) => {
    const { result } = write([...steps, stored(4, { a: 2, b: 1 })], 3);
    await expect(result).rejects.toMatchObject({ code: 'version_mismatch', currentVersion: 4 });
  });

  it('that is forced is repeated where it was not carried out', async () => {
    expect(await write([refusedConnection(), refusal(503, 'unavailable'), done(9)], -1).result).toEqual({ version: 9 });
  });

  it.each([
    ['a lost answer', lost, 'network'],
    ["a gateway's page", gateway, 'invalid_answer'],
    ['a 500', broken, 'internal'],
  ])('that is forced is never doubled: not repeated after %s', async (_, step, code) => {
    const { service, result } = write([step()], -1);
    await expect(result).rejects.toMatchObject({ code });
    expect(service.requests).toHaveLength(1);
  });
});

describe('a write with a name', () => {
  const name = { device: 'd', write: '1' };
  const never = (version: number, value: object): Response =>
    refusal(409, 'version_mismatch', { currentVersion: version, currentValue: value, carriedOut: false });
  const write = (steps: (Response | Error)[], more: object = {}) => {
    const service = scriptedService(steps);
    const entry = { ...call, valueText: '{"a":2}', version: 3, name, ...more };
    return { service, result: writeEntry(service.send, entry) };
  };

  it('carries it in a header, the same in each try, and the times beside the value', async () => {
    const { service, result } = write([lost(), done(4)], { times: { a: 5 } });
    expect(await result).toEqual({ version: 4 });
    expect(service.requests.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['d:1', 'd:1']);
    expect(await service.bodies[1]).toBe('{"value":{"a":2},"version":3,"times":{"a":5}}');
  });

  it('creates under the condition and the name', async () => {
    const { service, result } = write([done(0)], { version: -1 });
    expect(await result).toEqual({ version: 0 });
    const { headers } = service.requests[0] as Request;
    expect([headers.get('if-none-match'), headers.get('idempotency-key')]).toEqual(['*', 'd:1']);
  });

  it.each([
    ['the very value', 4, { a: 2 }],
    ['another value', 4, { a: 3 }],
    ['the entry has moved on', 9, { a: 2 }],
  ])('is a plain mismatch where the service knows of none, after any lost answers: %s', async (_, version, value) => {
    const { result } = write([lost(), broken(), never(version, value)]);
    await expect(result).rejects.toMatchObject({
      code: 'version_mismatch',
      currentVersion: version,
      carriedOut: false,
    });
  });

  it('is guessed where the service does not say: it is older, or does not know the write any more', async () => {
    expect(await write([lost(), stored(4, { a: 2 })]).result).toEqual({ version: 4 });
    await expect(write([lost(), stored(4, { a: 3 })]).result).rejects.toMatchObject({ code: 'version_mismatch' });
    await expect(write([lost(), stored(5, { a: 2 })]).result).rejects.toMatchObject({ code: 'network' });
  });
});

describe('a forced write with a name', () => {
  const never = (): Response => refusal(409, 'version_mismatch', { currentVersion: 7, carriedOut: false });
  const force = (steps: (Response | Error)[], signal?: AbortSignal) => {
    const service = scriptedService(steps);
    let unanswered = 0;
    const onUnanswered = (): void => {
      unanswered += 1;
    };
    const entry = { ...call, valueText: '{"a":2}', name: { device: 'd', write: '1' }, signal, onUnanswered };
    const versions = async () =>
      (await Promise.all(service.bodies)).map((body) => (JSON.parse(body) as { version: number }).version);
    return { service, versions, result: forceEntry(service.send, entry), unanswered: () => unanswered };
  };
  const ask = Number.MAX_SAFE_INTEGER - 1;

  it.each([
    ['a lost answer', lost],
    ["a gateway's page", gateway],
    ['a 500', broken],
  ])('that may have been carried out is asked for after %s, and sent again where it was not', async (_, step) => {
    const { versions, result, unanswered } = force([step(), never(), done(8)]);
    expect(await result).toEqual({ version: 8 });
    expect(await versions()).toEqual([-1, ask, -1]);
    expect(unanswered()).toBe(1);
  });

  it('has the version that it made, where only the answer was lost', async () => {
    const { service, versions, result } = force([lost(), lost(), done(8)]);
    expect(await result).toEqual({ version: 8 });
    expect(await versions()).toEqual([-1, ask, ask]);
    expect(service.requests.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['d:1', 'd:1', 'd:1']);
    expect(service.requests.every(({ headers }) => headers.get('if-none-match') === null)).toBe(true);
  });

  it('is not sent again to a service that keeps no names', async () => {
    const { versions, result } = force([lost(), stored(7, { a: 2 })]);
    await expect(result).rejects.toMatchObject({ code: 'network' });
    expect(await versions()).toEqual([-1, ask]);
  });

  it('fails as it did where the question is not answered either', async () => {
    const { versions, result } = force([broken(), lost(), lost(), lost()]);
    await expect(result).rejects.toMatchObject({ code: 'internal' });
    expect(await versions()).toEqual([-1, ask, ask, ask]);
  });

  it('is not asked for where it was refused, or surely not carried out', async () => {
    const refused = force([refusal(413, 'too_large')]);
    await expect(refused.result).rejects.toMatchObject({ code: 'too_large' });
    const { versions, result, unanswered } = force([refusal(503, 'unavailable'), refusedConnection(), done(9)]);
    expect(await result).toEqual({ version: 9 });
    expect([await versions(), unanswered()]).toEqual([[-1, -1, -1], 0]);
  });

  it('is sent twice at most, and then asked for once more', async () => {
    const { versions, result, unanswered } = force([lost(), never(), lost(), never()]);
    await expect(result).rejects.toMatchObject({ code: 'network' });
    expect([await versions(), unanswered()]).toEqual([[-1, ask, -1, ask], 2]);
  });
});
