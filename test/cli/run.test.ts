import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { isLoopbackOrigin } from '../../src/cli/demo.js';
import { logLine } from '../../src/cli/dev/log-line.js';
import { run } from '../../src/cli/run.js';

let stop = new AbortController();

/** Runs a command; what it writes can be read while it runs. */
function command(...argv: string[]) {
  const written = { out: '', err: '' };
  const code = run(argv, {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    input: async () => null,
    env: {},
    wait: async () => {},
    stop: stop.signal,
    onHangUp: () => {},
    version: '1.2.3',
    consoleFolder: 'nowhere',
    templatesFolder: 'nowhere',
  });
  const ready = async (): Promise<string> => {
    await expect.poll(() => written.out + written.err, { timeout: 10_000 }).toContain('\n');
    return written.out;
  };
  return { written, code, ready };
}

async function ended(...argv: string[]) {
  const { written, code } = command(...argv);
  return { code: await code, ...written };
}

afterEach(() => {
  stop.abort();
  stop = new AbortController();
});

describe('savepoint', () => {
  it.each([['--help'], ['-h'], ['help']])('shows with %s what it can do', async (...argv) => {
    const { code, out, err } = await ended(...argv);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/dev {2,}start the whole service/);
  });

  it.each([
    ['help', 'dev'],
    ['dev', '--help'],
    ['dev', '-h', '--port', '1'],
  ])('shows with %s %s the options of dev', async (...argv) => {
    const { code, out, err } = await ended(...argv);
    expect([code, err]).toEqual([0, '']);
    for (const option of ['--port', '--host', '--game-id', '--private-key', '--json', '--rate-limits'])
      expect(out).toContain(option);
  });

  it.each([
    ['dev', ['--store', '--config', '--seed-demo', '--faults', '-- <command>']],
    ['serve', ['--config', '--store', '--signing-key-file', 'SAVEPOINT_SIGNING_KEY', '/health']],
    ['check', ['--game-id', '--private-key-file', '--quick', 'SAVEPOINT_PRIVATE_KEY']],
    ['sign', ['--private-key-file', '--curl', '--auth-url', 'SAVEPOINT_PRIVATE_KEY']],
    ['migrate', ['--store', '--config', 'SAVEPOINT_STORE']],
    ['init', ['--template', 'vanilla|phaser|react|svelte', 'npm run dev']],
    ['new-key', ['signing', 'private', '--out']],
  ])('shows what there is to know on %s, within 120 characters a line', async (name, parts) => {
    for (const argv of [
      ['help', name],
      [name, '--help'],
    ]) {
      const { code, out, err } = await ended(...argv);
      expect([code, err]).toEqual([0, '']);
      for (const part of parts) expect(out).toContain(part);
      for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
    }
    expect((await ended('--help')).out).toContain(`  ${name} `);
  });

  it.each([['--version'], ['-v']])('says its version with %s', async (...argv) => {
    expect(await ended(...argv)).toEqual({ code: 0, out: '1.2.3\n', err: '' });
  });

  it.each([
    [[], /savepoint dev/],
    [['server'], /no command "server"/],
    [['sing'], /no command "sing"; did you mean sign\?/],
    [['DEV'], /no command/],
    [['--port', '1'], /no option "--port"/],
    [['--key=geheim'], /no option "--key"/],
    [['help', 'me'], /no help on "me"/],
    [['dev', '--prot', '1'], /no option --prot; did you mean --port\?/],
    [['dev', '--quiet'], /no option --quiet \(see/],
    [['migrate'], /No store/],
    [['migrate', '--store', 'memory'], /in memory has no schema/],
    [['migrate', '--store', 'postgres://a:geheim@b/c'], /--store must have no password/],
    [['new-key'], /new-key needs signing, private, operator or sealing/],
    [['new-key', 'geheim'], /say which: savepoint new-key signing/],
    [['dev', '-p', '1'], /no option -p/],
    [['dev', '--port'], /--port needs a value/],
    [['dev', '--port', '--json'], /--port needs a value/],
    [['dev', '--json=yes'], /--json takes no value/],
    [['dev', 'now'], /options only/],
    [['dev', '--'], /behind -- comes a command/],
    [['dev', '--port', 'http'], /--port must be a number/],
    [['dev', '--port', '65536'], /--port must be a number/],
    [['dev', '--port', '-1'], /--port/],
    [['dev', '--port', '1e3'], /--port must be a number/],
    [['dev', '--port', ''], /--port must be a number/],
    [['dev', '--host', ' '], /--host/],
    [['dev', '--port', '0', '--host', '203.0.113.1'], /203\.0\.113\.1 is no address of this machine/],
    [['dev', '--game-id', 'demo'], /--game-id must be a UUID/],
    [['dev', '--private-key', ''], /--private-key must not be empty/],
    [['dev', '--private-key', ' key'], /--private-key/],
  ])('answers %j with one clear line and exit code 2', async (argv, message) => {
    const { code, out, err } = await ended(...argv);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
    expect(err).toMatch(/^savepoint: [^\n]+\n$/);
  });

  it('shows no private key where the command line is wrong', async () => {
    const { err } = await ended('dev', '--private-key', 'geheim', '--private-kye=geheim', 'geheim');
    expect(err).not.toContain('geheim');
    expect((await ended('dev', '--private-key', 'geheim', 'geheim')).err).not.toContain('geheim');
    expect((await ended('dev', '--private-key', 'geheim ')).err).not.toContain('geheim');
  });

  it('says of a taken port that it is taken, and exits with 2', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const { code, out, err } = await ended('dev', '--port', String(port), '--json');
    other.close();
    expect([code, out]).toEqual([2, '']);
    expect(err).toBe(`savepoint: Port ${port} of 127.0.0.1 is taken. Take another one: savepoint dev --port 0\n`);
  });
});

describe('savepoint dev', () => {
  it('prints with --json exactly one line once it is ready, and nothing more', async () => {
    const { written, code, ready } = command('dev', '--port', '0', '--json');
    const line = await ready();
    expect(line).toMatch(/^\{.*\}\n$/);
    const said = JSON.parse(line);
    expect(Object.keys(said)).toEqual(['url', 'baseUrl', 'authUrl', 'consoleUrl', 'gameId', 'privateKey']);
    expect(said.baseUrl).toBe(said.url);
    expect(said.authUrl).toBe(said.url);
    expect(said.privateKey).toMatch(/demo/);
    expect((await fetch(`${said.url}/.well-known/jwks.json`)).status).toBe(200);
    stop.abort();
    expect(await code).toBe(0);
    expect(written.out).toBe(line);
  });

  it('uses the game and the key that are given', async () => {
    const id = '3FA85F64-5717-4562-B3FC-2C963F66AFA6';
    const said = JSON.parse(
      await command('dev', '--port', '0', '--json', '--game-id', id, '--private-key=my-own-key').ready(),
    );
    expect(said).toMatchObject({ gameId: id.toLowerCase(), privateKey: 'my-own-key' });
    const guest = await signIn(said);
    const saves = `${said.url}/v2/pr/games/${id}/saves/${guest.userId}/collections/hero?env=0`;
    expect((await fetch(saves, { headers: { authorization: 'Bearer my-own-key' } })).status).toBe(200);
    expect(
      (await fetch(saves, { headers: { authorization: 'Bearer demo-private-key-for-development-only' } })).status,
    ).toBe(401);
  });

  it('greets with what can be tried, and leaves a key that was given out', async () => {
    const greeting = await command('dev', '--port', '0').ready();
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(greeting)?.[0];
    for (const part of [`Address       ${url}`, 'Game id', 'demo-private-key', 'curl -s -X POST', 'createClient('])
      expect(greeting).toContain(part);
    stop.abort();
    stop = new AbortController();
    expect(await command('dev', '--port', '0', '--private-key', 'geheim').ready()).not.toContain('geheim');
  });

  it('lets pages of this machine call it, and no others', async () => {
    const { url } = JSON.parse(await command('dev', '--port', '0', '--json').ready());
    const allowed = async (origin: string) => {
      const headers = { origin, 'access-control-request-method': 'POST' };
      return (await fetch(`${url}/v2/auth/guest`, { method: 'OPTIONS', headers })).headers.get(
        'access-control-allow-origin',
      );
    };
    expect(await allowed('http://localhost:5173')).toBe('http://localhost:5173');
    expect(await allowed('https://game.example')).toBeNull();
  });

  it('has a social network for development', async () => {
    const said = JSON.parse(await command('dev', '--port', '0', '--json').ready());
    const social = (token: string) => post(said, 'social', { device_id: 'device-two', token });
    const [first, again] = [await social('demo:ada'), await social('demo:ada')];
    expect((await first.json()).userId).toBe((await again.json()).userId);
    expect((await social('ada')).status).toBe(401);
  });

  it.each([
    ['has no rate limits', [], 401],
    ['has rate limits where they are asked for', ['--rate-limits'], 429],
  ])('%s', async (_, more, status) => {
    const said = JSON.parse(await command('dev', '--port', '0', '--json', ...more).ready());
    const name = { username: 'ada', password: 'correct horse' };
    expect((await post(said, 'name', name)).status).toBe(200);
    let last = 0;
    for (let tries = 0; tries < 7; tries += 1)
      last = (await post(said, 'name', { ...name, password: 'wrong horse' })).status;
    expect(last).toBe(status);
  });

  it('logs each request in one line without a secret', async () => {
    const { written, ready } = command('dev', '--port', '0', '--json', '--private-key', 'private-geheim');
    const said = JSON.parse(await ready());
    const guest = await signIn(said, 'device-geheim');
    await post(said, 'name', { username: 'ada', password: 'password-geheim' });
    await fetch(`${said.url}/v2/cl/games/${said.gameId}/collections/geheim?env=0`, {
      headers: { authorization: `Bearer ${guest.accessToken}` },
    });
    await fetch(`${said.url}/geheim?token=geheim`);
    await expect.poll(() => written.err.split('\n').length).toBe(5);
    const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /;
    const lines = written.err.trim().split('\n');
    for (const line of lines) expect(line).toMatch(time);
    expect(lines.map((line) => line.replace(time, '').replace(/\d+ ms/, '_ ms'))).toEqual([
      'POST /v2/auth/guest 200 _ ms',
      'POST /v2/auth/name 200 _ ms',
      'GET /v2/cl/games/:game/collections/:collection 200 _ ms',
      'GET (no such address) 404 _ ms not_found',
    ]);
    expect(written.err).not.toMatch(/geheim|ey[\w-]+\./);
  });
});

describe('isLoopbackOrigin', () => {
  it.each([
    'http://localhost',
    'http://localhost:5173',
    'https://127.0.0.1:1',
    'http://[::1]:80',
    'http://game.localhost',
    'http://127.1.2.3',
    'http://[::ffff:127.0.0.1]:3000',
    'http://LOCALHOST.:3000',
  ])('takes %s', (origin) => {
    expect(isLoopbackOrigin(origin)).toBe(true);
  });

  it.each([
    'null',
    '',
    'http://localhost.evil.example',
    'http://evil.example/localhost',
    'http://notlocalhost',
    'http://127.0.0.1.evil.example',
    'http://128.0.0.1',
    'http://[::ffff:128.0.0.1]',
    'http://[::2]',
    'http://.localhost.example',
    'file://localhost',
    'localhost',
  ])('refuses %j', (origin) => {
    expect(isLoopbackOrigin(origin)).toBe(false);
  });
});

describe('logLine', () => {
  it('says where there was no answer', () => {
    const record = {
      kind: 'request',
      time: 0,
      requestId: 'r',
      method: 'GET',
      route: '/a',
      game: null,
      user: null,
      status: null,
      code: null,
      ms: 1,
    } as const;
    expect(logLine(record)).toBe('1970-01-01T00:00:00.000Z GET /a no answer 1 ms\n');
  });

  it('keeps an error in one line', () => {
    const record = { kind: 'error', time: 0, requestId: null, name: 'Error', message: 'a\n  b', stack: null } as const;
    expect(logLine(record)).toBe('1970-01-01T00:00:00.000Z error Error: a b\n');
  });
});

describe('the demo game', () => {
  it('is the one of the example', async () => {
    const demo = JSON.parse(readFileSync(new URL('../../examples/web-game/demo.json', import.meta.url), 'utf8'));
    expect(JSON.parse(await command('dev', '--port', '0', '--json').ready()).gameId).toBe(demo.gameId);
  });
});

function post({ url, gameId }: { url: string; gameId: string }, path: string, body: object): Promise<Response> {
  return fetch(`${url}/v2/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ game_id: gameId, env: 0, device_id: 'device-one', ...body }),
  });
}

async function signIn(said: { url: string; gameId: string }, device = 'device-one') {
  return (await post(said, 'guest', { device_id: device })).json();
}
