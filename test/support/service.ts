import { type Backend, type BackendOptions, createBackend, type GameOptions } from 'savepoint/backend';
import { pathOf } from '../../src/protocol/addresses.js';
import * as headers from '../../src/protocol/headers.js';
import { signedHeaders } from '../../src/protocol/headers.js';
import type { AuthAnswer } from '../../src/protocol/messages.js';
import { operations } from '../../src/protocol/operations.js';
import type { PlayerAuthAnswer } from '../../src/protocol/player-messages.js';
import { encodeSignature, hmac, importPrivateKey, signedText } from '../../src/protocol/signing.js';
import { chosenStore } from './chosen-store.js';

/** A service of its own for a test: a fixed start time, fast passwords, the same ids at every run. */
export interface TestService {
  backend: Backend;
  gameId: string;
  privateKey: string;
  baseUrl: string;
  authUrl: string;
  /** For clients: as `fetch`, without a network. */
  fetch: (request: Request) => Promise<Response>;
  /** The service's clock, which `backend.control.advance` moves. */
  clock: () => number;
}

export const testGameId = '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d';
export const testPrivateKey = 'test-private-key-0123456789abcdef';
export const testStart = Date.UTC(2026, 0, 15, 12, 0, 0);

export function createTestService({
  game,
  ...options
}: Partial<Omit<BackendOptions, 'games'>> & { game?: Partial<GameOptions>; games?: GameOptions[] } = {}): TestService {
  const backend = createBackend({
    games: [{ id: testGameId, privateKeys: [testPrivateKey], ...game }],
    clock: () => testStart,
    random: countedRandom(),
    insecureFastPasswordsForTests: true,
    ...(options.store === undefined ? chosenStore() : {}),
    ...options,
  });
  return {
    backend,
    gameId: testGameId,
    privateKey: testPrivateKey,
    baseUrl: 'http://saves.test',
    authUrl: 'http://saves.test',
    fetch: (request) => backend.fetch(request),
    clock: backend.control.now,
  };
}

export interface Answer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

/** What a failure's body may hold, and anything else. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts what is in it.
type AnyBody = any;

/** Sends a request as it is given; the answer's JSON comes with it. */
export async function send<Body = AnyBody>(
  service: TestService,
  path: string,
  {
    method = 'GET',
    token,
    body,
    text = body === undefined ? undefined : JSON.stringify(body),
    headers: more = {},
    address,
  }: {
    method?: string;
    token?: string | undefined;
    body?: unknown;
    /** The body's exact text, in the place of `body`. */
    text?: string | undefined;
    headers?: Record<string, string>;
    address?: string;
  } = {},
): Promise<Answer<Body>> {
  const sent = new Headers();
  if (text !== undefined) sent.set(headers.contentType, 'application/json');
  if (token !== undefined) sent.set(headers.authorization, `Bearer ${token}`);
  for (const [name, value] of Object.entries(more)) sent.set(name, value);
  const init = { method, headers: sent, ...(text === undefined ? {} : { body: text }) };
  const request = new Request(`${service.baseUrl}${path}`, init);
  const response = await service.backend.fetch(request, { address });
  const answered = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: answered === '' ? undefined : JSON.parse(answered),
  };
}

export interface PlayerRequest {
  token?: string | undefined;
  deviceId?: string;
  environment?: number;
  address?: string;
  headers?: Record<string, string>;
}

/** POSTs to one of the player's endpoints, with the game, the environment and a device. */
export function post<Body = AnyBody>(
  service: TestService,
  path: string,
  body: Record<string, unknown>,
  { token, deviceId = 'device-one', environment = 0, address, headers: more = {} }: PlayerRequest = {},
): Promise<Answer<Body>> {
  return send<Body>(service, path, {
    method: 'POST',
    token,
    headers: more,
    body: { game_id: service.gameId, env: environment, device_id: deviceId, ...body },
    ...(address === undefined ? {} : { address }),
  });
}

/** Signs a guest in. */
export async function signInGuest(
  service: TestService,
  deviceId = 'device-one',
  request: PlayerRequest = {},
): Promise<PlayerAuthAnswer> {
  return successful(await post(service, operations.signInAsGuest.path, {}, { ...request, deviceId }));
}

/** Signs in by name, or links it where a token is given; fails the test where that is refused. */
export async function useName(
  service: TestService,
  { username, password }: { username: string; password: string },
  request: PlayerRequest = {},
): Promise<PlayerAuthAnswer> {
  return successful(await post(service, operations.signInWithName.path, { username, password }, request));
}

/** Two devices of which the first owns the name: what a conflict starts from. */
export async function makeConflict(
  service: TestService,
  { username = 'ada', password = 'correct horse' }: { username?: string; password?: string } = {},
) {
  const cloud = await signInGuest(service, 'device-one');
  await useName(service, { username, password }, { token: cloud.accessToken, deviceId: 'device-one' });
  const local = await signInGuest(service, 'device-two');
  const request = { token: local.accessToken, deviceId: 'device-two' };
  const { status, body } = await post(service, operations.signInWithName.path, { username, password }, request);
  if (status !== 409) throw new Error(`Expected a conflict, got ${status}.`);
  return { cloud, local, ticket: body.conflict.ticket as string, problem: body };
}

/** Two accounts with something of their own each, over one name: a conflict that cannot be fast-forwarded. */
export async function makeDivergedConflict(
  service: TestService,
  {
    cloud: cloudValues = { main: '{"coins": 9.0, "level":2}', old: '{"a":1}' },
    local: localValues = { main: '{"coins": 1}', fresh: '{"b": 1e2}' },
  }: { cloud?: Texts; local?: Texts } = {},
) {
  const { cloud, local } = await makeConflict(service);
  for (const [key, text] of Object.entries(cloudValues)) await writeText(service, cloud, key, text);
  for (const [key, text] of Object.entries(localValues)) await writeText(service, local, key, text);
  const credential = { username: 'ada', password: 'correct horse' };
  const { body } = await post(service, operations.signInWithName.path, credential, {
    token: local.accessToken,
    deviceId: 'device-two',
  });
  return { cloud, local, conflict: body.conflict, ticket: body.conflict.ticket as string };
}

/** Values as JSON text, by key. */
export type Texts = { [key: string]: string };

/** Writes a value exactly as its text says, in the collection `progress`. */
export function writeText(
  service: TestService,
  player: { accessToken: string },
  key: string,
  value: string,
): Promise<Answer<AnyBody>> {
  const path = `${pathOf(operations.updateEntry, { game: service.gameId, collection: 'progress', key })}?env=0`;
  return send(service, path, { method: 'PATCH', token: player.accessToken, text: `{"version":-1,"value":${value}}` });
}

/** The text of an account's collection `progress`, exactly as it is answered. */
export async function readText(service: TestService, player: { accessToken: string }): Promise<string> {
  const request = new Request(
    `${service.baseUrl}${pathOf(operations.readCollection, { game: service.gameId, collection: 'progress' })}?env=0`,
    {
      headers: { [headers.authorization]: `Bearer ${player.accessToken}` },
    },
  );
  return (await service.backend.fetch(request)).text();
}

/** Writes an entry as the player. */
export function writeEntry(
  service: TestService,
  player: { accessToken: string },
  {
    collection = 'progress',
    key = 'main',
    value = {},
    version = -1,
    environment = 0,
  }: { collection?: string; key?: string; value?: unknown; version?: number; environment?: number } = {},
): Promise<Answer<AnyBody>> {
  const path = `${pathOf(operations.updateEntry, { game: service.gameId, collection, key })}?env=${environment}`;
  return send(service, path, { method: 'PATCH', token: player.accessToken, body: { value, version } });
}

export function readEntries(
  service: TestService,
  player: { accessToken: string },
  { collection = 'progress', environment = 0 }: { collection?: string; environment?: number } = {},
): Promise<Answer<AnyBody>> {
  const path = `${pathOf(operations.readCollection, { game: service.gameId, collection })}?env=${environment}`;
  return send(service, path, { token: player.accessToken });
}

export interface SignedParts {
  body?: Record<string, unknown>;
  /** The body's exact text, in the place of `body`. */
  text?: string;
  key?: string;
  timestamp?: string;
  nonce?: string;
  encoding?: 'hex' | 'base64';
  headers?: Record<string, string>;
}

let nonces = 0;

/** A server-to-server request, signed by the test itself (docs/interface.md#signed-requests). */
export async function signedRequest(service: TestService, parts: SignedParts = {}): Promise<Request> {
  const { key = service.privateKey, timestamp = String(service.clock()), encoding = 'hex' } = parts;
  nonces += 1;
  const { nonce = String(nonces).padStart(32, 'n') } = parts;
  const standard = { custom_user_id: 'custom-1', device_id: 'device-one', game_id: service.gameId, env: 0 };
  const text = parts.text ?? JSON.stringify({ ...standard, ...parts.body });
  const signature = await hmac(await importPrivateKey(key), signedText(timestamp, nonce, text));
  return new Request(`${service.authUrl}${operations.authenticate.path}`, {
    method: 'POST',
    headers: {
      [headers.contentType]: 'application/json',
      [signedHeaders.signature]: encodeSignature(signature, encoding),
      [signedHeaders.timestamp]: timestamp,
      [signedHeaders.nonce]: nonce,
      ...parts.headers,
    },
    body: text,
  });
}

/** Authenticates through a signed request; fails the test where that is refused. */
export async function authenticateForGame(service: TestService, parts: SignedParts = {}): Promise<AuthAnswer> {
  const response = await service.backend.fetch(await signedRequest(service, parts));
  return successful({ status: response.status, headers: response.headers, body: await response.json() });
}

function successful<Body>({ status, body }: Answer<Body>): Body {
  if (status !== 200) throw new Error(`Expected 200, got ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Bytes that look random, and are the same at every run. */
function countedRandom(): (size: number) => Uint8Array {
  let state = 0x2545f491;
  return (size) =>
    Uint8Array.from({ length: size }, () => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return state & 0xff;
    });
}
