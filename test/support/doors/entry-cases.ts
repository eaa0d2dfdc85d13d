import { testGameId } from '../service.js';
import { asPlayer, type DoorCase, json, jsonAnswer, key, noUser, patch, refused, saves } from './door-case.js';

/** The collection that the cases leave behind. */
export const heroes = ['%2F', 'a/b', 'e\u0301', 'stats', 'ключ-鍵-👩‍🚀'].map((name) =>
  name === 'stats'
    ? { key: name, value: { a: 2 }, version: 2 }
    : { key: name, value: { b: 1, a: [1, 2] }, version: name.startsWith('к') ? 1 : 0 },
);

/** What players and games do with entries. */
export const entryCases: readonly DoorCase[] = [
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
    name: 'writes an entry for the game',
    request: patch('hero/stats?env=0'),
    status: 200,
    headers: jsonAnswer,
    body: { version: 0 },
  },
  {
    name: 'accepts a slash at the end',
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
    name: 'reads a collection for the game, by key, each value as it was written',
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
];
