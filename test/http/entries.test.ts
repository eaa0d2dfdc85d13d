import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { forceEntry, readEntries, writeEntry } from '../../src/http/entries.js';
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

describe('readEntries', () => {
  it('asks for the collection of an environment, as the bearer', async () => {
    const entries = [{ key: 'stats', value: { coins: 1 }, version: 0 }];
    const service = scriptedService([Response.json(entries)]);
    expect(await readEntries(service.send, call)).toEqual(entries);
    expect(service.requests[0]?.url).toBe('https://saves.test/collections/hero?env=2');
    expect(service.requests[0]?.method).toBe('GET');
    expect(service.requests[0]?.headers.get('authorization')).toBe('Bearer key');
  });

  it('brings a value as it was sent, a member named __proto__ as well', async () => {
    const text = '[{"key":"k","value":{"__proto__":{"a":1},"b":2},"version":3}]';
    const service = scriptedService([new Response(text)]);
    expect(JSON.stringify(await readEntries(service.send, call))).toBe(text);
  });

  it('is repeated: reading twice is reading once', async () => {
    const service = scriptedService([lost(), gateway(), Response.json([])]);
    expect(await readEntries(service.send, call)).toEqual([]);
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
