import { expect } from 'vitest';
import { type FailureCode, failures } from '../../../src/protocol/failures.js';
import { signedHeaders } from '../../../src/protocol/headers.js';
import { encodeSignature, hmac, importPrivateKey, signedText } from '../../../src/protocol/signing.js';
import { type TestService, testGameId, testPrivateKey, testStart } from '../service.js';

/** A request as the suite writes it, below the door's address. */
export interface DoorRequest {
  method?: string;
  path: string;
  headers?: readonly (readonly [string, string])[];
  /** Bytes bring no content type with them, unlike text. */
  body?: string | Uint8Array<ArrayBuffer>;
}

/** What the cases build on: the service behind the door, and what it has answered so far. */
export interface DoorWorld {
  service: TestService;
  /** The bodies of earlier answers by the name they were remembered by. */
  // biome-ignore lint/suspicious/noExplicitAny: an earlier case has looked at them.
  said: { [name: string]: any };
}

export interface DoorCase {
  name: string;
  request(world: DoorWorld): DoorRequest | Promise<DoorRequest>;
  status: number;
  /** The normalised body; undefined where there is none. */
  body?: unknown;
  headers?: { [name: string]: string };
  remember?: string;
  /** A header that browsers let no script set. Where it is dropped, the case is left to the other doors. */
  needs?: string;
}

/** What a failure answers; `more` is what this one adds, `detail` may be anything. */
export function refused(code: FailureCode, more: { [name: string]: unknown } = {}) {
  const { status, title } = failures[code];
  const body = { type: 'about:blank', title, status, code, requestId: '<uuid>', ...more };
  return { status, body: expect.objectContaining(body), headers: { 'content-type': 'application/problem+json' } };
}

/** The answer to a sign-in (docs/interface.md#server-authentication-response), normalised; a player's own has its methods and limits. */
export function session(methods?: string[]) {
  const answer = {
    userId: '<uuid>',
    accessToken: '<token>',
    refreshToken: '<token>',
    status: 0,
    country: 'ZZ',
    time: testStart,
  };
  const limits = { valueBytes: 153_600, entries: 2_000, collections: 100 };
  return methods === undefined ? answer : { ...answer, methods, limits };
}

type Headers = readonly (readonly [string, string])[];

export const json = ['Content-Type', 'application/json'] as const;
export const key = ['Authorization', `Bearer ${testPrivateKey}`] as const;
export const jsonAnswer = { 'content-type': 'application/json', 'cache-control': 'no-store' };
export const device = { game_id: testGameId, env: 0, device_id: 'device-one' };
export const noUser = '11111111-1111-4111-8111-111111111111';

/** A POST to one of the player's endpoints; `as` names the answer whose session it comes from. */
export function post(path: string, body: object, as?: string): DoorCase['request'] {
  return ({ said }) => ({
    method: 'POST',
    path: `/v2/auth/${path}`,
    headers: as === undefined ? [json] : [json, ['Authorization', `Bearer ${said[as].accessToken}`]],
    body: JSON.stringify({ ...device, ...body }),
  });
}

export function asPlayer(as: string, path: string, method = 'GET', body?: string): DoorCase['request'] {
  return ({ said }) => ({
    method,
    path,
    headers: [['Authorization', `Bearer ${said[as].accessToken}`], ...(body === undefined ? [] : [json])],
    ...(body === undefined ? {} : { body }),
  });
}

export function saves({ said }: DoorWorld, rest: string): string {
  return `/v2/pr/games/${testGameId}/saves/${said['guest'].userId}/collections/${rest}`;
}

export const update = '{"value":{"b":1.0,"a":[1, 2]},"version":-1}';

/** A write through the private API; each part of it can be another one. */
export function patch(
  rest: string,
  {
    body = update,
    headers = [key, json],
    method = 'PATCH',
  }: { body?: DoorRequest['body']; headers?: Headers; method?: string } = {},
): DoorCase['request'] {
  return (world) => ({ method, path: saves(world, rest), headers, body });
}

let nonces = 0;

function newNonce(): string {
  nonces += 1;
  return String(nonces).padStart(32, '0');
}

/** A signed request (docs/interface.md#signed-requests); each part of the request can be another one than what is signed. */
export function signed(
  change: (headers: [string, string][], body: string) => { headers?: Headers; body?: string } = () => ({}),
  {
    text = JSON.stringify({ ...device, custom_user_id: 'custom-1' }),
    nonce = newNonce(),
  }: { text?: string; nonce?: string } = {},
): DoorCase['request'] {
  return async ({ service }) => {
    const timestamp = String(service.clock());
    const mac = await hmac(await importPrivateKey(testPrivateKey), signedText(timestamp, nonce, text));
    const headers: [string, string][] = [
      [...json],
      [signedHeaders.signature, encodeSignature(mac)],
      [signedHeaders.timestamp, timestamp],
      [signedHeaders.nonce, nonce],
      ['X-Forwarded-For', '203.0.113.7'],
    ];
    return { method: 'POST', path: '/v2/auth/server', headers, body: text, ...change(headers, text) };
  };
}
