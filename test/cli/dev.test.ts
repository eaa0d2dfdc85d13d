import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBackend, createMemoryStore } from 'savepoint/backend';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { demoGame } from '../../src/cli/demo.js';
import { planFaults, plansOf, readFaults } from '../../src/cli/dev/faults.js';
import { openStore } from '../../src/cli/open-store.js';
import { runCommand } from './in-process.js';
import { bundleProgram, type Program, start, startDev } from './program.js';

const gameId = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
let file: string;
let folder: string;
const running: Program[] = [];

beforeAll(async () => {
  file = await bundleProgram();
  folder = mkdtempSync(join(tmpdir(), 'savepoint-dev-'));
});
afterEach(() => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true }));

async function dev(...args: string[]) {
  const started = await startDev(file, args);
  running.push(started);
  return started;
}

function configWith(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function post(url: string, path: string, body: object): Promise<Response> {
  return fetch(`${url}/v2/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ game_id: demoGame.id, env: 0, device_id: 'device-one', ...body }),
  });
}

describe('savepoint dev --seed-demo', () => {
  it('has players with saves, and shows how to be one of them', async () => {
    const started = start(file, ['dev', '--port', '0', '--seed-demo']);
    running.push(started);
    await expect.poll(started.stdout, { timeout: 10_000 }).toContain('createClient(');
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(started.stdout())?.[0] ?? '';
    const [, username, password] = /^ {4}(ada) +(.+)$/m.exec(started.stdout()) ?? [];
    const { accessToken } = await (await post(url, 'name', { username, password })).json();
    const saves = await fetch(`${url}/v2/cl/games/${demoGame.id}/collections/progress?env=0`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(await saves.json()).toEqual([{ key: 'main', value: expect.objectContaining({ coins: 120 }), version: 0 }]);
    // What it did for itself is no request of anybody.
    await expect.poll(() => started.stderr().trim().split('\n'), { timeout: 10_000 }).toHaveLength(2);
  });
});

describe('savepoint dev --config', () => {
  it('has the games, limits and pages of the file, and its own demo network', async () => {
    const config = configWith(
      'dev.config.mjs',
      `export default {
        games: [{ id: '${gameId}', privateKeys: ['my-own-key'], socialPlatforms: { own: (token) => ({ id: token }) } }],
        limits: { valueBytes: 20 },
        allowedOrigins: ['https://game.example'],
      };`,
    );
    const { ready } = await dev('--config', config);
    expect(ready).toMatchObject({ gameId, privateKey: 'my-own-key' });
    for (const platform of ['own', 'demo']) {
      const signedIn = await post(ready.url, 'social', { game_id: gameId, platform, token: 'demo:ada' });
      expect(signedIn.status).toBe(200);
    }
    const { userId } = await (await post(ready.url, 'guest', { game_id: gameId })).json();
    const write = await fetch(`${ready.url}/v2/pr/games/${gameId}/saves/${userId}/collections/a/b?env=0`, {
      method: 'PATCH',
      headers: { authorization: 'Bearer my-own-key', 'content-type': 'application/json' },
      body: '{"value":{"text":"longer than that"},"version":-1}',
    });
    expect(write.status).toBe(413);
    for (const origin of ['https://game.example', 'http://localhost:1']) {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const { headers: answered } = await fetch(`${ready.url}/v2/auth/guest`, { method: 'OPTIONS', headers });
      expect(answered.get('access-control-allow-origin')).toBe(origin);
    }
  });

  it('lets pages call it that it is told of, and says which may not', async () => {
    const { ready, stderr } = await dev('--allowed-origin', 'https://*.itch.zone', '--allowed-origin', 'null');
    const asked = async (origin: string) => {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const answer = await fetch(`${ready.url}/v2/auth/guest`, { method: 'OPTIONS', headers });
      return answer.headers.get('access-control-allow-origin');
    };
    const allowed = ['https://a.itch.zone', 'null', 'http://localhost:1'];
    for (const origin of allowed) expect(await asked(origin)).toBe(origin);
    expect(await asked('https://game.example')).toBeNull();
    const line = /OPTIONS \/v2\/auth\/guest 403 .* origin_not_allowed --allowed-origin https:\/\/game\.example/;
    await expect.poll(() => stderr(), { timeout: 10_000 }).toMatch(line);
  });

  it('refuses an origin that no page has, of the file too', async () => {
    for (const args of [
      ['--allowed-origin', '*'],
      ['--config', configWith('origins.json', '{"allowedOrigins":["*"]}')],
    ]) {
      const { code, err } = await runCommand(['dev', '--port', '0', ...args]);
      expect([code, err]).toEqual([2, expect.stringContaining('--allowed-origin must be an origin')]);
    }
  });

  it('has the demo game where the file has none', async () => {
    const { ready } = await dev('--config', configWith('no-games.json', '{"issuer":"mine"}'));
    expect(ready).toMatchObject({ gameId: demoGame.id, privateKey: demoGame.privateKey });
  });

  it('signs with the key of the file, and still knows the former ones', async () => {
    const files = ['signing', 'former'].map((name) => join(folder, `${name}.jwk`));
    for (const out of files) await runCommand(['new-key', 'signing', '--out', out]);
    const [signingKey, former] = files.map((path) => ({ file: path }));
    const text = JSON.stringify({ signingKey, formerSigningKeys: [former] });
    const { ready } = await dev('--config', configWith('keys.json', text));
    const { keys } = await (await fetch(`${ready.url}/.well-known/jwks.json`)).json();
    const points = files.map((path) => JSON.parse(readFileSync(path, 'utf8')).x);
    expect(keys.map(({ x }: { x: string }) => x)).toEqual(points);
  });

  it.each([
    [['--config', 'nowhere.json'], /there is no such file/],
    [['--config', 'GAMES', '--game-id', gameId], /leave --game-id out/],
    [['--store', 'mysql://a'], /a store is a file such as/],
    [['--store', ''], /a store is a file such as/],
    [['--faults', 'slow'], /--faults takes some, or shares/],
    [['--faults', 'slow=2'], /--faults takes some, or shares/],
    [['--faults', 'fire=0.1'], /of: slow, 503, lost, offline/],
    [['--faults', 'slow=0.6,lost=0.5'], /must not be more than 1/],
    [['--faults'], /--faults needs a value/],
    [['--seed'], /did you mean --seed-demo\?/],
  ])('answers %j with the way out and exit code 2', async (args, message) => {
    const games = configWith('games.json', JSON.stringify({ games: [{ id: gameId }] }));
    const { code, out, err } = await runCommand([
      'dev',
      '--port',
      '0',
      ...args.map((one) => (one === 'GAMES' ? games : one)),
    ]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });
});

describe('savepoint dev --faults', () => {
  it('refuses requests with 503 and Retry-After, at the share that is asked for', async () => {
    const { ready } = await dev('--faults', '503=1');
    const refused = await post(ready.url, 'guest', {});
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  });

  it('says in its greeting what goes wrong how often', async () => {
    const started = start(file, ['dev', '--port', '0', '--faults', 'slow=0.2,lost=0.05']);
    running.push(started);
    await expect.poll(started.stdout, { timeout: 10_000 }).toContain('createClient(');
    expect(started.stdout()).toMatch(/20 % answered after 2 s, 5 % carried out without an answer/);
  });

  it.each([
    [0.1, '200'],
    [0.3, '503'],
    [0.5, 'no answer, carried out'],
    [0.7, 'no answer'],
    [0.9, '200'],
  ])('draws for %d: %s', async (number, expected) => {
    const store = createMemoryStore();
    const made = createBackend({
      store,
      games: [{ id: demoGame.id, privateKeys: ['a-key'] }],
      random: (size) => new Uint8Array(size).fill(number * 256),
    });
    planFaults(made.control, plansOf(readFaults('slow=0.2,503=0.2,lost=0.2,offline=0.2')));
    const outcome = made.fetch(guest()).then(
      ({ status }) => String(status),
      () => `no answer${store.dump().accounts.length === 1 ? ', carried out' : ''}`,
    );
    if (number < 0.2) {
      // It is held for as long as nobody lets it go.
      expect(await Promise.race([outcome, new Promise((resolve) => setImmediate(resolve, 'held'))])).toBe('held');
      made.control.release();
    }
    expect(await outcome).toBe(expected);
  });

  const guest = () =>
    new Request('http://test/v2/auth/guest', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ game_id: demoGame.id, env: 0, device_id: 'device-one' }),
    });

  it('never fails a page that asks whether it may', async () => {
    const { ready } = await dev('--faults', 'offline=1');
    const headers = { origin: 'http://localhost:1', 'access-control-request-method': 'POST' };
    expect((await fetch(`${ready.url}/v2/auth/guest`, { method: 'OPTIONS', headers })).status).toBe(204);
    await expect(post(ready.url, 'guest', {})).rejects.toThrow(TypeError);
  });
});

describe('openStore', () => {
  it('opens one in memory', async () => {
    const { kind, close } = await openStore('memory');
    expect(kind).toBe('memory');
    await close();
  });

  it('shows no password where it cannot open one', async () => {
    const opened = openStore('postgres://ada:gehe%40im@127.0.0.1:1/savepoint');
    await expect(opened).rejects.toThrow(/the store cannot be opened: /);
    await expect(opened).rejects.not.toThrow(/gehe/);
  });
});
