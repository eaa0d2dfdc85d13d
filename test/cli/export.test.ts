import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore, type SqliteStore } from 'savepoint/backend/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Owner } from '../../src/backend/stores/records.js';
import { operations } from '../../src/protocol/operations.js';
import { loginQuotas } from '../backend/stores/contract-records.js';
import {
  createTestService,
  post,
  readText,
  send,
  signInGuest,
  testGameId,
  useName,
  writeText,
} from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { runCommand } from './in-process.js';

let folder: string;
const at = (name: string): string => join(folder, name);
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => rmSync(folder, { recursive: true }));

const scope = { gameId: testGameId, environment: 0 } as const;
const userId = '7c1d9e52-4f0e-4c8e-9c3e-0d6f7a1b2c3e';
const now = Date.UTC(2026, 0, 15, 12);
const ada = { username: 'Ada', password: 'correct horse' };
/** Numbers, order and odd texts that come back letter for letter. */
const text = '{"z":1.50,"a":[1e3,-0],"t":"\u2028 \\u0041","in":{"__proto__":1}}';

async function withStore<Result>(name: string, use: (opened: SqliteStore) => Promise<Result>): Promise<Result> {
  const opened = await createSqliteStore({ file: at(name) });
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

async function json(...args: string[]) {
  const { code, out, err } = await runCommand([...args, '--json']);
  return { code, err, ...(out === '' ? {} : JSON.parse(out)) };
}

const linesOf = (name: string) =>
  readFileSync(at(name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Ada with a name and a device, a player with a custom id, an identity and a ban, a guest, and one who is being deleted. */
async function fill(): Promise<{ adaId: string; guestId: string; banned: Owner }> {
  return withStore('from.db', async (store) => {
    const service = createTestService({ store });
    const player = await useName(service, ada);
    await writeText(service, player, 'main', text);
    const banned: Owner = { ...scope, accountId: '9f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d' };
    const custom = { ...scope, method: 'custom' as const, subject: 'p-1', label: null, credential: null };
    await store.ensureAccount({ link: custom, accountId: banned.accountId, now: now - 5 });
    const subject = JSON.stringify(['https://id.example', 'x']);
    const link = { ...scope, method: 'identity' as const, subject, label: 'https://id.example', credential: null };
    await store.linkMethod({ owner: banned, session: null, link, now, quotas: loginQuotas });
    const mark = { auditId: 'a', keyId: null, keyName: 'op', action: 'banPlayer', at: now, expiresAt: now + 1 };
    const ban = { at: now, until: null, reason: 'cheats' };
    await store.changeAsOperator({ change: 'banAccount', request: { owner: banned, ban }, mark });
    const guest = await signInGuest(service, 'guest-device');
    const leaving = await useName(
      service,
      { username: 'Leaving', password: 'correct horse' },
      { deviceId: 'device-three' },
    );
    await send(service, operations.deleteAccount.path, { method: 'DELETE', token: leaving.accessToken });
    return { adaId: player.userId, guestId: guest.userId, banned };
  });
}

describe('savepoint export', () => {
  it('writes what import takes: the same players, saves and passwords, and who is there already is there', async () => {
    const { banned, guestId } = await fill();
    const out = at('all.ndjson');
    const all = ['export', '--out', out, '--store', at('from.db'), '--with-password-hashes', '--with-devices'];
    expect(await json(...all)).toMatchObject({ code: 0, players: 3, entries: 1, withoutPassword: 0 });
    expect(await json('import', out, '--store', at('to.db'))).toMatchObject({ code: 0, created: 3, refused: [] });
    for (const store of ['to.db', 'from.db']) {
      expect(await json('import', out, '--store', at(store))).toMatchObject({
        code: 0,
        created: 0,
        completed: 0,
        there: 3,
      });
    }
    await withStore('to.db', async (store) => {
      const service = createTestService({ store });
      const player = await useName(service, ada, { deviceId: 'elsewhere' });
      expect(await readText(service, player)).toContain(text);
      const guest = await signInGuest(service, 'guest-device');
      const { account, links } = (await store.readAccount(banned)) ?? {};
      expect([account?.createdAt, account?.ban]).toEqual([now - 5, { at: now, until: null, reason: 'cheats' }]);
      expect(links?.map(({ method, subject }) => [method, subject])).toEqual([
        ['custom', 'p-1'],
        ['identity', '["https://id.example","x"]'],
      ]);
      expect(guest.userId).toBe(guestId);
    });
    const again = ['export', '--out', at('again.ndjson'), '--store', at('to.db'), ...all.slice(5)];
    expect(await json(...again)).toMatchObject({ players: 3 });
    const sorted = (name: string) => readFileSync(at(name), 'utf8').split('\n').sort();
    expect(sorted('again.ndjson').filter((line) => !line.includes('Ada'))).toEqual(
      sorted('all.ndjson').filter((line) => !line.includes('Ada')),
    );
  });

  it('has the e-mail addresses that players have verified', async () => {
    const name = { name: 'Eve', mailAddress: 'eve@example.com' };
    writeFileSync(at('eve.ndjson'), JSON.stringify({ ...scope, userId, name }));
    expect(await json('import', at('eve.ndjson'), '--store', at('to.db'))).toMatchObject({ code: 0, created: 1 });
    const told = await json('export', '--out', at('out.ndjson'), '--store', at('to.db'));
    // She has no password that could be left out.
    expect(told).toMatchObject({ players: 1, withoutPassword: 0 });
    expect(linesOf('out.ndjson')).toEqual([expect.objectContaining({ ...scope, userId, name })]);
  });

  it('has no hash that it was not asked for, and says what that leaves out', async () => {
    const { adaId } = await fill();
    const { out, code } = await runCommand(['export', '--out', at('players.ndjson'), '--store', at('from.db')]);
    expect([code, out]).toEqual([0, expect.stringMatching(/2 players with 1 entries/)]);
    expect(out).toMatch(
      /1 names without their password[^\n]*\n1 guests are left out[^\n]*\n1 are left out who are being/,
    );
    const file = readFileSync(at('players.ndjson'), 'utf8');
    expect(out).toContain(createHash('sha256').update(file).digest('hex'));
    expect(file).not.toMatch(/scrypt|pbkdf2|device|recovery|token|session/);
    expect(statSync(at('players.ndjson')).mode & 0o077).toBe(0);
    const line = linesOf('players.ndjson').find(({ userId }) => userId === adaId);
    expect(line).toMatchObject({ ...scope, name: { name: 'Ada' } });
    expect(await json('import', at('players.ndjson'), '--store', at('to.db'))).toMatchObject({ code: 0, created: 2 });
    await withStore('to.db', async (store) => {
      const service = createTestService({ store });
      const refused = await post(service, operations.signInWithName.path, ada, { deviceId: 'elsewhere' });
      expect(refused.status).toBe(401);
      expect((await store.findLink({ ...scope, method: 'name', subject: 'ada' }))?.credential).toBeNull();
    });
  });

  it('of one game and environment says neither in its lines, so that they fit another one', async () => {
    await fill();
    const one = ['--game-id', testGameId, '--environment', '0'];
    await json('export', '--out', at('one.ndjson'), '--store', at('from.db'), ...one);
    expect(linesOf('one.ndjson').some((line) => 'gameId' in line || 'environment' in line)).toBe(false);
    const stage = ['--game-id', testGameId, '--environment', '1', '--store', at('from.db')];
    expect(await json('import', at('one.ndjson'), ...stage)).toMatchObject({ code: 0, created: 2 });
    const other = ['export', '--out', at('other.ndjson'), '--store', at('from.db'), '--environment', '2'];
    expect(await json(...other)).toMatchObject({ code: 0, players: 0 });
  });

  it('leaves no file where it fails, and writes over none', async () => {
    await fill();
    writeFileSync(at('there'), 'mine');
    const refused = await runCommand(['export', '--out', at('there'), '--store', at('from.db')]);
    expect([refused.code, readFileSync(at('there'), 'utf8')]).toEqual([2, 'mine']);
    const stop = AbortSignal.abort();
    const ended = await runCommand(['export', '--out', at('out'), '--store', at('from.db')], { stop });
    expect([ended.code, ended.err]).toEqual([130, expect.stringContaining('run it again')]);
    expect(readdirSync(folder).filter((name) => name.includes('out'))).toEqual([]);
    expect(await runCommand(['export', '--store', at('from.db')])).toMatchObject({ code: 2 });
  });

  it('makes no store where there is none, and says so: nobody takes a mistyped name for a service without players', async () => {
    const { code, err } = await runCommand(['export', '--out', at('out'), '--store', at('form.db')]);
    expect([code, err]).toEqual([2, expect.stringContaining(`there is no file ${at('form.db')}`)]);
    expect(readdirSync(folder)).toEqual([]);
  });
});
