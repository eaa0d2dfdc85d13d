import { chmodSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReloads } from '../../src/cli/serve/reloads.js';
import { signRequest } from '../../src/server/index.js';
import { runCommand } from './in-process.js';
import { gameId, privateKey, type Served, setUpServe } from './served.js';

const { serve, whole, fileWith, folder, endAll } = setUpServe();
const newSigningKey = async (): Promise<string> => (await runCommand(['new-key', 'signing'])).out.trim();

/** A service whose keys and limits stand in files. */
async function serveByFiles(config: object = {}, env: { [name: string]: string } = {}): Promise<Served> {
  fileWith('private', privateKey);
  fileWith('signing.json', whole().SAVEPOINT_SIGNING_KEY);
  fileWith('former.json', '[]');
  return serve(['--config', fileWith('reload.config.json', JSON.stringify({ ...usual, ...config }))], { env });
}

const usual = {
  games: [{ id: gameId, privateKeys: [{ file: 'private' }] }],
  signingKey: { file: 'signing.json' },
  formerSigningKeys: [{ file: 'former.json' }],
  store: 'memory',
};

/** Asks for a reload, and answers what the log says of it. */
async function reload({ child, lines }: Served): Promise<Record<string, unknown>> {
  const ofReloads = (): Record<string, unknown>[] =>
    lines().filter(({ kind }) => kind === 'reloaded' || kind === 'reload_refused');
  const before = ofReloads().length;
  child.kill('SIGHUP');
  await expect.poll(() => ofReloads().length, { timeout: 10_000, interval: 5 }).toBeGreaterThan(before);
  return ofReloads().at(-1) ?? {};
}

async function guest(url: string, device: string): Promise<string> {
  const body = JSON.stringify({ game_id: gameId, env: 0, device_id: device });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v2/auth/guest`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  return (await answer.json()).accessToken;
}

async function read(url: string, token: string): Promise<number> {
  const answer = await fetch(`${url}/v2/auth/account`, { headers: { authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  return answer.status;
}

async function signedBy(key: string, url: string): Promise<number> {
  const body = JSON.stringify({ custom_user_id: 'player-1', device_id: 'device-1', game_id: gameId, env: 0 });
  const { headers } = await signRequest({ privateKey: key, body });
  return (await fetch(`${url}/v2/auth/server`, { method: 'POST', headers, body })).status;
}

/** Windows knows no SIGHUP that a program could send. */
describe.each(process.platform === 'win32' ? [] : ['SIGHUP'])('savepoint serve on %s', () => {
  it('changes its keys ten times under requests, of which none fails', async () => {
    const served = await serveByFiles();
    const statuses = new Map<number, number>();
    let isOver = false;
    const token = await guest(served.url, 'device-of-all');
    const asking = Array.from({ length: 8 }, async (_, at) => {
      while (!isOver) {
        const status = at % 2 === 0 ? await read(served.url, token) : await signedBy(privateKey, served.url);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    const keys = [JSON.parse(whole().SAVEPOINT_SIGNING_KEY)];
    for (let times = 0; times < 10; times += 1) {
      fileWith('former.json', JSON.stringify(keys));
      const next = await newSigningKey();
      fileWith('signing.json', next);
      const told = await reload(served);
      keys.unshift(JSON.parse(next));
      expect(told).toMatchObject({ kind: 'reloaded', level: 'info', games: [gameId] });
      expect(told['signingKeys']).toHaveLength(times + 2);
      const published = (await (await fetch(`${served.url}/.well-known/jwks.json`)).json()).keys;
      expect(published.map(({ kid }: { kid: string }) => kid)).toEqual(told['signingKeys']);
    }
    isOver = true;
    await Promise.all(asking);
    expect([...statuses.keys()]).toEqual([200]);
    expect(served.stdout()).not.toContain(privateKey);
    for (const { d } of keys) expect(served.stdout()).not.toContain(d);
  });

  it('takes a token of a new key, and none of one that was removed', async () => {
    const served = await serveByFiles();
    const ofFirst = await guest(served.url, 'device-1');
    fileWith('former.json', `[${whole().SAVEPOINT_SIGNING_KEY}]`);
    fileWith('signing.json', await newSigningKey());
    await reload(served);
    const ofSecond = await guest(served.url, 'device-1');
    expect([await read(served.url, ofFirst), await read(served.url, ofSecond)]).toEqual([200, 200]);
    fileWith('former.json', '[]');
    await reload(served);
    expect([await read(served.url, ofFirst), await read(served.url, ofSecond)]).toEqual([401, 200]);
  });

  it("takes a game's new private key, and its former one no longer", async () => {
    const served = await serveByFiles();
    expect([await signedBy(privateKey, served.url), await signedBy('private-new-9876', served.url)]).toEqual([
      200, 401,
    ]);
    fileWith('private', 'private-new-9876');
    await reload(served);
    expect([await signedBy(privateKey, served.url), await signedBy('private-new-9876', served.url)]).toEqual([
      401, 200,
    ]);
  });

  it('refuses what is wrong with one line that says why, and goes on as before', async () => {
    const served = await serveByFiles();
    const token = await guest(served.url, 'device-1');
    const config = (text: string): string => fileWith('reload.config.json', text);
    for (const [text, why] of [
      ['{ geheim', /reload\.config\.json is no JSON/],
      [JSON.stringify({ ...usual, limits: { valueBytes: -1 } }), /limits\.valueBytes must be an integer from 1 up/],
      [JSON.stringify({ ...usual, sotre: 'geheim' }), /there is no sotre; did you mean store\?/],
      [JSON.stringify({ ...usual, signingKey: { kty: 'EC', crv: 'P-256', x: 'geheim', y: 'b', d: 'c' } }), /\S/],
    ] as const) {
      config(text);
      const told = await reload(served);
      expect(told).toMatchObject({ kind: 'reload_refused', level: 'error' });
      expect(told['message']).toMatch(why);
    }
    config(JSON.stringify(usual));
    rmSync(`${folder()}/private`);
    expect(await reload(served)).toMatchObject({ message: expect.stringMatching(/there is no such file/) });
    expect([await read(served.url, token), await signedBy(privateKey, served.url)]).toEqual([200, 200]);
    expect(served.stdout()).not.toContain('geheim');
  });

  it('goes on with what was in force where the file is gone, a folder, or may not be read', async () => {
    chmodSync(folder(), 0o755);
    // Root may read everything.
    const becomeNobody = 'data:text/javascript,process.setgid(65534);process.setuid(65534)';
    const env = process.getuid?.() === 0 ? { NODE_OPTIONS: `--import ${becomeNobody}` } : {};
    const served = await serveByFiles({}, env);
    const token = await guest(served.url, 'device-1');
    const file = join(folder(), 'reload.config.json');
    const secret = join(folder(), 'private');
    const isRefused = async (message: string): Promise<void> => {
      const goesOn = 'with the former configuration';
      expect(await reload(served)).toMatchObject({ kind: 'reload_refused', level: 'error', message, goesOn });
      expect([await read(served.url, token), await signedBy(privateKey, served.url)]).toEqual([200, 200]);
    };
    for (const [path, name] of [
      [file, 'reload.config.json'],
      [secret, 'games[0].privateKeys'],
    ] as const) {
      chmodSync(path, 0o000);
      await isRefused(`${name}: the file may not be read`);
      chmodSync(path, 0o644);
      renameSync(path, `${path}.away`);
      await isRefused(`${name}: there is no such file`);
      mkdirSync(path);
      await isRefused(`${name}: that is a folder`);
      rmdirSync(path);
      renameSync(`${path}.away`, path);
      expect(await reload(served)).toMatchObject({ kind: 'reloaded', level: 'info' });
    }
  });

  it('takes two hundred in a row under requests, with a file that is broken, gone and whole again', async () => {
    const served = await serveByFiles();
    const token = await guest(served.url, 'device-1');
    const file = join(folder(), 'reload.config.json');
    const whole = readFileSync(file, 'utf8');
    const statuses = new Map<number, number>();
    let isOver = false;
    const asking = Array.from({ length: 8 }, async (_, at) => {
      while (!isOver) {
        const status = at % 2 === 0 ? await read(served.url, token) : await signedBy(privateKey, served.url);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    for (let times = 0; times < 200; times += 1) {
      if (times % 3 === 0) rmSync(file, { force: true });
      else writeFileSync(file, times % 3 === 1 ? whole.slice(0, times) : whole);
      served.child.kill('SIGHUP');
      await new Promise((resolve) => setImmediate(resolve));
    }
    fileWith('private', 'private-new-9876');
    writeFileSync(file, whole);
    // The first lines that come may still be of files as they were before.
    const signedAfterReload = async (): Promise<number> => {
      await reload(served);
      return signedBy('private-new-9876', served.url);
    };
    await expect.poll(signedAfterReload, { timeout: 10_000 }).toBe(200);
    isOver = true;
    await Promise.all(asking);
    // Who signs with a key of before is refused from the last one on, and nobody else ever.
    expect(statuses.get(200)).toBeGreaterThan(8);
    statuses.delete(200);
    statuses.delete(401);
    expect([...statuses]).toEqual([]);
    const of = (kind: string): number => served.lines().filter((line) => line.kind === kind).length;
    expect([of('reloaded') > 0, of('reload_refused') > 0, of('listening')]).toEqual([true, true, 1]);
  });

  it('says what only a restart changes, and changes the rest', async () => {
    const served = await serveByFiles();
    const token = await guest(served.url, 'device-1');
    const others = {
      port: 1,
      store: './others.db',
      limits: { writeMs: 5_000, maxConnections: 3, rates: { readsPerAccount: { tries: 1, windowMs: 60_000 } } },
    };
    fileWith('reload.config.json', JSON.stringify({ ...usual, ...others }));
    expect(await reload(served)).toMatchObject({
      kind: 'reloaded',
      level: 'warn',
      onlyAfterRestart: ['store', 'limits of the port', 'limits of PostgreSQL'],
    });
    expect([await read(served.url, token), await read(served.url, token)]).toEqual([200, 429]);
    // The same rates once more: what was counted still counts.
    expect(await reload(served)).toMatchObject({ kind: 'reloaded' });
    expect(await read(served.url, token)).toBe(429);
  });

  it.each(['mjs', 'cjs-in.js'])('reads a configuration in JavaScript as it is now (%s)', async (ending) => {
    const isModule = ending === 'mjs';
    const written = (origin: string): string =>
      fileWith(
        `reload.config.${ending}`,
        `${isModule ? 'export default' : 'module.exports ='} { allowedOrigins: ['${origin}'] };`,
      );
    const served = await serve(['--config', written('https://one.example')], { env: whole() });
    const allows = async (origin: string): Promise<boolean> => {
      const answer = await fetch(`${served.url}/v2/auth/guest`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      return answer.headers.get('access-control-allow-origin') === origin;
    };
    expect([await allows('https://one.example'), await allows('https://two.example')]).toEqual([true, false]);
    written('https://two.example');
    await reload(served);
    expect([await allows('https://one.example'), await allows('https://two.example')]).toEqual([false, true]);
  });

  it('does not open a store again that the configuration opens itself', async () => {
    const config = fileWith(
      'given.config.mjs',
      `const nothing = async () => null;
      export default { store: new Proxy({}, { get: (_, name) => (name === 'then' ? undefined : nothing) }) };`,
    );
    const { SAVEPOINT_STORE: _, ...env } = whole();
    const served = await serve(['--config', config], { env });
    expect(await reload(served)).toMatchObject({
      kind: 'reload_refused',
      message: expect.stringMatching(/opens its store itself/),
    });
  });

  it('drains as ever after it', async () => {
    const served = await serveByFiles();
    await reload(served);
    await endAll();
    expect(served.lines().at(-1)).toMatchObject({ kind: 'stopped' });
  });
});

describe('reloads', () => {
  it('carry out one after another, and what is asked for meanwhile once more', async () => {
    const lines: string[] = [];
    const reloads = createReloads({ out: (line) => lines.push(line), now: () => 0 });
    const ends: (() => void)[] = [];
    reloads.ask();
    expect(ends).toHaveLength(0);
    reloads.begin(() => new Promise((resolve) => ends.push(() => resolve({ at: ends.length }))));
    expect(ends).toHaveLength(1);
    for (let times = 0; times < 3; times += 1) reloads.ask();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await expect.poll(() => ends.length).toBe(2);
    const ended = reloads.end();
    reloads.ask();
    ends[1]?.();
    await ended;
    expect(ends).toHaveLength(2);
    expect(lines.map((line) => JSON.parse(line).kind)).toEqual(['reloaded', 'reloaded']);
  });
});
