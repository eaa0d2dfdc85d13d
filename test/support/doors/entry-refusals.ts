import { testPrivateKey } from '../service.js';
import { type DoorCase, json, key, patch, refused, saves, update } from './door-case.js';
import { heroes } from './entry-cases.js';

const manyBytes = 'x'.repeat(256 * 1024);

/** What the private API refuses, in the order in which it looks. */
export const entryRefusals: readonly DoorCase[] = [
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
];
