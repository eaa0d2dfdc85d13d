import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createPostgresStore } from 'savepoint/backend/postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort, programsIn } from '../../../scripts/postgres.mjs';
import { describeWithPrograms } from '../../support/on-postgres.js';
import { key, newLink } from './contract-records.js';

const script = fileURLToPath(new URL('../../../deploy/postgres-restore.sh', import.meta.url));

describeWithPrograms('a PostgreSQL that goes back to a moment', (binaries) => {
  let folder: string;
  let run: (name: string, args: string[]) => void;
  const running = new Set<string>();
  const pathOf = (name: string): string => join(folder, name);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'savepoint-moment-'));
    run = programsIn(binaries, folder);
    for (const name of ['some base', 'some log']) mkdirSync(pathOf(name));
    writeFileSync(join(pathOf('some base'), 'backup_label'), '');
  });
  afterAll(() => {
    for (const data of running) run('pg_ctl', ['-D', data, '-w', '-s', '-m', 'immediate', 'stop']);
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(data: string, settings: { [name: string]: string } = {}): Promise<string> {
    const port = await freePort();
    const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', ...settings };
    const options = [`-p ${port}`, ...Object.entries(all).map(([name, value]) => `-c ${name}=${value}`)].join(' ');
    run('pg_ctl', ['-D', data, '-w', '-s', '-l', `${data}.log`, '-o', options, 'start']);
    running.add(data);
    return `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  /** As PostgreSQL's user, as an operator would. */
  function restore(...args: string[]) {
    const asOwner = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : [];
    const [file = '', ...rest] = [...asOwner, 'sh', script, ...args];
    return spawnSync(file, rest, { encoding: 'utf8', cwd: folder });
  }

  /** Until then it reads the log, and can be read itself. */
  async function untilPrimary(connectionString: string): Promise<void> {
    const client = new pg.Client({ connectionString });
    await client.connect();
    const isReading = async () => (await client.query('SELECT pg_is_in_recovery() AS reads')).rows[0]?.reads;
    await expect.poll(isReading, { timeout: 60_000 }).toBe(false);
    await client.end();
  }

  it('has what was there by then, and nothing of what came later, and takes writes', { timeout: 120_000 }, async () => {
    const [data, base, archive, again] = [pathOf('data'), pathOf('base'), pathOf('archive'), pathOf('again')];
    execFileSync('mkdir', [archive]);
    execFileSync('chmod', ['777', archive]);
    run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale', 'C', '--no-sync']);
    const url = await start(data, { archive_mode: 'on', archive_command: `'cp %p ${archive}/%f'` });
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    run('pg_basebackup', ['-D', base, '-d', url, '-c', 'fast', '--no-sync']);
    const store = await createPostgresStore({ connectionString: url });
    const add = (device: string) => store.ensureAccount({ link: newLink('device', device), accountId: device, now: 1 });
    await add('early');
    const { rows } = await admin.query<{ moment: string }>(
      `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00' AS moment`,
    );
    await add('late');
    await store.close();
    await admin.query('SELECT pg_switch_wal()');
    await expect
      .poll(async () => (await admin.query('SELECT last_archived_wal AS wal FROM pg_stat_archiver')).rows[0]?.wal)
      .not.toBeNull();
    await admin.end();
    // The archiver sends what is left before PostgreSQL ends.
    run('pg_ctl', ['-D', data, '-w', '-s', '-m', 'fast', 'stop']);
    running.delete(data);

    const made = restore(base, archive, again, rows[0]?.moment ?? '');
    expect([made.status, made.stderr]).toEqual([0, '']);
    const connectionString = await start(again);
    await untilPrimary(connectionString);
    const restored = await createPostgresStore({ connectionString });
    const accountOf = async (device: string) => (await restored.findLink(key('device', device)))?.accountId ?? null;
    expect([await accountOf('early'), await accountOf('late')]).toEqual(['early', null]);
    await restored.ensureAccount({ link: newLink('device', 'after'), accountId: 'after', now: 2 });
    expect(await accountOf('after')).toBe('after');
    await restored.close();
  });

  it.each([
    [['some base'], /give a base backup/],
    [['nowhere', 'some log', 'new', '2026-11-22 10:00:00+00'], /is no base backup/],
    [['some base', 'nowhere', 'new', '2026-11-22 10:00:00+00'], /there is no folder/],
    [['some base', 'some log', 'some base', '2026-11-22 10:00:00+00'], /is there already/],
    [['some base', 'some log', 'new', '2026-11-22 10:00:00'], /needs a time zone/],
    [['some base', 'some log', 'new', "2026' or +00"], /must not have quotes/],
  ])('says what is to be set right: %j', (args, problem) => {
    const { status, stderr } = restore(...args);
    expect(status).toBe(2);
    expect(stderr).toMatch(problem);
  });
});
