import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServedBackend, serve } from 'savepoint/backend/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOperatedService, testOperatorKey } from '../support/operators.js';
import {
  authenticateForGame,
  makeDivergedConflict,
  post,
  readText,
  send,
  signInGuest,
  type TestService,
  testGameId,
  useName,
  writeEntry,
} from '../support/service.js';
import { runCommand } from './in-process.js';

let folder: string;
let service: TestService;
let served: ServedBackend;
let env: { [name: string]: string };

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-players-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
  service = createOperatedService();
  served = await serve(service.backend, { port: 0 });
  env = {
    SAVEPOINT_URL: served.url,
    SAVEPOINT_OPERATOR_KEY: testOperatorKey,
    SAVEPOINT_GAME_ID: testGameId,
    SAVEPOINT_ENV: 'development',
  };
});
afterEach(() => served.close());

const players = (...args: string[]) => runCommand(['players', ...args], { env });
/** A command that has to succeed, as what it printed. */
async function done(...args: string[]): Promise<string> {
  const { code, out, err } = await players(...args);
  expect([code, err]).toEqual([0, '']);
  return out;
}

async function ada() {
  const guest = await signInGuest(service);
  await useName(service, { username: 'Ada', password: 'correct horse' }, { token: guest.accessToken });
  return guest;
}

describe('savepoint players', () => {
  it('breaks no line of a terminal anywhere: what is wider than 80 characters is a block for each player, line by line', async () => {
    const { cloud, ticket } = await makeDivergedConflict(service);
    await post(service, '/v2/auth/conflict', { ticket, choice: 'cloud' }, { deviceId: 'device-two' });
    const narrow = (...args: string[]) => runCommand(['players', ...args], { env, width: 80 });
    const { out } = await narrow('list');
    expect(out).toMatch(
      /^USER {5}[0-9a-f-]{36}\nMADE {5}\S+ \S+\nSEEN {5}\S+ \S+\nMETHODS {2}.*\n(STATE .*\n)?\nUSER /,
    );
    expect(out).toContain('METHODS  name ada, 2 devices\n');
    const shown = (await narrow('show', '--user', cloud.userId)).out;
    expect(shown).toMatch(/\nSnapshots\nSNAPSHOT {2}[0-9a-f-]{36}\nREASON {4}cloud\n/);
    expect(shown).toContain('\nCOLLECTION  KEY ');
    expect(`${out}${shown}`.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('says what is wrong with an address, and how somebody is looked for', async () => {
    const url = await runCommand(['games', '--url', 'saves.example.com'], { env });
    expect([url.code, url.err]).toEqual([2, expect.stringContaining('such as https://saves.example.com')]);
    const bare = await players('find', 'ada');
    expect([bare.code, bare.err]).toEqual([2, expect.stringContaining('such as --name <name>')]);
  });

  it('plays a case through: a wrong choice is found, seen and taken back', async () => {
    const { cloud, local, ticket } = await makeDivergedConflict(service);
    const resolved = await post(service, '/v2/auth/conflict', { ticket, choice: 'cloud' }, { deviceId: 'device-two' });
    const found = await done('find', '--name', 'Ada');
    expect(found).toMatch(/^USER +MADE +SEEN +METHODS +STATE\n/);
    const [, user = ''] = /\n([0-9a-f-]{36}) /.exec(found) ?? [];
    expect(user).toBe(cloud.userId);
    const shown = await done('show', '--user', user);
    for (const part of ['Login methods', 'Devices', 'Sessions', 'Usage', 'Saves', 'Snapshots']) {
      expect(shown).toContain(`\n${part}\n`);
    }
    const [, snapshot = ''] = new RegExp(`\\n([0-9a-f-]{36}) +cloud .*${local.userId}`).exec(shown) ?? [];
    expect(await done('restore', '--user', user, '--snapshot', snapshot)).toMatch(/progress +fresh +0/);
    expect(await readText(service, resolved.body)).toContain('{"coins": 1}');
    const after = JSON.parse(await done('show', '--user', user, '--json'));
    expect(after.audit.entries[0]).toMatchObject({ action: 'restorePlayerSnapshot', what: { snapshot } });
    expect(after.snapshots[0].reason).toBe('restore');
    const [, audit = ''] = (await done('show', '--user', user)).split('\nWhat was done and chosen\n');
    const [head, latest, chosen, ...more] = audit.trimEnd().split('\n');
    expect([head, more]).toEqual([expect.stringMatching(/^WHEN +WHO +WHAT +DETAILS +SNAPSHOT$/), []]);
    expect(latest).toMatch(/ the key of the environment +restorePlayerSnapshot +/);
    expect(chosen).toMatch(new RegExp(` the player +chose cloud +over ${local.userId} +${snapshot}$`));
  });

  it('shows what an operator has merged as no choice of the player, also where the player has chosen since', async () => {
    const { cloud, ticket } = await makeDivergedConflict(service);
    const third = await signInGuest(service, 'device-three');
    await writeEntry(service, third, { value: { coins: 3 } });
    await done('merge', '--user', third.userId, '--into', cloud.userId, '--yes');
    const deeds = async () => {
      const [, audit = ''] = (await done('show', '--user', cloud.userId)).split('\nWhat was done and chosen\n');
      return audit.match(/chose \w+|mergePlayers/g);
    };
    expect(await deeds()).toEqual(['mergePlayers']);
    await post(service, '/v2/auth/conflict', { ticket, choice: 'cloud' }, { deviceId: 'device-two' });
    expect((await deeds())?.sort()).toEqual(['chose cloud', 'mergePlayers']);
  });

  it('tells what happened, page by page, with the snapshot by which it is taken back', async () => {
    const { cloud, local, ticket } = await makeDivergedConflict(service);
    await post(service, '/v2/auth/conflict', { ticket, choice: 'cloud' }, { deviceId: 'device-two' });
    const told = await done('timeline', '--user', cloud.userId);
    expect(told).toMatch(/^WHEN +WHAT +DETAILS +SNAPSHOT\n/);
    expect(told).toMatch(/\n\S+ \S+ +written +progress\/old version 0\n/);
    expect(told).toMatch(/\n\S+ \S+ +signed in by name +on \S+, open until /);
    expect(told).toMatch(/\n\S+ \S+ +linked name +ada\n/);
    expect(told).toMatch(/\n\S+ \S+ +made\n$/);
    const line = new RegExp(`chosen +this account, that of the login, over ${local.userId} +([0-9a-f-]{36})\\n`);
    const [, snapshot = ''] = line.exec(told) ?? [];
    await done('restore', '--user', cloud.userId, '--snapshot', snapshot);
    expect(await done('timeline', '--user', cloud.userId)).toMatch(
      /undone +a snapshot was restored; 1 save of before kept +[0-9a-f-]{36}\n/,
    );
    expect(await done('timeline', '--user', cloud.userId)).toMatch(
      /restorePlayerSnapshot +the key of the environment: /,
    );
    const first = await players('timeline', '--user', cloud.userId, '--limit', '2', '--json');
    const { events, cursor } = JSON.parse(first.out);
    expect(events).toHaveLength(2);
    const rest = JSON.parse(await done('timeline', '--user', cloud.userId, '--cursor', cursor, '--json'));
    const all = JSON.parse(await done('timeline', '--user', cloud.userId, '--json'));
    expect([...events, ...rest.events]).toEqual(all.events);
    const { err } = await players('timeline', '--user', cloud.userId, '--limit', '2');
    expect(err).toContain(`--cursor ${cursor}`);
    expect((await players('timeline', '--user', local.userId)).out).toContain(' orphaned ');
  });

  it('takes the latest choice back, once', async () => {
    const { cloud, local, ticket } = await makeDivergedConflict(service);
    await post(service, '/v2/auth/conflict', { ticket, choice: 'cloud' }, { deviceId: 'device-two' });
    expect(await done('show', '--user', cloud.userId)).toMatch(
      new RegExp(`\\nThe latest choice\\n.*\\ncloud .*${local.userId} +device\\n`),
    );
    expect(await done('undo', '--user', cloud.userId)).toBe(
      `device lead to ${local.userId} again; 0 saves were written back\n`,
    );
    expect((await signInGuest(service, 'device-two')).userId).toBe(local.userId);
    const again = await players('undo', '--user', cloud.userId);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('no choice')]);
  });

  it('takes a login method away, or a device, and not the last way in', async () => {
    const { userId } = await ada();
    const { devices } = JSON.parse(await done('show', '--user', userId, '--json')).player;
    const unlink = (...more: string[]) => players('unlink', '--user', userId, ...more);
    for (const [given, said] of [
      [[], '--method <kind>, or --device <name>'],
      [['--method', 'name', '--device', 'x'], '--method <kind>, or --device <name>'],
      [['--method', 'telepathy'], 'method must be one of'],
      [['--method', 'social'], '(not_found)'],
      [['--device', 'none'], '(not_found)'],
    ] as const) {
      const refused = await unlink(...given);
      expect([refused.code, refused.out, refused.err]).toEqual([2, '', expect.stringContaining(said)]);
    }
    expect((await unlink('--device', devices[0].id)).out).toContain('no longer');
    const last = await unlink('--method', 'name');
    expect([last.code, last.err]).toEqual([2, expect.stringContaining('(would_orphan)')]);
    const shown = await done('show', '--user', userId);
    expect(shown).toContain('revokePlayerDevice');
    expect(shown).not.toContain('\nDevices\n');
  });

  it('deletes a player who is named and meant, and restores the account', async () => {
    const { userId, accessToken } = await ada();
    const hasty = await players('delete', '--user', userId);
    expect([hasty.code, hasty.err]).toEqual([2, expect.stringContaining('--yes')]);
    expect(await done('delete', '--user', userId, '--yes')).toMatch(
      /removed at 2026-02-14 12:00:00.*\n.*: [0-9A-Z-]+\n/,
    );
    expect((await send(service, '/v2/auth/account', { token: accessToken })).status).toBe(401);
    expect(await done('list', '--list', 'deleted')).toContain('deleted 2026-01-15');
    expect(await done('restore', '--user', userId, '--deletion')).toContain('there again');
    const device = join(folder, 'device');
    writeFileSync(device, 'device-nine\n');
    await done('restore', '--user', userId, '--deletion', '--device-file', device);
    expect((await signInGuest(service, 'device-nine')).userId).toBe(userId);
  });

  it('bans a player until a day, shows it, and ends that', async () => {
    const { userId } = await ada();
    const ban = (...more: string[]) => players('ban', '--user', userId, '--reason', 'You have sold coins.', ...more);
    expect((await ban('--until', '2026-02-01')).out).toBe('the player is banned until 2026-02-01 00:00:00\n');
    expect(await done('show', '--user', userId)).toMatch(
      /state +banned until 2026-02-01 00:00:00 since .*: You have sold coins\.\n/,
    );
    expect(await done('list', '--list', 'banned')).toContain('banned until 2026-02-01 00:00:00');
    expect(await done('unban', '--user', userId)).toBe('the player can sign in again\n');
    expect((await players('unban', '--user', userId)).code).toBe(2);
    expect((await ban()).out).toBe('the player is banned for good\n');
    for (const until of [
      'tomorrow',
      '2026-02-01 18:00',
      '2026-13-01',
      '2026-02-01T18:00',
      '2026-02-30',
      '2026-02-29T18:00Z',
    ]) {
      expect([(await ban('--until', until)).code, (await ban('--until', until)).err]).toEqual([
        2,
        expect.stringContaining('2026-12-01'),
      ]);
    }
    const silent = await players('ban', '--user', userId);
    expect([silent.code, silent.err]).toEqual([2, expect.stringContaining('--reason')]);
  });

  it('says in one line of JSON what was done, of each that changes something', async () => {
    const { userId } = await ada();
    const said = async (verb: string, ...more: string[]) => {
      const line = await done(verb, '--user', userId, ...more, '--json');
      expect(line).toMatch(/^\{.*\}\n$/);
      return JSON.parse(line);
    };
    const { devices } = JSON.parse(await done('show', '--user', userId, '--json')).player;
    expect(await said('sign-out')).toEqual({ userId, signedOut: true });
    expect(await said('unlink', `--device=${devices[0].id}`)).toEqual({ userId, unlinked: { device: devices[0].id } });
    const until = Date.UTC(2026, 1, 1);
    const why = ['--reason', 'You have sold coins.'];
    const ban = { until, reason: 'You have sold coins.' };
    expect(await said('ban', ...why, '--until', '2026-02-01')).toEqual({ userId, ban });
    expect(await said('unban')).toEqual({ userId, ban: null });
    expect(await said('ban', ...why)).toEqual({ userId, ban: { ...ban, until: null } });
    await said('unban');
    expect(await said('delete', '--yes')).toMatchObject({ userId, removedAt: expect.any(Number) });
    const device = join(folder, 'device-of-json');
    writeFileSync(device, 'device-nine\n');
    expect(await said('restore', '--deletion', '--device-file', device)).toEqual({ userId, restored: true });
    expect(await said('unlink', '--method', 'name')).toEqual({ userId, unlinked: { method: 'name' } });
  });

  it('exports into a file that only its owner can read, and never over another', async () => {
    const { userId } = await ada();
    const file = join(folder, 'export.json');
    await done('export', '--user', userId, '--out', file);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ userId });
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o077).toBe(0);
    const again = await players('export', '--user', userId, '--out', file);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('EEXIST')]);
    expect(JSON.parse(await done('export', '--user', userId))).toMatchObject({ userId });
  });

  it('merges two accounts at the word of support, once that is meant', async () => {
    const { userId: into } = await ada();
    await authenticateForGame(service, { body: { custom_user_id: 'a\u001b7', device_id: 'device-nine' } });
    const { userId } = await signInGuest(service, 'device-nine');
    const hasty = await players('merge', '--user', userId, '--into', into);
    expect([hasty.code, hasty.err]).toEqual([2, expect.stringContaining('--yes')]);
    expect((await players('merge', '--user', userId, '--yes')).err).toContain('--into');
    const odd = await players('merge', '--user', userId, '--into', into, '--yes', '--entries', 'mine');
    expect([odd.code, odd.err]).toEqual([2, expect.stringContaining('keep, take')]);
    const merged = await done('merge', '--user', userId, '--into', into, '--yes', '--entries', 'take');
    expect(merged).toBe(
      `custom, 1 devices lead to ${into} now; 0 saves were written\nthe game's own user a\\u{1b}7 is ${into} now\n`,
    );
    expect((await signInGuest(service, 'device-nine')).userId).toBe(into);
    expect(await done('list', '--list', 'orphaned')).toContain(userId);
  });

  it('makes a code that sets a new password', async () => {
    const { userId } = await ada();
    const [code = ''] = /^[\w-]+/.exec(await done('reset-code', '--user', userId)) ?? [];
    const body = { username: 'ada', code, new_password: 'battery staple' };
    expect((await post(service, '/v2/auth/reset', body)).status).toBe(204);
    expect(JSON.parse(await done('reset-code', '--user', userId, '--json')).code).not.toBe(code);
  });

  it('makes a code that signs in on another device', async () => {
    const { userId } = await signInGuest(service, 'device-gone');
    const said = await done('sign-in-code', '--user', userId);
    const [code = ''] = /^[\w-]+/.exec(said) ?? [];
    expect(said).toMatch(/ signs in to the account on another device, once, until /);
    const { body } = await post(service, '/v2/auth/recovery', { code }, { deviceId: 'device-new' });
    expect(body.userId).toBe(userId);
    expect(JSON.parse(await done('sign-in-code', '--user', userId, '--json')).code).not.toBe(code);
  });

  it('ends sessions, and lists in pages', async () => {
    const { userId, accessToken } = await ada();
    await signInGuest(service, 'device-two');
    expect(await done('sign-out', '--user', userId)).toBe('all sessions have ended\n');
    expect((await send(service, '/v2/auth/account', { token: accessToken })).status).toBe(401);
    const first = await players('list', '--limit', '1');
    const [, cursor = ''] = /--cursor (\S+)/.exec(first.err) ?? [];
    expect(JSON.parse(await done('list', '--cursor', cursor, '--json')).players).toHaveLength(1);
    const nobody = await players('find', '--name', 'nobody');
    expect([nobody.code, nobody.out, nobody.err]).toEqual([0, '', 'nobody is called so\n']);
  });

  it('writes what a player chose as text, whatever a terminal would make of it', async () => {
    await authenticateForGame(service, { body: { custom_user_id: 'a\u001b[2J\u202eb' } });
    const { out } = await players('list');
    expect(out).toContain('custom a\\u{1b}[2J\\u{202e}b');
    expect(out).not.toContain('\u001b');
  });

  it.each([
    [['kick'], 'say what to do'],
    [['show'], '--user'],
    [['show', '--user', 'x'], 'userId must be a UUID'],
    [['show', '--user', '11111111-1111-4111-8111-111111111111'], '(user_not_found)'],
    [['timeline'], '--user'],
    [['timeline', '--user', '11111111-1111-4111-8111-111111111111'], '(user_not_found)'],
    [['find'], 'options must have id, name, customId'],
    [['list', '--list', 'all'], '(invalid_request)'],
    [['list', '--limit', 'x'], 'limit must be an integer'],
    [['list', '--env', '5'], '--env production'],
    [['list', '--game', 'x'], 'gameId must be a UUID'],
    [['restore', '--user', '11111111-1111-4111-8111-111111111111'], '--snapshot <id>, or --deletion'],
  ])('says what is wrong with %j', async (args, said) => {
    const { code, out, err } = await players(...args);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(said)]);
    expect(err).toMatch(/^savepoint: [^\n]+\n$/);
  });

  it('takes no environment and no game for granted', async () => {
    for (const left of ['SAVEPOINT_ENV', 'SAVEPOINT_GAME_ID']) {
      const { [left]: _, ...rest } = env;
      expect((await runCommand(['players', 'list'], { env: rest })).code).toBe(2);
    }
  });
});
