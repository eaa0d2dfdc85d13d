import * as names from '../../../protocol/headers.js';
import { bearer, jsonType } from '../../wire.js';
import { atOnce } from '../at-once.js';
import { type Area, answers, type Check, check, compare, refuses } from '../contract.js';
import { fact, has, header, member } from '../facts.js';
import { collection, firstValue, patch, post, read } from '../requests.js';

const main = `${collection}/main`;
const write = (value: string, version: number) => patch({ body: `{"value":${value},"version":${version}}` });
const empty = '{"value":{},"version":-1}';

/** Keys that travel in an escaped form, and have to come back as they are. */
const hardKeys = [
  ['a slash in a key', 'a%2Fb'],
  ['a percent sign in a key', '%252F'],
  ['a key in other scripts', encodeURIComponent('ключ-鍵-👩‍🚀')],
  ['a letter of two parts', encodeURIComponent('e\u0301')],
] as const;

const allKeys = [...hardKeys.map(([, key]) => decodeURIComponent(key)), 'main', 'slash'];

/** The private profile API. */
const isProblem = header(names.contentType, 'application/problem+json');
/** nginx and Caddy refuse themselves what is no address. What the service says of it has to be whole. */
const refusedBySomebody = answers(
  400,
  fact(
    "invalid_key, or a proxy's own answer",
    (answer, world) => isProblem.wrong(answer, world) !== null || compare(refuses('invalid_key'), answer, world).holds,
    'it is another refusal',
  ),
);

export const entries: Area = {
  name: 'Private profile API',
  checks: [
    check('4.1', 'a collection that has no entries', answers(200, has('', [])), read()),
    check('4.2', 'version -1 creates an entry', answers(200, has('version', 0)), patch(), { remember: 'created' }),
    check(
      '4.1',
      'the value is as it was written, to the letter',
      answers(
        200,
        has('0.key', 'main'),
        has('0.version', 0),
        fact('', ({ text }) => text.includes(firstValue), 'the value is written in another way'),
      ),
      read(),
    ),
    check('2.2', 'version -1 overwrites', answers(200, has('version', 1)), write('{"n":1}', -1)),
    check('2.2', 'the stored version is accepted', answers(200, has('version', 2)), write('{"n":2}', 1)),
    check(
      'gap',
      'another version is not',
      refuses('version_mismatch', has('currentVersion', 2), has('currentValue', { n: 2 })),
      write('{"n":3}', 1),
    ),
    check('gap', 'nor is a later one', refuses('version_mismatch', has('currentVersion', 2)), write('{"n":3}', 3)),
    check(
      'gap',
      'a version of an entry that is not there',
      refuses('version_mismatch', has('currentVersion', -1)),
      patch({ rest: `${collection}/absent`, body: '{"value":{},"version":0}' }),
    ),
    check(
      'gap',
      'If-None-Match: * on an entry that is there',
      refuses('version_mismatch', has('currentVersion', 2)),
      patch({ headers: ({ privateKey }) => [bearer(privateKey), jsonType, [names.ifNoneMatch, '*']] }),
    ),
    check(
      'gap',
      'what was refused has changed nothing',
      answers(200, has('', [{ key: 'main', value: { n: 2 }, version: 2 }])),
      read(),
    ),
    check('4.2', 'a slash behind the key', answers(200, has('version', 0)), patch({ rest: `${collection}/slash/` })),
    ...hardKeys.map(
      ([what, key]): Check =>
        check('2.1', what, answers(200, has('version', 0)), patch({ rest: `${collection}/${key}`, body: empty })),
    ),
    check(
      '4.1',
      'all of them are listed, by key',
      answers(
        200,
        fact('6 keys in order', ({ json }) => keysOf(json) === inOrder(allKeys), 'the keys or their order are others'),
      ),
      read(),
    ),
    atOnce(
      '2.3',
      '8 updates of one version at once',
      { good: 1, status: 200, otherwise: 'version_mismatch' },
      write('{"n":4}', 2),
    ),
    check('2.1', 'one of them counted', answers(200, has('version', 4)), write('{"n":5}', 3)),
    check(
      'gap',
      'a user whom nobody knows',
      refuses('user_not_found'),
      read({ user: '11111111-1111-4111-8111-111111111111' }),
    ),
    check(
      'gap',
      'a write for that user',
      refuses('user_not_found'),
      patch({ user: '11111111-1111-4111-8111-111111111111' }),
    ),
    check('2.4', 'another environment has other users', refuses('user_not_found'), async (world) =>
      read({ query: `?env=${world.environment === 1 ? 2 : 1}` })(world),
    ),
    check('5.1', 'a read without the private key', refuses('unauthorized'), read({ headers: () => [] })),
    check('5.1', 'a write without it', refuses('unauthorized'), patch({ headers: () => [jsonType] })),
    check(
      '5.1',
      'another key',
      refuses('unauthorized'),
      patch({ headers: ({ privateKey }) => [bearer(`${privateKey}x`), jsonType] }),
    ),
    check(
      '5.1',
      'another scheme than Bearer',
      refuses('unauthorized'),
      patch({ headers: ({ privateKey }) => [[names.authorization, `Basic ${privateKey}`], jsonType] }),
    ),
    check(
      '5.1',
      "a player's access token",
      refuses('unauthorized'),
      read({ headers: ({ said }) => [bearer(said('guest').accessToken)] }),
    ),
    check(
      'gap',
      'none of that has changed anything',
      answers(
        200,
        fact('main has version 4', ({ json }) => versionOf(json, 'main') === 4, 'an entry has another version'),
        fact('', ({ json }) => keysOf(json) === inOrder(allKeys), 'there are other entries'),
      ),
      read(),
    ),
  ],
};

/** Requests that have to be refused, each for its own reason. */
export const badRequests: Area = {
  name: 'Bad requests',
  checks: [
    check('4', 'no env', refuses('invalid_env'), patch({ query: '' })),
    check('4', 'an env that there is not', refuses('invalid_env'), patch({ query: '?env=3' })),
    check('4', 'an env that is no number', refuses('invalid_env'), read({ query: '?env=dev' })),
    check('gap', 'env twice', refuses('invalid_env'), patch({ query: '?env=0&env=0' })),
    check('gap', 'a body that is no JSON', refuses('invalid_json'), patch({ body: '{"value":{}' })),
    check('gap', 'an empty body', refuses('invalid_json'), patch({ body: '' })),
    check('2.2', 'a body without a version', refuses('invalid_version'), patch({ body: '{"value":{}}' })),
    check('2.2', 'a version below -1', refuses('invalid_version'), patch({ body: '{"value":{},"version":-2}' })),
    check('2.2', 'a version that is text', refuses('invalid_version'), patch({ body: '{"value":{},"version":"1"}' })),
    check('2.2', 'a value that is no object', refuses('invalid_request'), patch({ body: '{"value":[],"version":-1}' })),
    check(
      'gap',
      'a number that cannot be kept',
      refuses('value_not_storable'),
      patch({ body: '{"value":{"a":9007199254740993},"version":-1}' }),
    ),
    check(
      'gap',
      'half of a character',
      refuses('value_not_storable'),
      patch({ body: '{"value":{"a":"\\ud800"},"version":-1}' }),
    ),
    check(
      'gap',
      'a value that is too deep',
      refuses('value_not_storable'),
      patch({ body: `{"value":{"a":${'['.repeat(33)}${']'.repeat(33)}},"version":-1}` }),
    ),
    check(
      'gap',
      'a value of more than 150 KiB',
      refuses('too_large'),
      patch({ body: `{"value":{"a":"${'x'.repeat(150 * 1024)}"},"version":-1}` }),
    ),
    check(
      'gap',
      'a request of more than 256 KiB',
      refuses('too_large'),
      patch({ body: `${' '.repeat(256 * 1024)}${empty}` }),
    ),
    check(
      '4',
      'another content type',
      refuses('unsupported_media_type'),
      patch({ headers: ({ privateKey }) => [bearer(privateKey), [names.contentType, 'text/plain']] }),
    ),
    check('gap', 'a bad escape in the key', refusedBySomebody, patch({ rest: `${collection}/%zz` })),
    check('gap', 'a key that is too long', refuses('invalid_key'), patch({ rest: `${collection}/${'k'.repeat(129)}` })),
    check('gap', 'an address that goes on', refuses('not_found'), patch({ rest: `${main}/more` })),
    check('gap', 'an address that there is not', refuses('not_found'), (world) =>
      world.toBase({ path: '/v2/pr/nothing' }),
    ),
    check('gap', "a player's address that there is not", refuses('not_found'), post('nothing')),
    check(
      'gap',
      'a method that the address does not take',
      refuses(
        'method_not_allowed',
        fact('Allow: PATCH', ({ headers }) => headers['allow'] === 'PATCH', 'Allow is another one'),
      ),
      patch({ method: 'PUT' }),
    ),
  ],
};

function keysOf(json: unknown): string {
  return JSON.stringify(Array.isArray(json) ? json.map((entry) => member(entry, 'key')) : null);
}

/** Spec gap: by the order of their bytes. */
function inOrder(keys: readonly string[]): string {
  return JSON.stringify([...keys].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))));
}

function versionOf(json: unknown, key: string): unknown {
  if (!Array.isArray(json)) return undefined;
  return member(
    json.find((entry) => member(entry, 'key') === key),
    'version',
  );
}
