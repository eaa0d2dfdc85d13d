import type { SeenRequest } from '../../console/src/wire/messages.js';
import type { Backend } from '../../src/backend/index.js';
import { operations } from '../../src/protocol/operations.js';
import type { AdminClient } from '../../src/server/create-admin-client.js';
import { here } from './console-site.js';

/** Players of a service on which something has happened. */
export interface Filled {
  /** Has a name, saves, snapshots and a timeline. */
  ada: string;
  /** Is banned. */
  grace: string;
  /** A guest who has met ada's account and has not chosen yet. */
  guest: string;
  /** Has saves that somebody wrote to do harm. */
  hostile: string;
}

/** A text with what a page could stumble over: markup, marks that turn the direction of a line, and signs nobody sees. */
export const hostileText =
  '<script>window.stolen = true</script><img src=x onerror="window.stolen = true"> \u202egpj.exe\u202c \u0007';

export async function fillService(backend: Backend, admin: AdminClient): Promise<Filled> {
  const players = admin.players(here);
  const ada = await findByName(admin, 'ada');
  const grace = await findByName(admin, 'grace');
  await players.updateEntry(ada, { collection: 'progress', key: 'main', value: save(150), version: 0 });
  await players.updateEntry(ada, { collection: 'progress', key: 'main', value: save(175), version: 1 });
  await players.updateEntry(ada, {
    collection: 'settings',
    key: 'sound',
    value: { volume: 0.8, isMuted: false },
    version: -1,
  });
  await players.ban(grace, { reason: 'sold her account', until: null });
  const guest = await signInGuest(backend, 'the-device-of-a-guest');
  await askForPlayer(backend, guest.token, {
    username: 'ada',
    password: 'correct horse',
    device: 'the-device-of-a-guest',
  });
  const { userId: hostile } = await signInGuest(backend, 'the-device-of-somebody-bad');
  await players.updateEntry(hostile, {
    collection: 'hostile',
    key: 'text',
    version: -1,
    value: { [hostileText]: hostileText, deep: { deeper: { deepest: [1, null, true, 'end'] } } },
  });
  await players.updateEntry(hostile, {
    collection: 'hostile',
    key: 'line',
    version: -1,
    value: { line: 'x'.repeat(150_000) },
  });
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, index]));
  await players.updateEntry(hostile, { collection: 'hostile', key: 'many', version: -1, value: many });
  return { ada, grace, guest: guest.userId, hostile };
}

function save(coins: number) {
  return { coins, level: 5, best: 44, magnet: 2, hats: ['straw', 'top'], position: { room: 'attic', x: 12, y: 4 } };
}

export async function findByName(admin: AdminClient, name: string): Promise<string> {
  const [found] = await admin.players(here).find({ name });
  if (found === undefined) throw new Error(`nobody is called ${name}`);
  return found.userId;
}

export async function signInGuest(backend: Backend, device: string): Promise<{ userId: string; token: string }> {
  const response = await send(backend, operations.signInAsGuest.path, {
    game_id: here.gameId,
    env: 0,
    device_id: device,
  });
  const { userId, accessToken } = (await response.json()) as { userId: string; accessToken: string };
  return { userId, token: accessToken };
}

async function askForPlayer(
  backend: Backend,
  token: string,
  { device, ...credentials }: { username: string; password: string; device: string },
): Promise<void> {
  const body = { game_id: here.gameId, env: 0, device_id: device, ...credentials };
  const response = await send(backend, operations.signInWithName.path, body, token);
  if (response.status !== 409) throw new Error(`no conflict: ${response.status}`);
}

function send(backend: Backend, path: string, body: object, token?: string): Promise<Response> {
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
  return backend.fetch(
    new Request(`http://service.test${path}`, { method: 'POST', headers, body: JSON.stringify(body) }),
  );
}

/** A request as the gateway's feed tells of it. */
export function seenRequest(changes: Partial<SeenRequest> = {}): SeenRequest {
  return {
    id: crypto.randomUUID(),
    time: Date.now(),
    method: 'PATCH',
    route: '/v2/cl/games/:game/collections/:collection/:key',
    path: `/v2/cl/games/${here.gameId}/collections/progress/main?env=0`,
    status: 200,
    code: null,
    ms: 3.4,
    game: here.gameId,
    user: null,
    details: {
      requestHeaders: { authorization: 'Bearer [redacted]', 'content-type': 'application/json' },
      requestBody: '{"value":{"coins":12},"version":3}',
      responseHeaders: { 'content-type': 'application/json' },
      responseBody: '{"version":4}',
      signature: null,
    },
    ...changes,
  };
}
