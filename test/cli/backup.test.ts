import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore } from 'savepoint/backend/sqlite';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newSigningKey } from '../../src/cli/new-key.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { runCommand } from './in-process.js';
import { bundleProgram, type Program, start, untilSaid } from './program.js';

const gameId = '5d9f1f42-6b7e-4c3a-9f64-0d1c2b3a4e5f';
const running: Program[] = [];
let program: string;
let folder: string;
let store: string;
let copy: string;

beforeAll(async () => {
  program = await bundleProgram();
});
beforeEach(() => {
  folder = temporaryFolder();
  [store, copy] = [join(folder, 'saves.db'), join(folder, 'copy.db')];
});
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(folder, { recursive: true });
});
const key = newSigningKey().then((made) => JSON.stringify(made));

async function serve(): Promise<{ url: string; program: Program }> {
  const env = {
    SAVEPOINT_GAME_ID: gameId,
    SAVEPOINT_PRIVATE_KEY: 'a'.repeat(64),
    SAVEPOINT_SIGNING_KEY: await key,
    SAVEPOINT_STORE: store,
    SAVEPOINT_PORT: '0',
  };
  const started = start(program, ['serve'], { env });
  running.push(started);
  await untilSaid(started, '"listening"');
  const said = started
    .stdout()
    .split('\n')
    .find((line) => line.includes('"listening"')) as string;
  return { url: JSON.parse(said).url, program: started };
}

interface Player {
  userId: string;
  accessToken: string;
  refreshToken: string;
}

async function auth(url: string, path: string, body: object): Promise<Player> {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ game_id: gameId, env: 0, ...body }),
  });
  return answer.json() as never;
}

const guest = (url: string, device: string) => auth(url, '/v2/auth/guest', { device_id: device });
const refresh = (url: string, { refreshToken }: Player) =>
  auth(url, '/v2/auth/refresh', { refresh_token: refreshToken });

async function save(url: string, { accessToken }: { accessToken: string }, coins: number): Promise<number> {
  const answer = await fetch(`${url}/v2/cl/games/${gameId}/collections/progress/main?env=0`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ value: { coins }, version: -1 }),
  });
  return answer.status;
}

async function coins(url: string, { accessToken }: { accessToken: string }): Promise<unknown> {
  const answer = await fetch(`${url}/v2/cl/games/${gameId}/collections/progress?env=0`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  return ((await answer.json()) as { value: { coins: number } }[])[0]?.value.coins;
}

describe('savepoint backup and savepoint restore', () => {
  it('copy the store of a service that goes on, and put it back, and nobody is signed out', async () => {
    const { url } = await serve();
    const player = await guest(url, 'device-one');
    expect(await save(url, player, 1)).toBe(200);
    const saved = await runCommand(['backup', '--store', store, '--out', copy]);
    expect(saved).toMatchObject({ code: 0 });
    expect(saved.out).toMatch(/copy\.db has all that was stored: \d+\.\d MB, read through and sound\.\n$/);
    expect(saved.err).toContain('100 %');

    const newer = await refresh(url, player);
    expect(await save(url, newer, 2)).toBe(200);
    const restored = await runCommand(['restore', '--from', copy], { env: { SAVEPOINT_STORE: store } });
    expect(restored).toMatchObject({ code: 0 });
    expect(await coins(url, newer)).toBe(1);
    expect(await save(url, newer, 3)).toBe(200);
    const former = /What it had before is in (.+)\.\n$/.exec(restored.out)?.[1] as string;
    expect(existsSync(former)).toBe(true);
    expect(await coins(url, await refresh(url, newer))).toBe(3);
  });

  it('go on after the service was killed, and leave no socket behind when it ends', async () => {
    const first = await serve();
    const player = await guest(first.url, 'device-one');
    expect(await save(first.url, player, 1)).toBe(200);
    first.program.child.kill('SIGKILL');
    await first.program.ended;
    expect(await runCommand(['backup', '--store', store, '--out', copy])).toMatchObject({ code: 0 });
    const second = await serve();
    expect(await runCommand(['backup', '--store', store, '--out', `${copy}2`])).toMatchObject({ code: 0 });
    second.program.child.kill('SIGTERM');
    expect(await second.program.ended).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['copy.db', 'copy.db2', 'saves.db']);
  });

  it('work on a store that nobody serves, and make one where there is none', async () => {
    await (await createSqliteStore({ file: store })).close();
    expect(await runCommand(['backup', '--store', store, '--out', copy])).toMatchObject({ code: 0 });
    const elsewhere = join(folder, 'elsewhere.db');
    const made = await runCommand(['restore', '--store', elsewhere, '--from', copy]);
    expect([made.code, made.out]).toEqual([0, `The store has what ${copy} has.\n`]);
    const again = await runCommand(['restore', '--store', elsewhere, '--from', copy]);
    expect(again.out).toMatch(/What it had before is in .*elsewhere\.db\.before-/);
  });

  it('keeps no copy of a store that was moved, which nobody could restore', async () => {
    const target = join(folder, 'target.db');
    await (await createSqliteStore({ file: store })).close();
    expect(await runCommand(['move', '--from', store, '--to', target])).toMatchObject({ code: 0 });
    const { code, out, err } = await runCommand(['backup', '--store', store, '--out', copy]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(`no copy is kept, because none could be restored: ${store} was moved to another store`);
    expect(existsSync(copy)).toBe(false);
  });

  it('keeps the copy of a damaged store, which may be all that is left of it, and says that it is damaged', async () => {
    await (await createSqliteStore({ file: store })).close();
    const bytes = readFileSync(store);
    // The last pages; what says which tables there are is before them.
    bytes.fill(0x5a, bytes.length - 4 * 4096);
    writeFileSync(store, bytes);
    const { code, out, err } = await runCommand(['backup', '--store', store, '--out', copy]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(`${copy} is damaged: `);
    expect(err).toContain('The copy is kept');
    expect(readFileSync(copy).subarray(-4096).equals(bytes.subarray(-4096))).toBe(true);
    expect(await runCommand(['restore', '--store', store, '--from', copy])).toMatchObject({ code: 2 });
  });

  it.each([
    ['backup', ['--store', 'STORE'], /say where to: savepoint backup --out <file>/],
    ['backup', ['--out', 'COPY'], /say which store: --store <file>, or SAVEPOINT_STORE/],
    ['backup', ['--store', 'STORE', '--out', 'THERE'], /there is there already, and nothing is written over it/],
    ['backup', ['--store', 'STORE', '--out', 'COPY'], /--store: there is no file .*saves\.db/],
    ['backup', ['--store', 'STORE', '--out', '/no/such/folder/copy.db'], /--out: there is no folder/],
    ['backup', ['--store', 'postgres://db/x', '--out', 'COPY'], /pg_dump, pg_basebackup/],
    ['backup', ['--store', 'memory', '--out', 'COPY'], /a store in memory has nothing to keep/],
    ['restore', ['--store', 'STORE'], /say what: savepoint restore --from <file>/],
    ['restore', ['--store', 'STORE', '--from', 'COPY'], /--from: There is no file .*copy\.db/],
    ['restore', ['--store', 'STORE', '--from', 'THERE'], /--from: .*not a database/],
  ] as const)('says what is to be set right: %s %j', async (command, args, problem) => {
    const there = join(folder, 'there');
    writeFileSync(
      there,
      'no database, but longer than the header of one, so that it is not taken for empty '.repeat(9),
    );
    const paths: { [name: string]: string } = { STORE: store, COPY: copy, THERE: there };
    const { code, out, err } = await runCommand([command, ...args.map((arg) => paths[arg] ?? arg)]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(problem);
    expect(readdirSync(folder)).toEqual(['there']);
  });
});
