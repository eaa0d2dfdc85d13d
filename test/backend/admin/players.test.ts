import { beforeEach, describe, expect, it } from 'vitest';
import type { AdminPlayers } from '../../../src/server/index.js';
import {
  adminOf,
  createOperatedService,
  here,
  nobody,
  operatorOf,
  otherGame,
  testOperatorKey,
  twoGames,
} from '../../support/operators.js';
import {
  authenticateForGame,
  makeDivergedConflict,
  post,
  send,
  signInGuest,
  type TestService,
  testGameId,
  testStart,
  useName,
  writeEntry,
} from '../../support/service.js';

let service: TestService;
let players: AdminPlayers;
beforeEach(() => {
  const zoo = (token: string) => ({ id: `of ${token}` });
  service = createOperatedService({ games: twoGames.map((game) => ({ ...game, socialPlatforms: { zoo } })) });
  players = adminOf(service).players(here);
});

/** The answer to a list of players, asked with what stands behind the question mark. */
const ask = (query: string, path = `/v2/admin/games/${testGameId}/players`) =>
  send(service, `${path}?env=0&${query}`, { token: testOperatorKey });

describe('a player', () => {
  it('is found by id, name, custom id, and at a provider', async () => {
    const guest = await signInGuest(service);
    await useName(service, { username: 'Ada', password: 'correct horse' }, { token: guest.accessToken });
    const { userId: custom } = await authenticateForGame(service, { body: { device_id: 'of-the-game' } });
    const found = async (...who: Parameters<AdminPlayers['find']>) =>
      (await players.find(...who)).map(({ userId }) => userId);
    expect(await found({ id: guest.userId.toUpperCase() })).toEqual([guest.userId]);
    expect(await found({ name: 'ＡＤＡ' })).toEqual([guest.userId]);
    expect(await found({ customId: 'custom-1' })).toEqual([custom]);
    expect(await found({ id: nobody })).toEqual([]);
    expect(await found({ id: 'x' })).toEqual([]);
    const token = { token: 'ada', platform: 'zoo' };
    expect((await post(service, '/v2/auth/social', token, { token: guest.accessToken })).status).toBe(200);
    expect(await found({ method: 'social', provider: 'zoo', subject: 'of ada' })).toEqual([guest.userId]);
    for (const other of [
      { method: 'social', provider: 'zoo', subject: 'ada' },
      { method: 'social', provider: 'garden', subject: 'of ada' },
      { method: 'identity', provider: 'zoo', subject: 'of ada' },
    ] as const)
      expect(await found(other)).toEqual([]);
  });

  it('is found by what was given alone: a pattern, a prefix and a text that looks alike find nobody', async () => {
    const guest = await signInGuest(service);
    await useName(service, { username: 'ada', password: 'correct horse' }, { token: guest.accessToken });
    for (const name of [
      'a%',
      '%',
      '_da',
      'ad',
      'adaa',
      "a' OR '1'='1",
      '*',
      'аda',
      'a\u202eda',
      '\\',
      '"',
      '[',
      '💾',
    ]) {
      const { status, body } = await ask(`name=${encodeURIComponent(name)}`);
      expect([status, body.players]).toEqual([200, []]);
    }
  });

  it.each([
    'name=',
    `name=${'x'.repeat(513)}`,
    `custom=${'%00'.repeat(10_000)}`,
    'name=a%00b',
    'id=1&name=ada',
    'method=name&provider=x&subject=y',
    'method=social&subject=y',
    'method=social&provider=wave',
    'list=all',
    'list=',
    'limit=1000',
    'cursor=x',
    `list=deleted&cursor=${btoa(`["newest",1,"${nobody}"]`)}`,
  ])('is refused as a form: %s', async (query) => {
    const { status, body } = await ask(query);
    expect([status, ['invalid_request', 'name_not_allowed'].includes(body.code)]).toEqual([400, true]);
  });

  it('is shown with all that leads there, and nothing that lets anybody in', async () => {
    const guest = await signInGuest(service);
    await useName(service, { username: 'Ada', password: 'correct horse' }, { token: guest.accessToken });
    await writeEntry(service, guest, { value: { secret: 'of the player' } });
    const recovery = await send(service, '/v2/auth/account/recovery-code', {
      method: 'POST',
      token: guest.accessToken,
    });
    const player = await players.get(guest.userId);
    expect(player).toMatchObject({
      userId: guest.userId,
      createdAt: testStart,
      lastSeenAt: testStart,
      deviceCount: 1,
      methods: [{ method: 'name', label: 'Ada' }, { method: 'recovery' }],
      devices: [{ linkedAt: testStart }],
      sessions: [{ method: 'device', openedAt: testStart, device: player.devices[0]?.id }],
      usage: { entries: { used: 1 }, sessions: { used: 1 } },
      conflicts: [],
    });
    const text = JSON.stringify(player);
    for (const secret of ['device-one', 'of the player', recovery.body.code, guest.refreshToken]) {
      expect(text).not.toContain(secret);
    }
    expect(text).not.toMatch(/credential|scrypt|pbkdf2|subject|refresh/);
  });

  it('is shown in the conflict that is open, and with the choice that was made', async () => {
    const { local, cloud, ticket } = await makeDivergedConflict(service);
    const sides = { method: 'name', localUserId: local.userId, cloudUserId: cloud.userId };
    expect((await players.get(cloud.userId)).conflicts[0]).toMatchObject(sides);
    await post(service, '/v2/auth/conflict', { ticket, choice: 'cloud' }, { deviceId: 'device-two' });
    const chosen = await players.get(cloud.userId);
    expect([chosen.conflicts, chosen.choice?.fromUserId]).toEqual([[], local.userId]);
    const inList = { ...chosen.choice, userId: cloud.userId };
    expect(await adminOf(service).choices(here)).toEqual({ choices: [inList] });
    const [snapshot] = await players.snapshots(cloud.userId);
    expect(snapshot).toMatchObject({ reason: 'cloud', fromUserId: local.userId, entries: 2 });
    const { content } = await players.snapshot(cloud.userId, snapshot?.id as string);
    expect(content.map(({ key, value }) => [key, value])).toEqual([
      ['fresh', { b: 100 }],
      ['main', { coins: 1 }],
    ]);
    const { players: orphans } = await players.list({ list: 'orphaned' });
    expect(orphans.map(({ userId, orphanedAt }) => [userId, orphanedAt])).toEqual([[local.userId, testStart]]);
  });

  it('has entries, listed without their values and read one by one, letter for letter', async () => {
    const guest = await signInGuest(service);
    for (const key of ['a', 'b', 'c']) await writeEntry(service, guest, { key, value: { n: 1 } });
    const first = await players.entries(guest.userId, { limit: 2 });
    const second = await players.entries(guest.userId, { limit: 2, cursor: first.cursor });
    expect([...first.entries, ...second.entries].map(({ key, bytes }) => [key, bytes])).toEqual([
      ['a', 7],
      ['b', 7],
      ['c', 7],
    ]);
    expect(second.cursor).toBeUndefined();
    expect(await players.entry(guest.userId, { collection: 'progress', key: 'b' })).toEqual({
      collection: 'progress',
      key: 'b',
      value: { n: 1 },
      version: 0,
      changedAt: testStart,
    });
    const junk = encodeURIComponent(btoa('["entries","a\\u0000","b"]'));
    const { status } = await ask(`cursor=${junk}`, `/v2/admin/games/${testGameId}/players/${guest.userId}/entries`);
    expect(status).toBe(400);
  });
});

describe('a list', () => {
  it('is read to its end while players come', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.unshift((await signInGuest(service, `device-${n}`)).userId);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await players.list({ limit: 2, cursor });
      seen.push(...page.players.map(({ userId }) => userId));
      cursor = page.cursor;
      service.backend.control.advance(1);
      await signInGuest(service, `device-later-${seen.length}`);
    } while (cursor !== undefined);
    expect(seen.sort()).toEqual(made.sort());
  });
});

describe('a player of another game or environment', () => {
  it('is nobody, whatever is asked', async () => {
    const { userId } = await signInGuest(service);
    const others = adminOf(service).players({ gameId: otherGame.id, environment: 0 });
    const stage = adminOf(service).players({ gameId: testGameId, environment: 1 });
    for (const elsewhere of [others, stage]) {
      expect((await elsewhere.list()).players).toEqual([]);
      expect(await elsewhere.find({ id: userId })).toEqual([]);
      const at = { collection: 'a', key: 'b' };
      for (const call of [
        () => elsewhere.get(userId),
        () => elsewhere.entries(userId),
        () => elsewhere.entry(userId, at),
        () => elsewhere.snapshots(userId),
        () => elsewhere.snapshot(userId, nobody),
      ]) {
        await expect(call()).rejects.toMatchObject({ code: 'user_not_found' });
      }
      expect((await elsewhere.audit(userId)).entries).toEqual([]);
    }
    const unknown = adminOf(service).players({ gameId: nobody, environment: 0 });
    await expect(unknown.list()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is not reached by a game that is not there, nor without an environment', async () => {
    for (const [path, code] of [
      ['/v2/admin/games/x/players?env=0', 'not_found'],
      [`/v2/admin/games/${testGameId}/players`, 'invalid_env'],
      [`/v2/admin/games/${testGameId}/players?env=0&env=1`, 'invalid_env'],
      [`/v2/admin/games/${testGameId}/players/x?env=0`, 'user_not_found'],
      [`/v2/admin/games/${testGameId}/players/%00?env=0`, 'user_not_found'],
    ] as const) {
      expect((await send(service, path, { token: testOperatorKey })).body.code).toBe(code);
      expect((await send(service, path, { token: 'x' })).body.code).toBe('unauthorized');
    }
  });
});

it('a key that may read looks at everything', async () => {
  const { userId } = await signInGuest(service);
  const reader = (await operatorOf(service, 'read')).players(here);
  expect((await reader.list()).players).toHaveLength(1);
  expect((await reader.get(userId)).userId).toBe(userId);
  expect(await reader.snapshots(userId)).toEqual([]);
});
