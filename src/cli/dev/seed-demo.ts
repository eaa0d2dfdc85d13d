import type { Backend } from '../../backend/index.js';
import { pathOf } from '../../protocol/addresses.js';
import * as names from '../../protocol/headers.js';
import { operations } from '../../protocol/operations.js';
import { bearer, jsonType } from '../wire.js';

export interface SeededPlayer {
  username: string;
  password: string;
}

/** Players to try things out with; their saves are such as the example game keeps. */
const players = [
  { username: 'ada', password: 'correct horse', progress: { coins: 120, level: 4, best: 31, magnet: 2 } },
  { username: 'grace', password: 'battery staple', progress: { coins: 7, level: 1, best: 7, magnet: 0 } },
  { username: 'linus', password: 'paper clip boat', progress: { coins: 480, level: 9, best: 66, magnet: 3 } },
] as const;

const environment = 0;

/**
 * Makes some players with saves, by the same wire as everybody. Those that are there from an earlier start stay as they
 * are; gives those that can be signed in to.
 */
export async function seedDemo(backend: Pick<Backend, 'fetch'>, gameId: string): Promise<SeededPlayer[]> {
  const seeded: SeededPlayer[] = [];
  for (const { username, password, progress } of players) {
    const device = { game_id: gameId, env: environment, device_id: `demo-device-of-${username}` };
    const signedIn = await ask(backend, 'POST', operations.signInWithName.path, { ...device, username, password }, [
      jsonType,
    ]);
    if (!signedIn.ok) continue;
    const { accessToken } = (await signedIn.json()) as { accessToken: string };
    const path = `${pathOf(operations.updateEntry, { game: gameId, collection: 'progress', key: 'main' })}?env=${environment}`;
    const createOnly = [jsonType, bearer(accessToken), [names.ifNoneMatch, '*']] as const;
    await ask(backend, 'PATCH', path, { value: progress, version: -1 }, createOnly);
    seeded.push({ username, password });
  }
  return seeded;
}

function ask(
  backend: Pick<Backend, 'fetch'>,
  method: string,
  path: string,
  body: object,
  headers: readonly (readonly [string, string])[],
): Promise<Response> {
  const sent = new Headers(headers.map(([name, value]): [string, string] => [name, value]));
  return backend.fetch(new Request(`http://localhost${path}`, { method, headers: sent, body: JSON.stringify(body) }));
}
