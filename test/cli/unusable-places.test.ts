import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore } from 'savepoint/backend/sqlite';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite } from '../../src/backend/stores/sqlite/connection.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { runCommand } from './in-process.js';
import { bundleProgram } from './program.js';

const gameId = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
let folder: string;
let store: string;

beforeEach(async () => {
  folder = temporaryFolder();
  store = join(folder, 'saves.db');
  await (await createSqliteStore({ file: store })).close();
});
afterEach(() => rmSync(folder, { recursive: true }));

const scope = ['--game-id', gameId, '--environment', '2'];

describe('a place where nothing can be', () => {
  const aFolder = /--?[\w ]+: .*folder is a folder; give a file/;
  const aFile = /file is a file, and no folder/;
  const newer =
    /has version 9999, and|version 9999, and this savepoint knows|a newer schema, which needs a newer savepoint/;

  it.each<[string[], RegExp]>([
    [['backup', '--store', 'FOLDER', '--out', 'NEW'], aFolder],
    [['backup', '--store', 'STORE', '--out', 'FILE/copy.db'], aFile],
    [['backup', '--store', 'NEWER', '--out', 'NEW'], newer],
    [['restore', '--store', 'STORE', '--from', 'FOLDER'], aFolder],
    [['restore', '--store', 'FOLDER', '--from', 'STORE'], aFolder],
    [['restore', '--store', 'FILE/saves.db', '--from', 'STORE'], aFile],
    [['restore', '--store', 'STORE', '--from', 'NEWER'], newer],
    [['restore', '--store', 'NEWER', '--from', 'STORE'], newer],
    [['move', '--from', 'FOLDER', '--to', 'NEW'], aFolder],
    [['move', '--from', 'STORE', '--to', 'FOLDER'], /the store cannot be opened: .*folder is a folder; give a file/],
    [['move', '--from', 'STORE', '--to', 'FILE/saves.db'], aFile],
    [['move', '--from', 'NEWER', '--to', 'NEW'], newer],
    [['move', '--from', 'STORE', '--to', 'NEWER'], newer],
    [['migrate', '--store', 'FILE/saves.db'], aFile],
    [['migrate', '--store', 'NEWER'], newer],
    [['export', '--store', 'FILE/saves.db', '--out', 'NEW'], /the store: there is no file/],
    [['export', '--store', 'STORE', '--out', 'FILE/players'], aFile],
    [['export', '--store', 'NEWER', '--out', 'NEW'], newer],
    [['import', 'FOLDER', '--store', 'STORE', ...scope], /the file: that is a folder/],
    [['import', 'FILE', '--store', 'FILE/saves.db', ...scope], aFile],
    [['import', 'FILE', '--store', 'NEWER', ...scope], newer],
    [['new-key', 'signing', '--out', 'FOLDER'], /--out: the file is there already/],
  ])('is named, and nothing is made: %j', async (args, problem) => {
    const paths: { [name: string]: string } = { STORE: store, NEW: join(folder, 'new') };
    for (const name of ['FOLDER', 'FILE', 'NEWER']) paths[name] = join(folder, name.toLowerCase());
    mkdirSync(String(paths['FOLDER']));
    writeFileSync(String(paths['FILE']), '');
    copyFileSync(store, String(paths['NEWER']));
    const connection = await openSqlite(String(paths['NEWER']));
    connection.exec('INSERT INTO schema_versions VALUES (9999, 0)');
    connection.close();
    const before = readdirSync(folder, { recursive: true }).sort();
    const given = args.map((arg) => arg.replace(/^[A-Z]+/, (name) => paths[name] ?? name));
    const { code, out, err } = await runCommand(given);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(problem);
    expect(err).not.toMatch(/^ +at |ENOTDIR|EISDIR/m);
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
  });
});

/** Runs a script with a disk of 1 MB of its own at `disk`; null where the machine lets nobody have one. */
function withSmallDisk(script: string, args: readonly string[], disk: string) {
  const mount = 'mount -t tmpfs -o size=1m none "$0" && ';
  const ended = spawnSync('unshare', ['-rm', 'sh', '-c', `${mount}${script}`, disk, ...args], { encoding: 'utf8' });
  return { code: ended.status, out: ended.stdout, err: ended.stderr };
}

function hasSmallDisks(): boolean {
  try {
    execFileSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=1m none /mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const disks = hasSmallDisks() ? ['of 1 MB'] : [];
if (disks.length === 0) console.warn('The tests of a full disk are left out: this machine lets nobody mount one.');

describe.each(disks)('a full disk %s', () => {
  let program: string;
  let disk: string;

  beforeAll(async () => {
    program = await bundleProgram();
  });
  beforeEach(async () => {
    disk = join(folder, 'disk');
    mkdirSync(disk);
    const value = { text: 'x'.repeat(2_000) };
    const players = Array.from({ length: 1_000 }, (_, n) => ({
      customId: `player-${n}`,
      entries: [{ collection: 'progress', key: 'main', value }],
    }));
    writeFileSync(join(folder, 'players'), players.map((player) => `${JSON.stringify(player)}\n`).join(''));
    const imported = await runCommand(['import', join(folder, 'players'), '--store', store, ...scope]);
    expect(imported.code).toBe(0);
  });

  it.each<[string[], string, string[]]>([
    [['backup', '--store', 'STORE', '--out', 'DISK/copy.db'], '--out: the disk is full, and there is no copy', []],
    [['export', '--store', 'STORE', '--out', 'DISK/players'], '--out: the disk is full, and there is no file', []],
    [
      ['move', '--from', 'STORE', '--to', 'DISK/new.db'],
      // A service that still runs makes a copy beside its own file first: it may be that disk.
      'the disk is full; nothing is moved, and the old store is as it was',
      ['new.db'],
    ],
    [
      ['import', 'PLAYERS', '--store', 'DISK/new.db', ...scope],
      '--store: the disk is full; make room, and run it again to go on',
      ['new.db', 'new.db-wal'],
    ],
  ])('is named, and leaves nothing half: %j', async (args, problem, remains) => {
    const given = args.map((arg) =>
      arg
        .replace(/^DISK/, disk)
        .replace(/^STORE$/, store)
        .replace(/^PLAYERS$/, join(folder, 'players')),
    );
    const script = '"$@"; code=$?; ls -A "$0"; exit $code';
    const { code, out, err } = withSmallDisk(script, [process.execPath, program, ...given], disk);
    expect(err).toContain(`savepoint: ${problem}\n`);
    expect([code, out.split('\n').filter((name) => name !== '')]).toEqual([1, remains]);
    // The store is free, and has all that it had.
    const again = await runCommand(['export', '--store', store, '--out', join(folder, 'all'), '--json']);
    expect(JSON.parse(again.out)).toMatchObject({ players: 1_000 });
  });

  it('leaves no key that is none', () => {
    const fill = 'cat /dev/zero > "$0/fill" 2> /dev/null; "$@"; code=$?; rm "$0/fill"; ls -A "$0"; exit $code';
    const args = [process.execPath, program, 'new-key', 'signing', '--out', join(disk, 'key.json')];
    expect(withSmallDisk(fill, args, disk)).toEqual({
      code: 2,
      out: '',
      err: 'savepoint: --out: the disk is full, and there is no file\n',
    });
  });
});

describe.each(process.platform === 'win32' ? [] : ['a pipe'])('a reader who leaves %s', () => {
  it.each([
    ['true', ['help', 'serve']],
    ['head -1', ['keys', '--game-id', gameId]],
    ['true', ['players']],
  ])('hears no stack trace: %s', async (reader, args) => {
    const program = await bundleProgram();
    const script = `exec 3>&2; { "$@" 2>&3; echo "code $?" >&3; } | ${reader} > /dev/null`;
    const env = { ...process.env, SAVEPOINT_PRIVATE_KEY: 'a'.repeat(64) };
    const { stderr } = spawnSync('sh', ['-c', script, 'sh', process.execPath, program, ...args], {
      encoding: 'utf8',
      env,
    });
    expect(stderr).toMatch(/code [02]\n$/);
    expect(stderr).not.toMatch(/^ +at |EPIPE|Error:/m);
  });
});
