import type { FailureCode } from '../../protocol/failures.js';
import * as names from '../../protocol/headers.js';
import { isUuid } from '../../protocol/ids.js';
import type { Answer } from './ask.js';
import type { Said, World } from './world.js';

/** Something that an answer has to be besides its status. */
export interface Fact {
  /** For the column of what is expected; empty where that goes without saying. */
  says: string;
  /** What is wrong, in words that show no secret; null where nothing is. */
  wrong(answer: Answer, world: World): string | null;
}

export function fact(says: string, holds: (answer: Answer, world: World) => boolean, otherwise: string): Fact {
  return { says, wrong: (answer, world) => (holds(answer, world) ? null : otherwise) };
}

/** A member, by its path, that is exactly this. Not for secrets: what is there instead is shown. */
export function has(path: string, value: unknown): Fact {
  const wanted = JSON.stringify(value);
  return {
    says: `${path} ${wanted}`.trim(),
    wrong({ json }) {
      const found = JSON.stringify(member(json, path));
      if (found === wanted) return null;
      const name = path === '' ? 'it' : path;
      return found === undefined ? `${name} is missing` : `${name} is ${found.slice(0, 60)}`;
    },
  };
}

const forms = {
  UUID: isUuid,
  JWT: (value: unknown) => typeof value === 'string' && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(value),
  integer: (value: unknown) => Number.isSafeInteger(value),
  text: (value: unknown) => typeof value === 'string' && value !== '',
  list: (value: unknown) => Array.isArray(value),
  'country code': (value: unknown) => typeof value === 'string' && /^[A-Z]{2}$/.test(value),
} as const;

/** A member that has a form. */
export function is(path: string, form: keyof typeof forms): Fact {
  return fact('', ({ json }) => forms[form](member(json, path)), `${path} is no ${form}`);
}

export function header(name: string, value: string | null): Fact {
  const says = value === null ? `no ${name}` : `${name} ${value}`;
  return fact(
    says,
    ({ headers }) => {
      const found = headers[name.toLowerCase()];
      if (value === null) return found === undefined;
      // What comes behind a semicolon is a parameter.
      return typeof found === 'string' && (found === value || found.startsWith(`${value};`));
    },
    value === null ? `there is ${name}` : `${name} is another one`,
  );
}

/** The user of an earlier answer. */
export function sameUser(name: string): Fact {
  return fact(
    'the same user',
    ({ json }, { said }) => lower(member(json, 'userId')) === lower(said(name).userId),
    'it is another user',
  );
}

export function otherUser(name: string): Fact {
  return fact(
    'another user',
    ({ json }, { said }) => lower(member(json, 'userId')) !== lower(said(name).userId),
    'it is the same user',
  );
}

export function userAt(path: string, name: string): Fact {
  return fact(
    '',
    ({ json }, { said }) => lower(member(json, path)) === lower(said(name).userId),
    `${path} is another one`,
  );
}

/** Tells nothing that an earlier answer has not told, but for the request's own id. */
export function alike(name: string, what: string): Fact {
  return fact(`as ${what}`, ({ json }, { said }) => told(json) === told(said(name)), `it can be told from ${what}`);
}

/** A body without what is another one each time. */
function told(json: unknown): string {
  return JSON.stringify({ ...(json as object), requestId: member(json, 'requestId') === undefined ? 0 : 1 });
}

/** Whether a secret is that of an earlier answer. */
export function token(secret: keyof Said & `${string}Token`, how: 'same' | 'other', name: string): Fact {
  return fact(
    how === 'same' ? `the same ${secret}` : `another ${secret}`,
    ({ json }, { said }) => (member(json, secret) === said(name)[secret]) === (how === 'same'),
    how === 'same' ? `${secret} is another one` : `${secret} is the same`,
  );
}

/** The methods that lead to the account, in any order. */
export function methods(...expected: string[]): Fact {
  return fact(
    `methods ${expected.join(', ')}`,
    ({ json }) => {
      const found = member(json, 'methods');
      return Array.isArray(found) && [...found].sort().join() === [...expected].sort().join();
    },
    'the methods are others',
  );
}

/** @see docs/interface.md#server-authentication-response */
export const session: readonly Fact[] = [
  fact('the answer of a sign-in', () => true, ''),
  is('userId', 'UUID'),
  is('accessToken', 'JWT'),
  is('refreshToken', 'JWT'),
  is('status', 'integer'),
  is('country', 'country code'),
  is('time', 'integer'),
];

/** What every failure is (RFC 9457), with this code. */
export function problemFacts(code: FailureCode): Fact[] {
  return [
    header(names.contentType, 'application/problem+json'),
    fact('', ({ json }) => member(json, 'code') === code, `its code is not ${code}`),
    fact('', ({ json, status }) => member(json, 'status') === status, 'status in the body is not that of the answer'),
    is('type', 'text'),
    is('title', 'text'),
    fact(
      '',
      ({ json, headers }) =>
        forms.text(member(json, 'requestId')) && member(json, 'requestId') === headers['x-request-id'],
      `requestId is not that of ${names.requestId}`,
    ),
  ];
}

/** What stands at a path such as `conflict.local.userId`. */
export function member(json: unknown, path: string): unknown {
  return path
    .split('.')
    .filter((name) => name !== '')
    .reduce<unknown>((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), json);
}

/** The items of a list at a path; none where there is no list. */
export function listAt(json: unknown, path: string): unknown[] {
  const found = member(json, path);
  return Array.isArray(found) ? found : [];
}

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === 'object' && value !== null;
}

function lower(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}
