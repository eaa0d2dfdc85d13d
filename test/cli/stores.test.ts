import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { demoGame } from '../../src/cli/demo.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { runCommand } from './in-process.js';
import { bundleProgram, type Program, start, startDev } from './program.js';

let file: string;
let folder: string;
const running: Program[] = [];

beforeAll(async () => {
  file = await bundleProgram();
  folder = temporaryFolder();
});
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

async function dev(...args: string[]) {
  const started = await startDev(file, args);
  running.push(started);
  return started;
}

function post(url: string, path: string, body: object): Promise<Response> {
  return fetch(`${url}/v2/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ game_id: demoGame.id, env: 0, device_id: 'device-one', ...body }),
  });
}

describe('a store in a file', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'is there again after %s, and players are still signed in',
    async (signal) => {
      const store = join(folder, `${signal}.db`);
      const first = await dev('--store', store);
      const player = await (await post(first.ready.url, 'guest', {})).json();
      const path = `/v2/cl/games/${demoGame.id}/collections/progress`;
      const headers = { authorization: `Bearer ${player.accessToken}`, 'content-type': 'application/json' };
      const body = '{"value":{"coins":1.50},"version":-1}';
      const written = await fetch(`${first.ready.url}${path}/main?env=0`, { method: 'PATCH', headers, body });
      expect(written.status).toBe(200);
      first.child.kill(signal);
      await first.ended;

      const { ready } = await dev('--store', store);
      const read = await fetch(`${ready.url}${path}?env=0`, { headers });
      expect(await read.text()).toBe('[{"key":"main","value":{"coins":1.50},"version":0}]');
      const refreshed = await post(ready.url, 'refresh', { refresh_token: player.refreshToken });
      expect((await refreshed.json()).userId).toBe(player.userId);
    },
  );

  it('belongs to one process, which the next one names', async () => {
    const store = join(folder, 'held.db');
    const { child } = await dev('--store', store);
    const second = start(file, ['dev', '--port', '0', '--store', store]);
    expect(await second.ended).toBe(2);
    expect(second.stderr()).toMatch(
      new RegExp(`the store cannot be opened: .*in use by process ${child.pid} .*: end that one first`),
    );
  });

  it('keeps its demo players as they are over a restart', async () => {
    const store = join(folder, 'seeded.db');
    for (const _ of [1, 2]) {
      const { child, ended, ready } = await dev('--store', store, '--seed-demo');
      const { accessToken } = await (
        await post(ready.url, 'name', { username: 'ada', password: 'correct horse' })
      ).json();
      const headers = { authorization: `Bearer ${accessToken}` };
      const saves = await fetch(`${ready.url}/v2/cl/games/${demoGame.id}/collections/progress?env=0`, { headers });
      expect((await saves.json())[0].version).toBe(0);
      child.kill('SIGTERM');
      await ended;
    }
  });

  it('holds the contract, served as in production, and is free again afterwards', { timeout: 120_000 }, async () => {
    const store = join(folder, 'served.db');
    const signingKey = (await runCommand(['new-key', 'signing'])).out;
    const env = { SAVEPOINT_PRIVATE_KEY: 'a-private-key', SAVEPOINT_SIGNING_KEY: signingKey };
    const serve = start(file, ['serve', '--port', '0', '--game-id', demoGame.id, '--store', store], { env });
    running.push(serve);
    await expect.poll(serve.stdout, { timeout: 10_000 }).toContain('"listening"');
    const { url, store: kind } = JSON.parse(serve.stdout());
    expect(kind).toBe('sqlite');
    expect((await fetch(`${url}/health`)).status).toBe(200);
    const check = start(file, ['check', url, '--game-id', demoGame.id, '--quick'], { env });
    expect(await check.ended, check.stdout()).toBe(0);
    expect(check.stdout()).not.toContain('there is none here');
    serve.child.kill('SIGTERM');
    expect(await serve.ended).toBe(0);
    expect(existsSync(`${store}.lock`)).toBe(false);
  });

  it('says where its folder is not there', async () => {
    const store = join(folder, 'nowhere', 'a.db');
    const { code, err } = await runCommand(['dev', '--port', '0', '--store', store]);
    expect([code, err]).toEqual([2, expect.stringMatching(/the store cannot be opened/)]);
  });
});
