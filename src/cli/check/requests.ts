import { serviceSizes } from '../../protocol/gaps/service-sizes.js';
import { signedHeaders } from '../../protocol/headers.js';
import { operations } from '../../protocol/operations.js';
import { signRequest } from '../../server/index.js';
import { bearer, jsonType } from '../wire.js';
import type { Answer } from './ask.js';
import type { World } from './world.js';

export type Headers = readonly (readonly [string, string])[];

/**
 * The devices of a run. The third is the one of the player whom the game's back end knows, the fourth one is linked and
 * thrown out again, on the fifth the quotas are reached; a stranger never gets in.
 */
export type Device = 'one' | 'two' | 'three' | 'four' | 'five' | 'stranger';

export function deviceOf(world: World, device: Device = 'one'): string {
  return `savepoint-check-${world.run}-${device}`;
}

export function nameOf(world: World): { username: string; password: string } {
  return { username: `Check-${world.run}`, password: `password of ${world.run}` };
}

/** The player whom the game's back end knows besides, by an id of the longest kind. */
export function otherUserOf(world: World): { custom_user_id: string; device_id: string } {
  const { max } = serviceSizes.signedIdLength;
  return { custom_user_id: `savepoint-check-${world.run}-`.padEnd(max, 'x'), device_id: deviceOf(world) };
}

/** A POST to one of the player's endpoints; `as` names the answer whose session it comes from. */
export function post(
  path: string,
  body: (world: World) => object = () => ({}),
  { as, device = 'one', headers = [] }: { as?: string; device?: Device; headers?: Headers } = {},
): (world: World) => Promise<Answer> {
  return async (world) => {
    const standard = { game_id: world.gameId, env: world.environment, device_id: deviceOf(world, device) };
    return world.toAuth({
      method: 'POST',
      path: `/v2/auth/${path}`,
      headers: [jsonType, ...headers, ...(as === undefined ? [] : [bearer(world.said(as).accessToken)])],
      body: JSON.stringify({ ...standard, ...body(world) }),
    });
  };
}

/** A request of a player to `{auth_url}`. */
export function asPlayer(as: string, path: string, method = 'GET'): (world: World) => Promise<Answer> {
  return async (world) => withToken(world.said(as).accessToken, path, method)(world);
}

/** The same with a session that no row has remembered. */
export function withToken(token: unknown, path: string, method = 'GET'): (world: World) => Promise<Answer> {
  return async (world) => world.toAuth({ method, path: `/v2/auth/${path}`, headers: [bearer(String(token))] });
}

/** The next tokens for the refresh token of an earlier answer. */
export function refresh(from: string): (world: World) => Promise<Answer> {
  return post('refresh', (world) => ({ refresh_token: world.said(from).refreshToken }));
}

/** The password of the run, or the other one that the name has for a while. */
export function passwordOf(which: 'former' | 'new', world: World): string {
  return `${which === 'new' ? 'new ' : ''}${nameOf(world).password}`;
}

/** The owner of the name, on the first device, changes the password between the one of the run and another one. */
export function changePassword(
  from: 'former' | 'new',
  to: 'former' | 'new',
  { as = 'guest' }: { as?: string } = {},
): (world: World) => Promise<Answer> {
  const body = (world: World) => ({ old_password: passwordOf(from, world), new_password: passwordOf(to, world) });
  return post('account/password', body, { as });
}

/** A request of a player for own entries: reads them, or writes `main`. */
export function ownEntry(
  method: 'GET' | 'PATCH',
  body?: string,
  { as = 'guest' }: { as?: string } = {},
): (world: World) => Promise<Answer> {
  return async (world) =>
    world.toBase({
      method,
      path: ownPath(world, method === 'PATCH' ? '/main' : ''),
      headers: [bearer(world.said(as).accessToken), ...(body === undefined ? [] : [jsonType])],
      ...(body === undefined ? {} : { body }),
    });
}

export function ownPath(world: World, rest: string, environment: number = world.environment): string {
  return `/v2/cl/games/${world.gameId}/collections/savepoint-check-own${rest}?env=${environment}`;
}

/** A write of a player to an own entry; `place` is a collection and a key. */
export function writeOwn(as: string, place: string, body: string): (world: World) => Promise<Answer> {
  return async (world) =>
    world.toBase({
      method: 'PATCH',
      path: `/v2/cl/games/${world.gameId}/collections/${place}?env=${world.environment}`,
      headers: [bearer(world.said(as).accessToken), jsonType],
      body,
    });
}

/**
 * docs/interface.md#update-an-entry, or with `GET` docs/interface.md#read-a-collection; each part can be another one.
 */
export interface PrivateCall {
  method?: string;
  /** Behind `collections/`; the collection and the key of this run by default. */
  rest?: string;
  query?: string;
  headers?: (world: World) => Headers;
  body?: string;
  /** The user's id; that of the first guest by default. */
  user?: string | ((world: World) => string);
}

export const collection = 'savepoint-check';
export const firstValue = '{"b":1.0,"a":[1, 2],"text":"Zoë 鍵 👩‍🚀"}';

/** A write by the game. */
export function patch(call: PrivateCall = {}): (world: World) => Promise<Answer> {
  return privateCall({
    method: 'PATCH',
    rest: `${collection}/main`,
    body: `{"value":${firstValue},"version":-1}`,
    ...call,
  });
}

/** A read by the game. */
export function read(call: PrivateCall = {}): (world: World) => Promise<Answer> {
  return privateCall({ method: 'GET', rest: collection, ...call });
}

function privateCall({ method = 'GET', rest = '', query, headers, body, user }: PrivateCall) {
  return async (world: World): Promise<Answer> => {
    const owner = typeof user === 'function' ? user(world) : (user ?? world.said('guest').userId);
    const sent = headers?.(world) ?? [bearer(world.privateKey), ...(body === undefined ? [] : [jsonType])];
    return world.toBase({
      method,
      path: `/v2/pr/games/${world.gameId}/saves/${owner}/collections/${rest}${query ?? `?env=${world.environment}`}`,
      headers: sent,
      ...(body === undefined ? {} : { body }),
    });
  };
}

export interface SignedCall {
  privateKey?: string;
  /** Added to the clock, in ms. */
  lateMs?: number;
  nonce?: string;
  encoding?: 'base64';
  /** Members in the place of the standard ones. */
  body?: object | ((world: World) => object);
  /** The exact text in the place of the body. */
  text?: string;
  method?: string;
  /** Changes what is sent from what was signed. */
  change?: (sent: { headers: [string, string][]; body: string }) => { headers?: Headers; body?: string };
}

/** docs/interface.md#server-to-server-authentication; each part can be another one. */
export function signed(call: SignedCall = {}): (world: World) => Promise<Answer> {
  return async (world) => {
    const { lateMs = 0, nonce, encoding, change = () => ({}) } = call;
    const standard = {
      custom_user_id: `savepoint-check-${world.run}`,
      device_id: deviceOf(world, 'three'),
      game_id: world.gameId,
      env: world.environment,
    };
    const changed = typeof call.body === 'function' ? call.body(world) : call.body;
    const body = call.text ?? JSON.stringify({ ...standard, ...changed });
    const privateKey = call.privateKey ?? world.privateKey;
    const timestamp = world.now() + lateMs;
    const request = await signRequest({ privateKey, body, timestamp, nonce, encoding });
    const headers: [string, string][] = [
      ...(Object.entries(request.headers) as [string, string][]),
      [signedHeaders.forwardedFor, '203.0.113.7'],
    ];
    return world.toAuth({
      method: 'POST',
      path: operations.authenticate.path,
      headers,
      body,
      ...change({ headers, body }),
    });
  };
}

/** The headers without one of them. */
export function without(name: string): NonNullable<SignedCall['change']> {
  return ({ headers }) => ({ headers: headers.filter(([other]) => other !== name) });
}
