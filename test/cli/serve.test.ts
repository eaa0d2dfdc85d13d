import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/backend/http/answers.js';
import { createServiceCore } from '../../src/backend/http/service-core.js';
import { trustedAddresses } from '../../src/cli/config/trusted-addresses.js';
import { demoGame } from '../../src/cli/demo.js';
import { createFront } from '../../src/cli/serve/front.js';
import { signRequest } from '../../src/server/index.js';
import { runCommand } from './in-process.js';
import { gameId, privateKey, setUpServe } from './served.js';

const { serve, startProgram, whole, fileWith, folder, signingKey, endAll } = setUpServe();

function post(url: string, path: string, body: object = {}): Promise<Response> {
  return fetch(`${url}/v2/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ game_id: gameId, env: 0, device_id: 'device-geheim', ...body }),
  });
}

/** A configuration whose social network `gate` asks this server, which answers when the test lets it. */
async function gate(): Promise<{ config: string; asked: Promise<ServerResponse>; server: Server }> {
  const server = createServer();
  const asked = once(server, 'request').then(([, response]) => response as ServerResponse);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = fileWith(
    'gate.config.mjs',
    `export default {
      games: [{
        id: '${gameId}',
        privateKeys: [{ env: 'SAVEPOINT_PRIVATE_KEY' }],
        socialPlatforms: { gate: async () => ({ id: await (await fetch('${url}')).text() }) },
      }],
    };`,
  );
  return { config, asked, server };
}

// Windows ends a process that is sent a signal, and tells it nothing.
const signals = process.platform === 'win32' ? [] : (['SIGTERM', 'SIGINT'] as const);

describe('savepoint serve', () => {
  it('names everything that is missing, each with the ways to give it', async () => {
    const { code, out, err } = await runCommand(['serve']);
    expect([code, out]).toEqual([2, '']);
    for (const way of [
      /No game: give --game-id <uuid>, SAVEPOINT_GAME_ID, or games in savepoint\.config/,
      /No private key .*--private-key-file .*savepoint new-key private/,
      /No key to sign tokens with: .*savepoint new-key signing .*--signing-key-file/,
      /No store: give --store .*--store memory/,
    ])
      expect(err).toMatch(way);
  });

  it.each(['SAVEPOINT_GAME_ID', 'SAVEPOINT_PRIVATE_KEY', 'SAVEPOINT_SIGNING_KEY', 'SAVEPOINT_STORE'] as const)(
    'does not start without %s',
    async (name) => {
      const { [name]: _, ...env } = whole();
      const { code, out, err } = await runCommand(['serve'], { env });
      expect([code, out]).toEqual([2, '']);
      expect(err.trimEnd().split('\n')).toHaveLength(2);
      expect(err).toContain(name);
    },
  );

  it.each([
    [{ SAVEPOINT_PRIVATE_KEY: demoGame.privateKey }, [], /the one of savepoint dev, which everybody knows/],
    [{ SAVEPOINT_GAME_ID: 'geheim' }, [], /games\[0\]\.id must be a UUID/],
    [{ SAVEPOINT_SIGNING_KEY: 'geheim' }, [], /must be a JWK/],
    [{ SAVEPOINT_SIGNING_KEY: '{"kty":"oct","k":"geheim"}' }, [], /signingKey must be a private EC P-256 JWK/],
    [{ SAVEPOINT_FORMER_SIGNING_KEYS: 'geheim' }, [], /the former signing keys must be a JWK as JSON, or a list/],
    [{ SAVEPOINT_FORMER_SIGNING_KEYS: '["geheim"]' }, [], /formerSigningKeys must be a list of EC P-256 JWKs/],
    [{}, ['--former-signing-key-file', 'geheim.json'], /--former-signing-key-file: there is no such file/],
    [{ SAVEPOINT_STORE: 'mysql://geheim' }, [], /a store is a file .*, postgres:\/\/…, or memory/],
    [{}, ['--store', 'postgres://ada:geheim@db/savepoint'], /--store must have no password.* SAVEPOINT_STORE/],
    [{}, ['--private-key', 'geheim'], /did you mean --private-key-file/],
    [{}, ['--port', 'geheim'], /port must be a number/],
    [{ SAVEPOINT_TRUSTED_PROXIES: '10.0.0.0/8, geheim' }, [], /trusted proxies must be addresses, or ranges/],
    [{}, ['--allowed-origin', 'https://geheim.example/'], /origins such as https:\/\/game\.example, without a slash/],
    [{ SAVEPOINT_STORE: './nowhere/saves.db' }, [], /no folder \.\/nowhere; make it first \(mkdir -p/],
    [{ SAVEPOINT_STORE: tmpdir() }, [], /is a folder; give a file/],
    [{ SAVEPOINT_STORE: 'postgres://ada:geheim@127.0.0.1:1/a' }, [], /ECONNREFUSED.*: is PostgreSQL running there\?/],
    [{ SAVEPOINT_STORE: 'postgres://ada:geheim/geheim@db/a' }, [], /in a password \/ is written as %2F/],
    [{}, ['--config', tmpdir()], /a configuration is a file whose name ends in \.ts/],
    [{}, ['--drain-limit', 'geheim'], /--drain-limit must be a whole number of seconds/],
    [{}, ['--config', 'geheim.json'], /there is no such file/],
  ])('answers %j %j with the way out, exit code 2 and no secret', async (env, args, message) => {
    const { code, out, err } = await runCommand(['serve', ...args], { env: { ...whole(), ...env } });
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
    expect(err.replaceAll('geheim.json', '')).not.toContain('geheim');
  });

  it('says on stdout, in JSON, that it listens, and on what', async () => {
    const { lines, url } = await serve();
    expect(lines()).toEqual([
      expect.objectContaining({ kind: 'listening', level: 'info', url, store: 'memory', games: [gameId] }),
    ]);
    expect((await post(url, 'guest')).status).toBe(200);
  });

  it('takes its secrets from files too', async () => {
    const { url } = await serve([], {
      env: {
        SAVEPOINT_GAME_ID: gameId,
        SAVEPOINT_PRIVATE_KEY_FILE: fileWith('private', `${privateKey}\n`),
        SAVEPOINT_SIGNING_KEY_FILE: fileWith('signing.json', `${signingKey()}\n`),
        SAVEPOINT_STORE_FILE: fileWith('store', 'memory\n'),
      },
    });
    const body = JSON.stringify({ custom_user_id: 'player-1', device_id: 'device-1', game_id: gameId, env: 0 });
    const { headers } = await signRequest({ privateKey, body });
    expect((await fetch(`${url}/v2/auth/server`, { method: 'POST', headers, body })).status).toBe(200);
  });

  it('signs its tokens with the key that it was given', async () => {
    const { url } = await serve();
    const [key] = (await (await fetch(`${url}/.well-known/jwks.json`)).json()).keys;
    const { x, y } = JSON.parse(signingKey());
    expect(key).toMatchObject({ x, y });
  });

  it('logs each request in one line of JSON, with its id, and without a secret or a query', async () => {
    const { url, lines, stdout, stderr } = await serve();
    const answered = await post(url, 'name', { username: 'ada', password: 'password-geheim' });
    const { accessToken } = await answered.json();
    await fetch(`${url}/v2/cl/games/${gameId}/collections/geheim?env=0&more=geheim`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    const missing = await fetch(`${url}/geheim?token=geheim`);
    await expect.poll(() => lines().length).toBe(4);
    expect(lines().slice(1)).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
        level: 'info',
        kind: 'request',
        id: answered.headers.get('x-request-id'),
        method: 'POST',
        route: '/v2/auth/name',
        game: gameId,
        user: expect.stringMatching(/^[\w-]{16}$/),
        status: 200,
        code: null,
        ms: expect.any(Number),
      },
      expect.objectContaining({ route: '/v2/cl/games/:game/collections/:collection', status: 200 }),
      expect.objectContaining({ id: missing.headers.get('x-request-id'), route: null, status: 404, code: 'not_found' }),
    ]);
    expect(stdout() + stderr()).not.toMatch(/geheim|ey[\w-]+\./);
  });

  it('limits wrong passwords unless the file says otherwise', { timeout: 60_000 }, async () => {
    const { config, server } = await gate();
    server.close();
    const open = fileWith('open.config.json', JSON.stringify({ limits: { rates: false } }));
    /** The answer to the seventh wrong password. */
    const lastOf = async (args: string[]): Promise<number> => {
      const { url } = await serve(args);
      const name = { username: 'ada', password: 'correct horse' };
      expect((await post(url, 'name', name)).status).toBe(200);
      let status = 0;
      for (let tries = 0; tries < 7; tries += 1)
        ({ status } = await post(url, 'name', { ...name, password: 'wrong horse' }));
      return status;
    };
    // At once, since what takes long is the work on the passwords.
    const lasts = await Promise.all([lastOf([]), lastOf(['--config', config]), lastOf(['--config', open])]);
    expect(lasts).toEqual([429, 429, 401]);
  });

  it('believes the proxies that it was told of, and no others', async () => {
    const open = fileWith('few.config.json', JSON.stringify({ limits: { rates: { newGuestsPerAddressPerHour: 1 } } }));
    const guests = async (url: string) => {
      const statuses = [];
      for (const player of ['203.0.113.1', '203.0.113.2']) {
        const response = await fetch(`${url}/v2/auth/guest`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': player },
          body: JSON.stringify({ game_id: gameId, env: 0, device_id: `device-of-${player}` }),
        });
        statuses.push(response.status);
      }
      return statuses;
    };
    expect(await guests((await serve(['--config', open])).url)).toEqual([200, 429]);
    expect(await guests((await serve(['--config', open, '--trusted-proxy', '127.0.0.0/8'])).url)).toEqual([200, 200]);
  });

  it('lets the pages call it that it was told of', async () => {
    const { url } = await serve(['--allowed-origin', 'https://a.example', '--allowed-origin', 'https://b.example']);
    for (const [origin, allowed] of [
      ['https://b.example', 'https://b.example'],
      ['https://c.example', null],
    ] as const) {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const { headers: answered } = await fetch(`${url}/v2/auth/guest`, { method: 'OPTIONS', headers });
      expect(answered.get('access-control-allow-origin')).toBe(allowed);
    }
  });

  it('takes the usual file of its folder', async () => {
    const cwd = mkdtempSync(join(folder(), 'usual-'));
    const text = JSON.stringify({ games: [{ id: gameId, privateKeys: [{ env: 'ARCADE_KEY' }] }], issuer: 'arcade' });
    writeFileSync(join(cwd, 'savepoint.config.json'), text);
    const env = { SAVEPOINT_SIGNING_KEY: signingKey(), SAVEPOINT_STORE: 'memory' };
    const failed = startProgram(['serve', '--port', '0'], { env, cwd });
    expect(await failed.ended).toBe(2);
    expect(failed.stderr()).toContain('games[0].privateKeys: the variable ARCADE_KEY is not set');
    const { url } = await serve([], { env: { ...env, ARCADE_KEY: privateKey }, cwd });
    const { accessToken } = await (await post(url, 'guest')).json();
    expect(JSON.parse(Buffer.from(accessToken.split('.')[1], 'base64url').toString()).iss).toBe('arcade');
  });

  it.each([
    ['{"gaems":[]}', /there is no gaems; did you mean games\?/],
    [
      '{"games":[{"id":"a","privatKeys":[]}]}',
      /there is no games\[0\]\.privatKeys; did you mean games\[0\]\.privateKeys\?/,
    ],
    ['{"limits":{"rate":true}}', /there is no limits\.rate; did you mean limits\.rates\?/],
    ['{"games":{}}', /games must be a list/],
    ['[]', /must export a configuration/],
    ['{"formerSigningKeys":{"env":"OLD_KEY"}}', /formerSigningKeys must be a list/],
    ['{"formerSigningKeys":[{"env":"OLD_KEY"}]}', /formerSigningKeys\[0\]: the variable OLD_KEY is not set/],
    ['{"formerSigningKeys":[{"file":"geheim.jwk"}]}', /formerSigningKeys\[0\]: there is no such file/],
    ['{"games":[{"privateKeys":["geheim"', /is no JSON/],
    [JSON.stringify({ games: [{ id: gameId }, { id: gameId }] }), /No private key of games\[0\]/],
    [
      JSON.stringify({ games: [{ id: gameId }, { id: gameId, privateKeys: ['a-key'] }] }),
      /games\[1\]\.id must be of one game only/,
    ],
  ])('refuses the configuration %j', async (text, message) => {
    const { code, err } = await runCommand(['serve', '--config', fileWith('bad.json', text)], { env: whole() });
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(err).not.toContain('geheim');
  });

  it.each([
    ['\nthrow new Error("broken")', /bad\.mjs cannot be loaded \(line 2\): broken/],
    ['throw "geheim"', /bad\.mjs cannot be loaded: it throws what is no Error/],
    ['export default Promise.reject(new Error("broken"))', /bad\.mjs cannot be loaded \(line 1\): broken/],
    ['import "a-package"', /bad\.mjs cannot be loaded: it needs the package a-package: npm install a-package/],
    ['export const config = {}', /bad\.mjs must export a configuration as its default/],
  ])('refuses the module %j', async (text, message) => {
    const failed = startProgram(['serve', '--config', fileWith('bad.mjs', text)]);
    expect(await failed.ended).toBe(2);
    expect(failed.stderr()).toMatch(message);
  });

  it('reads a configuration in TypeScript where Node does, and says what to do where it does not', async () => {
    const text = `const issuer: string = 'typed'; export default { games: [{ id: '${gameId}' }], issuer };`;
    const args = ['--config', fileWith('savepoint.config.ts', text)];
    if ('typescript' in process.features && process.features.typescript) {
      const { url } = await serve(args);
      expect((await post(url, 'guest')).status).toBe(200);
    } else {
      const { code, err } = await runCommand(['serve', ...args], { env: whole() });
      expect(code).toBe(2);
      expect(err).toMatch(/cannot read savepoint\.config\.ts: make it savepoint\.config\.mjs .*Node 22\.18/);
    }
    rmSync(join(folder(), 'savepoint.config.ts'));
  });

  it('says of a taken port that it is taken', async () => {
    const { url } = await serve();
    const second = startProgram(['serve', '--port', new URL(url).port]);
    expect(await second.ended).toBe(2);
    expect(second.stderr()).toMatch(/is taken/);
  });
});

describe('the signing key of savepoint serve', () => {
  const newKey = async () => (await runCommand(['new-key', 'signing'])).out;
  const signIn = async (url: string) => (await post(url, 'guest')).json();
  const refresh = (url: string, player: { refreshToken: string }) =>
    post(url, 'refresh', { refresh_token: player.refreshToken });
  const publishedBy = async (url: string): Promise<unknown[]> => {
    const { keys } = await (await fetch(`${url}/.well-known/jwks.json`)).json();
    return keys.map(({ x }: { x: string }) => x);
  };

  it('can be changed, and players stay signed in where the old one is given as a former one', async () => {
    const env = { ...whole(), SAVEPOINT_STORE: join(folder(), 'rotated.db') };
    const changed = { ...env, SAVEPOINT_SIGNING_KEY: await newKey() };
    const statuses: number[] = [];
    const first = await serve([], { env });
    const player = await signIn(first.url);
    for (const next of [{ ...changed, SAVEPOINT_FORMER_SIGNING_KEYS: signingKey() }, changed]) {
      await endAll();
      statuses.push((await refresh((await serve([], { env: next })).url, player)).status);
    }
    expect(statuses).toEqual([200, 401]);
  });

  it('has its former ones from the command line, else the environment, else the configuration', async () => {
    const [a = '', b = '', c = '', d = ''] = await Promise.all(Array.from({ length: 4 }, newKey));
    const xOf = (...keys: string[]) => keys.map((key) => JSON.parse(key).x);
    const inEnvironment = { SAVEPOINT_FORMER_SIGNING_KEYS_FILE: fileWith('former.json', `[${b},${c}]`) };
    const text = JSON.stringify({ formerSigningKeys: [{ env: 'OLD_KEY' }, { file: fileWith('d.json', d) }] });
    const config = ['--config', fileWith('former.config.json', text)];
    for (const [args, more, former] of [
      [config, { OLD_KEY: `[${a},${b}]` }, xOf(a, b, d)],
      [config, inEnvironment, xOf(b, c)],
      [
        [
          ...config,
          ...['a', 'd'].flatMap((name) => [
            '--former-signing-key-file',
            fileWith(`${name}.json`, name === 'a' ? a : d),
          ]),
        ],
        inEnvironment,
        xOf(a, d),
      ],
    ] as const) {
      const { url } = await serve(args, { env: { ...whole(), ...more } });
      expect(await publishedBy(url)).toEqual([...xOf(signingKey()), ...former]);
    }
  });
});

describe('/health', () => {
  it('answers 200 while the store does', async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/health`);
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok', store: 'reachable' }]);
  });

  it.each(['Promise.reject(new Error("gone"))', 'new Promise(() => {})'])(
    'answers 503 where the store gives %s',
    async (answer) => {
      const config = fileWith(
        'gone.config.mjs',
        `const ask = () => ${answer};\nexport default { store: { endSession: ask, findSession: ask } };`,
      );
      const { SAVEPOINT_STORE: _, ...env } = whole();
      const { url } = await serve(['--config', config], { env });
      for (const path of ['/health', '/health/ready']) {
        const response = await fetch(`${url}${path}`);
        const unwell = { status: 'unavailable', store: 'unreachable' };
        expect([response.status, await response.json()]).toEqual([503, unwell]);
      }
      expect((await fetch(`${url}/health/live`)).status).toBe(200);
    },
  );
});

describe.each(signals)('%s', (signal) => {
  it('ends it with 0 where nothing runs', async () => {
    const { child, ended, lines, stderr } = await serve();
    child.kill(signal);
    expect([await ended, stderr()]).toEqual([0, '']);
    expect(lines().map(({ kind }) => kind)).toEqual(['listening', 'draining', 'stopped']);
  });

  it('lets what runs end, says so at /health, and refuses what is new', async () => {
    const { config, asked, server } = await gate();
    const { child, ended, url, lines } = await serve(['--config', config]);
    const held = post(url, 'social', { token: 'a-token', platform: 'gate' });
    const network = await asked;
    child.kill(signal);
    await expect.poll(async () => (await fetch(`${url}/health/ready`)).status).toBe(503);
    for (const path of ['/health', '/health/ready'])
      expect((await (await fetch(`${url}${path}`)).json()).status).toBe('draining');
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    const refused = await post(url, 'guest');
    expect([refused.status, (await refused.json()).code]).toEqual([503, 'unavailable']);
    expect(refused.headers.get('retry-after')).toBe('1');

    network.end('player-1');
    expect((await held).status).toBe(200);
    expect(await ended).toBe(0);
    expect(lines().find(({ kind }) => kind === 'draining').running).toBe(1);
    server.close();
  });

  it('waits no longer than it may', async () => {
    const { config, asked, server } = await gate();
    const { child, ended, url } = await serve(['--config', config, '--drain-limit', '0']);
    const held = post(url, 'social', { token: 'a-token', platform: 'gate' });
    held.catch(() => {});
    const network = await asked;
    child.kill(signal);
    expect(await ended).toBe(0);
    await expect(held).rejects.toThrow();
    network.end();
    server.close();
  });

  it('goes on to serve while it gives notice', async () => {
    const { child, url, ended } = await serve(['--drain-notice', '60']);
    child.kill(signal);
    await expect.poll(async () => (await fetch(`${url}/health`)).status).toBe(503);
    expect((await post(url, 'guest')).status).toBe(200);
    // Who asks twice does not want to wait.
    child.kill(signal);
    expect(await ended).toBe(signal === 'SIGTERM' ? 143 : 130);
  });
});

describe('createFront', () => {
  it('gives a port the answer itself, so that nobody makes a Response of it', async () => {
    const given: Answer = { status: 204, headers: new Map(), body: null };
    const front = createFront({
      service: createServiceCore(async () => given),
      health: { writes: async () => true, reads: async () => true },
      warnings: () => [],
      log: () => {},
      now: Date.now,
      wait: async () => {},
    });
    const { answer } = front.core;
    expect(front.core.fetch).toBe(front.fetch);
    expect(await answer(new Request('http://saves.test/v2/auth/guest'), {})).toBe(given);
    const health = await answer(new Request('http://saves.test/health'), {});
    expect([health.status, health.body]).toEqual([200, '{"status":"ok","store":"reachable"}']);
  });
});

describe('trustedAddresses', () => {
  const isTrusted = trustedAddresses(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32']);

  it.each(['10.1.2.3', '192.0.2.1', '2001:db8:1::7'])('holds %s', (address) => {
    expect(isTrusted(address)).toBe(true);
  });

  it.each(['11.0.0.1', '192.0.2.2', '2001:db9::1', '', 'localhost', '10.0.0.0/8'])('does not hold %j', (address) => {
    expect(isTrusted(address)).toBe(false);
  });

  it.each(['10.0.0.0/33', '10.0.0/8', '::/129', 'proxy', '10.0.0.0/', '10.0.0.0/8/8', ''])('refuses %j', (entry) => {
    expect(() => trustedAddresses([entry])).toThrow(/must be addresses/);
  });
});
