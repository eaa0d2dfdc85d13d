import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { type Program, start, untilSaid } from '../cli/program.js';
import { repository } from './run.js';

const clone = inject('clone');
const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
const { gameId } = JSON.parse(readFileSync(join(repository, 'examples/web-game/demo.json'), 'utf8'));
const store = join(clone, 'a folder of its own/magpie.db');
const running: Program[] = [];

afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});

/** What `npm start` runs, without npm before it. */
async function startGame(): Promise<Program & { url: string }> {
  const [node, script = ''] = scripts.start.split(' ');
  expect(node).toBe('node');
  const program = start(join(clone, script), ['--port', '0', '--store', store], { cwd: clone });
  running.push(program);
  await untilSaid(program, 'Ctrl-C');
  const url = /Play +(http:\S+)/.exec(program.stdout())?.[1] ?? '';
  return { ...program, url };
}

function ask(url: string, method: string, path: string, body?: object, token?: string): Promise<Response> {
  return fetch(new URL(path, url), {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const signIn = async (url: string) =>
  (await ask(url, 'POST', '/v2/auth/guest', { game_id: gameId, env: 0, device_id: 'a-device-of-this-test' })).json();
const progress = `/v2/cl/games/${gameId}/collections/progress`;

it('serves the example game with its service, keeps its players over a restart, and ends when it is asked to', async () => {
  const first = await startGame();
  for (const [page, text] of [
    ['', '<title>Magpie</title>'],
    ['two-devices.html', 'two-devices'],
  ] as const) {
    const response = await fetch(first.url + page);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
    const html = await response.text();
    expect(html).toContain(text);
    const [, code = ''] = /<script[^>]+src="([^"]+)"/.exec(html) ?? [];
    expect((await fetch(new URL(code, first.url))).headers.get('content-type')).toContain('javascript');
  }
  const player = await signIn(first.url);
  const entry = { value: { coins: 7 }, version: -1 };
  expect((await ask(first.url, 'PATCH', `${progress}/main?env=0`, entry, player.accessToken)).status).toBe(200);
  first.child.kill('SIGTERM');
  expect(await first.ended).toBe(0);
  expect(existsSync(store)).toBe(true);

  const second = await startGame();
  expect((await signIn(second.url)).userId).toBe(player.userId);
  // The key that signed the token is kept beside the saves.
  const saves = await ask(second.url, 'GET', `${progress}?env=0`, undefined, player.accessToken);
  expect(await saves.json()).toEqual([{ key: 'main', value: { coins: 7 }, version: 0 }]);
  second.child.kill('SIGINT');
  expect(await second.ended).toBe(0);
});
