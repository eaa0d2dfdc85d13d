import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore, type SqliteStore } from 'savepoint/backend/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Owner } from '../../src/backend/stores/records.js';
import { days } from '../../src/protocol/gaps/units.js';
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
    const service = createTestService({ store, clock: Date.now });
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
    expect(await json(...all)).toMatchObject({ code: 0, players: 4, entries: 1, deleted: 1, withoutPassword: 0 });
    expect(await json('import', out, '--store', at('to.db'))).toMatchObject({ code: 0, created: 4, refused: [] });
    for (const store of ['to.db', 'from.db']) {
      expect(await json('import', out, '--store', at(store))).toMatchObject({
        code: 0,
        created: 0,
        completed: 0,
        there: 4,
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
    expect(await json(...again)).toMatchObject({ players: 4 });
    const sorted = (name: string) => readFileSync(at(name), 'utf8').split('\n').sort();
    expect(sorted('again.ndjson').filter((line) => !line.includes('Ada'))).toEqual(
      sorted('all.ndjson').filter((line) => !line.includes('Ada')),
    );
  });

  it('has the e-mail addresses that players have verified', async () => {
    const name = { name: 'Eve', mailAddress: 'eve@example.com', mailAddressAt: 5 };
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
    expect([code, out]).toEqual([0, expect.stringMatching(/3 players with 1 entries/)]);
    expect(out).toMatch(
      /2 names without their password[^\n]*\n1 guests are left out[^\n]*\n1 of the players are being deleted/,
    );
    const file = readFileSync(at('players.ndjson'), 'utf8');
    expect(out).toContain(createHash('sha256').update(file).digest('hex'));
    expect(file).not.toMatch(/scrypt|pbkdf2|device|recovery|token|session/);
    expect(statSync(at('players.ndjson')).mode & 0o077).toBe(0);
    const line = linesOf('players.ndjson').find(({ userId }) => userId === adaId);
    expect(line).toMatchObject({ ...scope, name: { name: 'Ada' } });
    expect(await json('import', at('players.ndjson'), '--store', at('to.db'))).toMatchObject({ code: 0, created: 3 });
    await withStore('to.db', async (store) => {
      const service = createTestService({ store });
      const refused = await post(service, operations.signInWithName.path, ada, { deviceId: 'elsewhere' });
      expect(refused.status).toBe(401);
      expect((await store.findLink({ ...scope, method: 'name', subject: 'ada' }))?.credential).toBeNull();
    });
  });

  it('has who is being deleted: for that long they can take it back elsewhere, too, and then they are gone', async () => {
    const clock = () => Date.now() - days(29);
    const leaver = { username: 'Leaving', password: 'correct horse' };
    const left = await withStore('from.db', async (store) => {
      const service = createTestService({ store, clock });
      const player = await useName(service, leaver);
      await writeText(service, player, 'main', text);
      await send(service, operations.deleteAccount.path, { method: 'DELETE', token: player.accessToken });
      return player;
    });
    const out = ['export', '--out', at('all.ndjson'), '--store', at('from.db'), '--with-password-hashes'];
    expect(await json(...out)).toMatchObject({ players: 1, deleted: 1 });
    const into = ['import', at('all.ndjson'), '--store', at('to.db')];
    expect(await json(...into, '--dry-run')).toMatchObject({ created: 1 });
    expect(await json(...into)).toMatchObject({ code: 0, created: 1 });
    expect(await json(...into)).toMatchObject({ code: 0, there: 1 });
    const alone = { ...linesOf('all.ndjson')[0], deletedAt: undefined };
    writeFileSync(at('alone.ndjson'), JSON.stringify(alone));
    expect(await json('import', at('alone.ndjson'), '--store', at('to.db'))).toMatchObject({
      refused: [{ line: 1, path: '', problem: 'the player is being deleted' }],
    });
    await withStore('to.db', async (store) => {
      const { account } = (await store.readAccount({ ...scope, accountId: left.userId })) ?? {};
      expect(account?.deletedAt).toBe(linesOf('all.ndjson')[0].deletedAt);
      const service = createTestService({ store, clock: Date.now });
      const refused = await post(service, operations.signInWithName.path, leaver, { deviceId: 'elsewhere' });
      expect(refused).toMatchObject({ status: 403, body: { code: 'account_deleted' } });
      const later = createTestService({ store, clock: () => Date.now() + days(1) + 1 });
      await later.backend.sweep();
      expect(await store.readAccount({ ...scope, accountId: left.userId })).toBeNull();
    });
    const expired = { ...alone, deletedAt: Date.now() - days(31) };
    writeFileSync(at('expired.ndjson'), JSON.stringify(expired));
    const late = await json('import', at('expired.ndjson'), '--store', at('to.db'));
    expect(late).toMatchObject({ code: 0, created: 0, expired: 1, refused: [] });
  });

  it('has the platforms that players are linked by, with what is secret as it is sealed', async () => {
    const about = {
      preset: 'discord',
      isOn: true,
      settings: { clientId: '17', accepts: ['code'] },
      secrets: ['clientSecret'],
    };
    const sealed = 'v1.key.iv.text';
    const platform = { ...about, name: 'discord', sealed, issuer: null };
    const kept = { version: 0, takesOver: false, max: 9, now };
    const mark = { auditId: 'a', keyId: null, keyName: 'op', action: 'savePlatform', at: now, expiresAt: now + 1 };
    await fill();
    await withStore('from.db', async (store) => {
      const save = (one: typeof platform, auditId: string) =>
        store.changeAsOperator({
          change: 'savePlatform',
          request: { scope, platform: one, ...kept },
          mark: { ...mark, auditId },
        });
      await save(platform, 'b');
      await save({ ...platform, name: 'former', preset: 'steam' }, 'c');
      const removal = { scope, name: 'former', version: 2 };
      await store.changeAsOperator({ change: 'removePlatform', request: removal, mark: { ...mark, auditId: 'd' } });
    });
    const out = await json('export', '--out', at('all.ndjson'), '--store', at('from.db'));
    expect(out).toMatchObject({ code: 0, players: 3, platforms: 2 });
    const into = (name: string, ...more: string[]) => json('import', at(name), '--store', at('to.db'), ...more);
    expect(await into('all.ndjson', '--dry-run')).toMatchObject({ code: 0, created: 3, platforms: 2 });
    expect(await into('all.ndjson')).toMatchObject({ code: 0, created: 3, platforms: 2 });
    expect(await into('all.ndjson')).toMatchObject({ code: 0, there: 3, platforms: 0, refused: [] });
    await withStore('to.db', async (store) => {
      const { platforms, former } = await store.readPlatforms(scope);
      expect(platforms).toEqual([
        { ...platform, version: 1, createdAt: expect.any(Number), changedAt: expect.any(Number) },
      ]);
      expect(former).toEqual([{ name: 'former', preset: 'steam' }]);
      const entries = await store.readAudit({ owner: null, after: null, max: 9 });
      expect(entries.map(({ action, keyName }) => [action, keyName])).toContainEqual([
        'savePlatform',
        'savepoint import',
      ]);
    });
    const lines: object[] = [
      { ...scope, ...platform, sealed: 'another' },
      { ...scope, ...platform, name: 'former' },
      { ...scope, ...platform, name: 'A B' },
      { ...scope, ...platform, settings: { clientId: 17 } },
      { ...scope, name: 'discord', preset: 'steam', isGone: true },
      { ...scope, ...platform, environment: 1 },
    ];
    writeFileSync(at('odd.ndjson'), lines.map((line) => JSON.stringify({ platform: line })).join('\n'));
    const { refused, platforms } = await into('odd.ndjson', '--game-id', testGameId, '--environment', '0');
    expect([platforms, refused.map(({ problem }: { problem: string }) => problem)]).toEqual([
      0,
      [
        'another platform is registered under this name',
        'players are linked by this name, whom the preset steam has checked',
        'must be a platform as savepoint exports it',
        'must be a platform as savepoint exports it',
        'players are linked by this name, whom the preset discord has checked',
        'it is another one than --environment',
      ],
    ]);
    const one = ['--game-id', testGameId, '--environment', '0'];
    const elsewhere = await json('export', '--out', at('one.ndjson'), '--store', at('from.db'), ...one);
    expect(elsewhere).toMatchObject({ players: 3, platforms: 0 });
  });

  it('of one game and environment says neither in its lines, so that they fit another one', async () => {
    await fill();
    const one = ['--game-id', testGameId, '--environment', '0'];
    await json('export', '--out', at('one.ndjson'), '--store', at('from.db'), ...one);
    expect(linesOf('one.ndjson').some((line) => 'gameId' in line || 'environment' in line)).toBe(false);
    const stage = ['--game-id', testGameId, '--environment', '1', '--store', at('from.db')];
    expect(await json('import', at('one.ndjson'), ...stage)).toMatchObject({ code: 0, created: 3 });
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
