import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { contentOf, fillStore } from './filled-store.js';
import { type Ended, runCommand } from './in-process.js';
import { bundleProgram, type Program, start, untilSaid } from './program.js';

const gameId = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
let folder: string;
let store: string;
let program: string;
const running: Program[] = [];

beforeAll(async () => {
  program = await bundleProgram();
});
beforeEach(() => {
  folder = temporaryFolder();
  store = join(folder, 'saves.db');
});
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(folder, { recursive: true });
});

function begin(args: readonly string[], env: { [name: string]: string } = {}): Program {
  const started = start(program, args, { env });
  running.push(started);
  return started;
}

async function startService(...args: string[]): Promise<Program & { url: string }> {
  const { out: signingKey } = await runCommand(['new-key', 'signing']);
  const env = {
    SAVEPOINT_GAME_ID: gameId,
    SAVEPOINT_PRIVATE_KEY: 'a'.repeat(64),
    SAVEPOINT_SIGNING_KEY: signingKey.trim(),
    SAVEPOINT_STORE: store,
  };
  const service = begin(['serve', '--port', '0', ...args], env);
  await untilSaid(service, '"listening"');
  return { ...service, url: /"url":"([^"]+)"/.exec(service.stdout())?.[1] ?? '' };
}

/** Runs a command, and asks it to end when it first says how far it is. */
async function interrupted(args: readonly string[], signal = 'SIGINT'): Promise<Ended> {
  const stop = new AbortController();
  const heard = (text: string): void => {
    if (text.includes('%')) stop.abort(signal);
  };
  return runCommand(args, { stop: stop.signal, heard });
}

/** All that is there but the store, what SQLite keeps beside one, and notes of who has it. */
const others = (): string[] => readdirSync(folder).filter((name) => !/^saves\.db/.test(name));

describe('a command that is interrupted within its work', () => {
  it('leaves what is moved in the old store alone, and moves it when it is run again', async () => {
    await fillStore(store, 500);
    const before = await contentOf(store);
    const to = join(folder, 'new.db');
    const args = ['move', '--from', store, '--to', to];
    expect(await interrupted(args)).toMatchObject({
      code: 130,
      out: '',
      err: expect.stringContaining(
        'interrupted: nothing is moved, the old store is as it was, and the new one is empty',
      ),
    });
    expect(await contentOf(store)).toEqual(before);
    expect(Object.values(await contentOf(to)).flat()).toEqual([]);
    expect((await runCommand(args)).code).toBe(0);
    expect(await contentOf(to)).toEqual(before);
  });

  it('makes no copy', async () => {
    await fillStore(store, 500);
    const args = ['backup', '--store', store, '--out', join(folder, 'copy.db')];
    expect(await interrupted(args)).toMatchObject({
      code: 130,
      out: '',
      err: expect.stringContaining('interrupted: there is no copy; run it again'),
    });
    expect(others()).toEqual([]);
    expect((await runCommand(args)).code).toBe(0);
  });

  it('makes no copy where a service makes it, and the service goes on', async () => {
    await fillStore(store, 2_000);
    const service = await startService();
    const args = ['backup', '--store', store, '--out', join(folder, 'copy.db')];
    expect(await interrupted(args)).toMatchObject({
      code: 130,
      out: '',
      err: expect.stringContaining('interrupted: there is no copy; run it again'),
    });
    await expect.poll(others, { timeout: 10_000 }).toEqual([]);
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    expect((await runCommand(args)).code).toBe(0);
  });

  it('restores nothing', async () => {
    await fillStore(store, 500);
    const backup = join(folder, 'copy.db');
    copyFileSync(store, backup);
    await fillStore(store, 600);
    const before = await contentOf(store);
    const args = ['restore', '--store', store, '--from', backup];
    expect(await interrupted(args)).toMatchObject({
      code: 130,
      out: '',
      err: expect.stringContaining('interrupted: the store is as it was; run it again'),
    });
    expect(readdirSync(folder).filter((name) => name.includes('before') || name.includes('restoring'))).toEqual([]);
    expect(await contentOf(store)).toEqual(before);
    expect((await runCommand(args)).code).toBe(0);
  });

  it('writes no file of players', async () => {
    const players = join(folder, 'players.ndjson');
    await importPlayers(400);
    const args = ['export', '--store', store, '--out', players, '--with-devices'];
    expect(await interrupted(args, 'SIGTERM')).toMatchObject({
      code: 143,
      out: '',
      err: expect.stringContaining('interrupted: there is no file; run it again'),
    });
    expect(others()).toEqual(['new.ndjson']);
    expect((await runCommand(args)).code).toBe(0);
    expect(existsSync(players)).toBe(true);
  });

  it('takes whole players over, says how many, and goes on when it is run again', async () => {
    const file = playersFile(400);
    const args = ['import', file, '--store', store, '--game-id', gameId, '--environment', '2'];
    const { code, out, err } = await interrupted(args);
    expect([code, out]).toEqual([130, '']);
    const [, line, created] = /interrupted after line (\d+) \((\d+) created, 0 completed/.exec(err) ?? [];
    expect(Number(line)).toBeGreaterThanOrEqual(Number(created));
    expect(Number(created)).toBeGreaterThan(0);
    expect(Number(created)).toBeLessThan(400);
    expect((await runCommand(args)).out).toBe(
      `${400 - Number(created)} created, 0 completed, ${created} there already, 0 refused\n`,
    );
  });

  function playersFile(count: number): string {
    const lines = Array.from({ length: count }, (_, index) => {
      const entries = [{ collection: 'progress', key: 'main', value: { coins: index } }];
      return JSON.stringify({ customId: `player-${index}`, entries });
    });
    const file = join(folder, 'new.ndjson');
    writeFileSync(file, `${lines.join('\n')}\n`);
    return file;
  }

  async function importPlayers(count: number): Promise<void> {
    const into = ['--store', store, '--game-id', gameId, '--environment', '2'];
    expect((await runCommand(['import', playersFile(count), ...into])).code).toBe(0);
  }
});

// Windows ends a process that is sent a signal, and tells it nothing.
describe.each(
  process.platform === 'win32'
    ? []
    : ([
        ['SIGINT', 130],
        ['SIGTERM', 143],
      ] as const),
)('%s', (signal, code) => {
  it('ends a move with its own exit code and says how to go on', async () => {
    await fillStore(store, 3_000);
    const moving = begin(['move', '--from', store, '--to', join(folder, 'new.db')]);
    await expect.poll(moving.stderr, { timeout: 10_000, interval: 2 }).toContain('copy [');
    moving.child.kill(signal);
    expect(await moving.ended).toBe(code);
    expect(moving.stderr()).toMatch(/savepoint: interrupted: nothing is moved, .* run it again, .*\n$/);
  });

  it('ends at once a command that waits for a service', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const asked = new Promise((resolve) => silent.once('connection', resolve));
    const { port } = silent.address() as { port: number };
    const { out: key } = await runCommand(['new-key', 'operator']);
    const waiting = begin(['games', '--url', `http://127.0.0.1:${port}`], { SAVEPOINT_OPERATOR_KEY: key.trim() });
    await asked;
    waiting.child.kill(signal);
    expect(await waiting.ended).toBe(code);
    expect(waiting.stderr()).toMatch(/^savepoint: interrupted: /);
    silent.close();
  });

  it('ends a service that drains when it comes a second time', async () => {
    const service = await startService('--drain-notice', '600');
    service.child.kill(signal);
    await untilSaid(service, '"draining"');
    service.child.kill(signal);
    expect(await service.ended).toBe(code);
  });
});
