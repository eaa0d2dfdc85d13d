import fc from 'fast-check';
import type { openApiDocument } from '../../src/backend/openapi/document.js';
import { operations } from '../../src/protocol/operations.js';
import { testOperatorKey } from './operators.js';
import { testGameId, testPrivateKey } from './service.js';

/** A request to any door; what `standIns` names is put in when it is sent. */
export interface FuzzRequest {
  method: string;
  path: string;
  headers: [string, string][];
  hasType: boolean;
  body: string | Uint8Array;
  /** The body is to be signed as a game does it. */
  isSigned: boolean;
}

/** Stand for what is known only when a request is sent: of a player that there is, and of the last conflict. */
export const standIns = { token: '<token>', userId: '<user>', refreshToken: '<refresh>', ticket: '<ticket>' } as const;

const player = `Bearer ${standIns.token}`;

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
/** Whatever comes, to whatever there may be. */
export const unstructured: fc.Arbitrary<FuzzRequest> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'POST', 'PATCH', 'PATCH', 'DELETE', 'PUT', 'OPTIONS', 'HEAD'),
  path: fc.tuple(path, query).map((parts) => parts.join('')),
  headers: fc.array(fc.tuple(name, value), { maxLength: 6 }),
  hasType: fc.boolean(),
  body,
  isSigned: fc.constant(false),
});

// biome-ignore lint/suspicious/noExplicitAny: a schema is looked into by name.
type Schema = any;

/** What a player may well send; so much of it that requests get past their first checks and meet each other. */
const likely: { [member: string]: unknown[] } = {
  game_id: [testGameId],
  env: [0],
  device_id: ['device-fuzz', 'device-other'],
  custom_user_id: ['custom-1', 'custom-2'],
  username: ['ada', 'Ada', 'bob'],
  password: [...Array.from({ length: 5 }, () => 'correct horse'), 'battery staple'],
  old_password: ['correct horse'],
  new_password: ['correct horse'],
  token: ['arcade-1', 'arcade-2', 'a.b.c'],
  platform: ['arcade'],
  refresh_token: [standIns.refreshToken],
  ticket: [standIns.ticket],
  collection: ['progress', 'a b'],
  key: ['main', 'a b'],
  field: ['n', 'n.of.n', '__proto__.x'],
  version: [-1, -1, 0, 1],
  entries: [[], [{ collection: 'progress', key: 'main', value: { n: 1 } }]],
};

/** What each operation of a document takes, and somewhere in it whatever comes. */
export function structuredBy(document: ReturnType<typeof openApiDocument>): fc.Arbitrary<FuzzRequest> {
  const { paths: items, components } = document as Schema;
  const described = Object.entries<Schema>(items).flatMap(([template, item]) =>
    Object.entries<Schema>(item).flatMap(([method, operation]) =>
      // What only shows leaves nothing behind for the next one, and what deletes leaves even less.
      Array.from({ length: operation.requestBody === undefined ? 1 : 5 }, () => ({ template, method, operation })),
    ),
  );

  function wellFormed(schema: Schema, member?: string): fc.Arbitrary<unknown> {
    const wanted = likely[member ?? ''];
    const sound = wanted === undefined ? soundOf(schema) : fc.constantFrom(...wanted);
    return fc.oneof({ arbitrary: sound, weight: 24 }, { arbitrary: content, weight: 1 });
  }

  function soundOf(schema: Schema): fc.Arbitrary<unknown> {
    if (schema.$ref !== undefined) return soundOf(components.schemas[schema.$ref.split('/').at(-1)]);
    if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(soundOf));
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.type === 'array') return fc.array(wellFormed(schema.items), { maxLength: 3 });
    if (schema.type === 'integer' || schema.type === 'number') return fc.integer();
    if (schema.type === 'boolean') return fc.boolean();
    if (schema.type === 'string') return fc.string({ unit: 'grapheme', maxLength: 20 });
    if (schema.properties === undefined) return fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });
    const members = Object.entries<Schema>(schema.properties).map(([at, of]) => [at, wellFormed(of, at)] as const);
    return fc.record(Object.fromEntries(members), { requiredKeys: schema.required ?? [] });
  }

  return fc.constantFrom(...described).chain(({ template, method, operation }) => {
    const schema = operation.requestBody?.content['application/json'].schema;
    const params = [...template.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => param);
    const authorization = authorizationOf(template);
    const isFree = operation.security.length !== 1;
    return fc
      .record({
        body: schema === undefined ? fc.constant('') : wellFormed(schema).map((value) => JSON.stringify(value) ?? ''),
        filled: fc.tuple(...params.map((param) => fc.constantFrom(...(inPath[param] ?? [])))),
        wild: segment,
        isWild: fc.constantFrom(true, ...Array.from({ length: 24 }, () => false)),
        shows: isFree ? fc.boolean() : fc.constant(true),
      })
      .map(({ body: text, filled, wild, isWild, shows }) => {
        const [first, ...rest] = params.map((param, at) => [`{${param}}`, filled[at] ?? ''] as const).reverse();
        const values = first === undefined ? [] : [isWild ? ([first[0], wild] as const) : first, ...rest];
        const path = values.reduce((so, [from, to]) => so.replace(from, () => to), template);
        return {
          method: method.toUpperCase(),
          path: `${path}?env=0`,
          headers: shows ? [['Authorization', authorization]] : [],
          hasType: schema !== undefined,
          body: text,
          isSigned: template === operations.authenticate.path,
        };
      });
  });
}

function authorizationOf(template: string): string {
  if (template.startsWith('/v2/pr/')) return `Bearer ${testPrivateKey}`;
  return template.startsWith('/v2/admin/') ? `Bearer ${testOperatorKey}` : player;
}

/** By the names that the document's addresses use. */
const inPath: { [param: string]: string[] } = {
  id: [someUser],
  game: [testGameId],
  user: [standIns.userId],
  snapshot: [someUser],
  choice: [someUser],
  device: ['a-device-that-is-none'],
  platform: ['wave', 'a-platform-that-is-none', 'https%3A%2F%2Fid.example'],
  collection: ['progress', 'progress', 'a%20b'],
  key: ['main', 'main', 'a%20b'],
  method: ['name', 'social', 'device', 'recovery'],
};

function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, ''));
}
