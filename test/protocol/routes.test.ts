import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { baseAddress, pathOf } from '../../src/protocol/addresses.js';
import { entryNameProblem, entrySegment } from '../../src/protocol/entry-name.js';
import { operations } from '../../src/protocol/operations.js';

const game = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
const user = '0193b3a0-0000-7000-8000-000000000001';

describe('the paths', () => {
  it('of the three requests of a back end are as the interface gives them', () => {
    expect(operations.authenticate.path).toBe('/v2/auth/server');
    expect(pathOf(operations.readUserCollection, { game, user, collection: 'hero' })).toBe(
      `/v2/pr/games/${game}/saves/${user}/collections/hero`,
    );
    expect(pathOf(operations.updateUserEntry, { game, user, collection: 'hero', key: 'stats' })).toBe(
      `/v2/pr/games/${game}/saves/${user}/collections/hero/stats`,
    );
  });

  it('refuse names that could not be stored, before anything is sent', () => {
    expect(() => pathOf(operations.updateUserEntry, { game, user, collection: 'hero', key: '..' })).toThrow(TypeError);
    expect(() => pathOf(operations.readUserCollection, { game, user, collection: '' })).toThrow(TypeError);
    expect(() => pathOf(operations.updateEntry, { game, collection: '.', key: 'stats' })).toThrow(TypeError);
  });
});

describe('entrySegment', () => {
  it('is one segment that comes back decoded once, for every name that can be stored', () => {
    const names = fc.string({ unit: 'binary', maxLength: 40 }).filter((name) => entryNameProblem(name) === null);
    fc.assert(
      fc.property(names, (name) => {
        const url = new URL(`https://saves.test/v2/${entrySegment(name)}/end`);
        expect(url.search + url.hash).toBe('');
        const [, version, segment, end, ...rest] = url.pathname.split('/');
        expect([version, end, rest]).toEqual(['v2', 'end', []]);
        expect(decodeURIComponent(segment ?? '')).toBe(name);
      }),
      { numRuns: 500 },
    );
  });

  it.each(['a/b', '%2F', '?a=1', '#a', 'a b', '...', '%2e%2e'])('keeps %j together', (name) => {
    const url = new URL(`https://saves.test/v2/${entrySegment(name)}/end`);
    expect(url.pathname.split('/')).toHaveLength(4);
    expect(decodeURIComponent(url.pathname.split('/')[2] ?? '')).toBe(name);
  });
});

describe('baseAddress', () => {
  it.each([
    ['https://saves.example.com', 'https://saves.example.com'],
    ['https://saves.example.com/', 'https://saves.example.com'],
    ['http://localhost:4873///', 'http://localhost:4873'],
    ['https://example.com/games/saves/', 'https://example.com/games/saves'],
    ['HTTPS://Example.COM:443/A', 'https://example.com/A'],
    ['http://[::1]:4873', 'http://[::1]:4873'],
  ])('turns %s into %s', (given, address) => {
    expect(baseAddress(given, 'baseUrl')).toBe(address);
  });

  it.each([
    undefined,
    null,
    '',
    '/v2',
    'saves.example.com',
    'localhost:4873',
    'ftp://example.com',
    'file:///etc',
    'https://',
    'https://example.com?env=0',
    'https://example.com#top',
    'https://user@example.com',
    'https://user:password@example.com',
    7,
    {},
  ])('refuses %j and names the option', (given) => {
    expect(() => baseAddress(given, 'authUrl')).toThrow(TypeError);
    expect(() => baseAddress(given, 'authUrl')).toThrow(/^authUrl /);
  });

  it('does not show a password that stands in the address', () => {
    expect(() => baseAddress('https://user:password@example.com', 'baseUrl')).not.toThrow(/password@/);
  });
});
