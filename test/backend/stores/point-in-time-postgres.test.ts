import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createPostgresStore, type PostgresStore } from 'savepoint/backend/postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort, programsIn } from '../../../scripts/postgres.mjs';
import type { Store } from '../../../src/backend/stores/store.js';
import { tokenDefaults } from '../../../src/protocol/gaps/tokens.js';
import { operations } from '../../../src/protocol/operations.js';
import type { PlayerAuthAnswer } from '../../../src/protocol/player-messages.js';
import { describeWithPrograms } from '../../support/on-postgres.js';
import {
  createTestService,
  post,
  readEntries,
  signInGuest,
  type TestService,
  testStart,
  writeEntry,
} from '../../support/service.js';
import { newSigningKey } from '../../support/signing-key.js';
import { key, newLink } from './contract-records.js';

const inDeploy = (name: string): string => fileURLToPath(new URL(`../../../deploy/${name}`, import.meta.url));
const script = inDeploy('postgres-restore.sh');
const statements = inDeploy('postgres-restored.sql');
/** Arguments of psql, which ends at an error, and by itself where it would wait for ever. */
const quietly = (url: string): string[] => [
  ...['-q', '-v', 'ON_ERROR_STOP=1'],
  ...['-d', `${url}?options=-c%20statement_timeout%3D60s`],
];

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

  /** Makes a database on which something is done before the moment and after it, and goes back to the moment. */
  async function goBack<Past, Since>(deeds: {
    before: (store: Store) => Promise<Past>;
    after: (store: Store, past: Past) => Promise<Since>;
  }): Promise<{ past: Past; since: Since; restored: PostgresStore }> {
    const place = mkdtempSync(pathOf('once-'));
    execFileSync('chmod', ['777', place]);
    const placeOf = (name: string): string => join(place, name);
    const [data, base, archive, again] = [placeOf('data'), placeOf('base'), placeOf('archive'), placeOf('again')];
    execFileSync('mkdir', [archive]);
    execFileSync('chmod', ['777', archive]);
    run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale', 'C', '--no-sync']);
    const url = await start(data, { archive_mode: 'on', archive_command: `'cp %p ${archive}/%f'` });
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    run('pg_basebackup', ['-D', base, '-d', url, '-c', 'fast', '--no-sync']);
    const store = await createPostgresStore({ connectionString: url });
    const past = await deeds.before(store);
    const { rows } = await admin.query<{ moment: string }>(
      `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00' AS moment`,
    );
    const since = await deeds.after(store, past);
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
    run('psql', [...quietly(connectionString), '-f', statements]);
    return { past, since, restored: await createPostgresStore({ connectionString }) };
  }

  it('has what was there by then, and nothing of what came later, and takes writes', { timeout: 120_000 }, async () => {
    const add = (store: Store, device: string) =>
      store.ensureAccount({ link: newLink('device', device), accountId: device, now: 1 });
    const { restored } = await goBack({
      before: (store) => add(store, 'early'),
      after: (store) => add(store, 'late'),
    });
    const accountOf = async (device: string) => (await restored.findLink(key('device', device)))?.accountId ?? null;
    expect([await accountOf('early'), await accountOf('late')]).toEqual(['early', null]);
    await add(restored, 'after');
    expect(await accountOf('after')).toBe('after');
    await restored.close();
  });

  it('signs out no player whose tokens are newer than it is', { timeout: 120_000 }, async () => {
    const signingKey = await newSigningKey();
    const serveAt = (hours: number, store: Store): TestService =>
      createTestService({ store, signingKey, clock: () => testStart + hours * 3_600_000, random: randomBytes });
    const refresh = (service: TestService, { refreshToken }: PlayerAuthAnswer) =>
      post(service, operations.refreshSession.path, { refresh_token: refreshToken });
    const { past, since, restored } = await goBack({
      async before(store) {
        const service = serveAt(0, store);
        const player = await signInGuest(service);
        await writeEntry(service, player, { value: { coins: 1 } });
        return { player, rare: await signInGuest(service, 'device-three') };
      },
      async after(store, { player, rare }) {
        const { body: next } = await refresh(serveAt(1, store), player);
        const service = serveAt(2, store);
        const { body: latest } = await refresh(service, next);
        expect((await writeEntry(service, latest, { value: { coins: 2 }, version: 0 })).status).toBe(200);
        const newcomer = await signInGuest(service, 'device-two');
        const { body: renewed } = await refresh(serveAt(29 * 24, store), rare);
        return { latest, newcomer, renewed };
      },
    });

    const service = serveAt(2.5, restored);
    expect(await readEntries(service, since.latest)).toMatchObject({
      status: 200,
      body: [{ value: { coins: 1 }, version: 0 }],
    });
    expect((await writeEntry(service, since.latest, { value: { coins: 3 }, version: 0 })).status).toBe(200);
    const refreshed = await refresh(service, since.latest);
    expect(refreshed.status).toBe(200);
    const again = await refresh(serveAt(4, restored), refreshed.body);
    expect(again.status).toBe(200);
    expect((await readEntries(serveAt(4, restored), again.body)).body).toMatchObject([{ value: { coins: 3 } }]);

    // The database does not know that it has been used.
    expect((await refresh(serveAt(4, restored), past.player)).body.code).toBe('refresh_token_reused');
    expect((await refresh(service, since.newcomer)).status).toBe(401);
    expect((await signInGuest(service, 'device-two')).userId).not.toBe(since.newcomer.userId);

    // The database has an end of this session that is past: its player had been there before that, and comes back after it.
    const now = testStart + 31 * 24 * 3_600_000;
    await restored.removeExpired({ now, orphanedBefore: 0, deletedBefore: 0, batch: 100 });
    expect((await refresh(serveAt(31 * 24, restored), since.renewed)).status).toBe(200);
    await restored.close();
  });

  it('has its sessions prolonged as soon as its log is through', { timeout: 60_000 }, async () => {
    const data = pathOf('still reading');
    run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale', 'C', '--no-sync']);
    const primary = await start(data);
    await (await createPostgresStore({ connectionString: primary })).close();
    run('pg_ctl', ['-D', data, '-w', '-s', '-m', 'fast', 'stop']);
    running.delete(data);
    // As long as this file is there, it reads the log of a primary that says nothing.
    writeFileSync(join(data, 'standby.signal'), '');
    chmodSync(join(data, 'standby.signal'), 0o666);
    const connectionString = await start(data);
    const psql = spawn(join(binaries, 'psql'), [...quietly(connectionString), '-f', statements]);
    let said = '';
    psql.stderr.on('data', (text: Buffer) => {
      said += text;
    });
    const ended = once(psql, 'close');
    const admin = new pg.Client({ connectionString });
    await admin.connect();
    const waits = async () =>
      (await admin.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE 'DO %'")).rowCount;
    await expect.poll(waits, { timeout: 20_000 }).toBe(1);
    await admin.query('SELECT pg_promote()');
    expect([(await ended)[0], said]).toEqual([0, '']);
    await admin.end();
  });

  it('has its sessions last for as long as a token does', () => {
    const days = Number(/ \+ (\d+) \* CAST\(86400000 AS bigint\)/.exec(readFileSync(statements, 'utf8'))?.[1]);
    expect(days * 86_400_000).toBe(tokenDefaults.refreshIdleMs);
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
