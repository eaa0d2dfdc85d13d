import { beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../../../src/protocol/operations.js';
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
  makeDivergedConflict,
  post,
  readText,
  send,
  signInGuest,
  type TestService,
  testGameId,
  testStart,
  useName,
  writeEntry,
} from '../../support/service.js';

const at = { collection: 'progress', key: 'main' };
const days = (count: number): number => count * 86_400_000;

let service: TestService;
let players: AdminPlayers;
beforeEach(() => {
  service = createOperatedService({ games: twoGames });
  players = adminOf(service).players(here);
});

/** A player with a name, an entry and a snapshot. */
async function ada() {
  const guest = await signInGuest(service);
  await useName(service, { username: 'Ada', password: 'correct horse' }, { token: guest.accessToken });
  await writeEntry(service, guest, { value: { level: 1 } });
  await writeEntry(service, guest, { value: { level: 2 } });
  return guest;
}

/** A change of a player, as one that would be made. */
interface Change {
  scope: 'support' | 'admin';
  /** What has to be there before; answers the id of what is to change, where that is not the player alone. */
  before?: (user: string) => Promise<unknown>;
  make: (by: AdminPlayers, user: string, id: string) => Promise<unknown>;
}

/** A second device signs in by the name of a player, and chooses the account that is there. */
async function chooseThere(user: string): Promise<string | undefined> {
  const other = await signInGuest(service, 'device-two');
  const name = { username: 'Ada', password: 'correct horse' };
  const request = { token: other.accessToken, deviceId: 'device-two' };
  const met = await post(service, operations.signInWithName.path, name, request);
  const choice = { ticket: met.body.conflict.ticket, choice: 'cloud' };
  expect((await post(service, '/v2/auth/conflict', choice, { deviceId: 'device-two' })).status).toBe(200);
  return (await players.get(user)).choice?.id;
}

const changes: { [what: string]: Change } = {
  'an entry': {
    scope: 'support',
    make: (by, user) => by.updateEntry(user, { ...at, value: { level: 9 }, version: 1 }),
  },
  'a snapshot': {
    scope: 'support',
    before: async (user) => (await players.snapshots(user))[0]?.id,
    make: (by, user, snapshot) => by.restoreSnapshot(user, snapshot),
  },
  'all sessions': { scope: 'support', make: (by, user) => by.signOut(user) },
  'a login method': { scope: 'support', make: (by, user) => by.unlink(user, 'name') },
  'a device': {
    scope: 'support',
    before: async (user) => (await players.get(user)).devices[0]?.id,
    make: (by, user, device) => by.revokeDevice(user, device),
  },
  'a lost account': { scope: 'support', make: (by, user) => by.restore(user, { deviceId: 'device-two' }) },
  'the end of a deletion': {
    scope: 'support',
    before: (user) => players.delete(user),
    make: (by, user) => by.restore(user),
  },
  'a sign-in code': { scope: 'support', make: (by, user) => by.makeSignInCode(user) },
  'a code for a new password': { scope: 'support', make: (by, user) => by.makeResetCode(user) },
  'a choice that is taken back': {
    scope: 'support',
    before: chooseThere,
    make: (by, user, choice) => by.undoChoice(user, choice),
  },
  'a ban': { scope: 'support', make: (by, user) => by.ban(user, { reason: 'cheating' }) },
  'the end of a ban': {
    scope: 'support',
    before: (user) => players.ban(user, { reason: 'cheating' }),
    make: (by, user) => by.unban(user),
  },
  'an export': { scope: 'support', make: (by, user) => by.export(user) },
  'a merge': {
    scope: 'admin',
    before: async () => (await signInGuest(service, 'device-nine')).userId,
    make: (by, user, from) => by.merge(from, { into: user }),
  },
  'a deletion': { scope: 'admin', make: (by, user) => by.delete(user) },
};
const all = Object.entries(changes);
/** What a key with the scope `read` may ask for. */
const reads = new Set(['find', 'list', 'get', 'entries', 'entry', 'snapshots', 'snapshot', 'audit', 'timeline']);

/** A player of whom a change can be made, and all that it could change. */
async function meant({ before }: Change) {
  const { userId } = await ada();
  const id = (await before?.(userId)) as string;
  const picture = async () => [
    await players.get(userId),
    await players.entries(userId),
    await players.snapshots(userId),
    (await adminOf(service).audit()).entries,
  ];
  return { userId, id, picture };
}

describe('a change of a player', () => {
  it.each(all)('is made by a key that allows it, and noted: %s', async (what, change) => {
    const { userId, id } = await meant(change);
    const grace = await operatorOf(service, change.scope, 'grace');
    const { entries: earlier } = await adminOf(service).audit();
    await change.make(grace.players(here), userId, id);
    const [latest] = (await players.audit(userId)).entries;
    expect(latest).toMatchObject({ by: { name: 'grace' }, gameId: testGameId, env: 0, userId, at: testStart });
    // What concerns two accounts is in the logs of both.
    const isOfTwo = what === 'a merge' || what === 'a choice that is taken back';
    expect((await adminOf(service).audit()).entries).toHaveLength(earlier.length + (isOfTwo ? 2 : 1));
  });

  it.each(all)('is refused to a key that allows less, and changes and notes nothing: %s', async (_, change) => {
    const { userId, id, picture } = await meant(change);
    const lesser = change.scope === 'admin' ? (['read', 'support'] as const) : (['read'] as const);
    const operators = await Promise.all(lesser.map((scope) => operatorOf(service, scope)));
    const before = await picture();
    for (const operator of operators) {
      const made = change.make(operator.players(here), userId, id);
      await expect(made).rejects.toMatchObject({ code: 'insufficient_scope' });
    }
    expect(await picture()).toEqual(before);
  });

  it.each(all)('is refused in another game, in another environment and for nobody: %s', async (_, change) => {
    const { userId, id, picture } = await meant(change);
    const others = adminOf(service).players({ gameId: otherGame.id, environment: 0 });
    const stage = adminOf(service).players({ gameId: testGameId, environment: 1 });
    const before = await picture();
    for (const [elsewhere, user] of [
      [others, userId],
      [stage, userId],
      [players, nobody],
    ] as const) {
      await expect(change.make(elsewhere, user, id)).rejects.toMatchObject({ code: 'user_not_found' });
    }
    expect(await picture()).toEqual(before);
  });

  it('is in the table above, whichever the SDK can make', () => {
    const made = new Set<string>();
    const recorder = new Proxy(players, {
      get: (_, name) => async () => void made.add(String(name)),
    });
    for (const { make } of Object.values(changes)) void make(recorder, '', '');
    expect([...made].sort()).toEqual(
      Object.keys(players)
        .filter((name) => !reads.has(name))
        .sort(),
    );
  });
});

describe('an entry', () => {
  it('is changed by its version, and what was there can be restored', async () => {
    const { userId } = await ada();
    expect(await players.updateEntry(userId, { ...at, value: { level: 9 }, version: 1 })).toEqual({ version: 2 });
    const [former] = await players.snapshots(userId);
    expect(former).toMatchObject({ reason: 'overwrite', entries: 1 });
    const [noted] = (await players.audit(userId)).entries;
    expect(noted).toMatchObject({ what: at, before: { version: 1, snapshot: former?.id }, after: { version: 2 } });
    expect(await players.restoreSnapshot(userId, former?.id as string)).toEqual([{ ...at, version: 3 }]);
    expect((await players.entry(userId, at)).value).toEqual({ level: 2 });
  });

  it.each([
    [{ value: {}, version: 0 }, 'version_mismatch'],
    [{ value: [], version: 1 }, 'invalid_request'],
    [{ version: 1 }, 'invalid_request'],
    [{ value: {}, version: '1' }, 'invalid_version'],
    [{ value: { text: 'x'.repeat(200_000) }, version: 1 }, 'too_large'],
    [null, 'invalid_request'],
  ])('is not changed by %j', async (body, code) => {
    const { userId } = await ada();
    const path = `/v2/admin/games/${testGameId}/players/${userId}/entries/progress/main?env=0`;
    expect((await send(service, path, { method: 'PATCH', token: testOperatorKey, body })).body.code).toBe(code);
    expect((await players.entry(userId, at)).version).toBe(1);
    expect((await players.audit(userId)).entries).toEqual([]);
  });
});

it('a save that was lost by a wrong choice is back, with the choice seen and the return noted', async () => {
  const { local, cloud, ticket } = await makeDivergedConflict(service);
  const resolved = await post(service, '/v2/auth/conflict', { ticket, choice: 'cloud' }, { deviceId: 'device-two' });
  const [found] = await players.find({ name: 'ada' });
  expect(found?.userId).toBe(cloud.userId);
  const [lost] = await players.snapshots(cloud.userId);
  expect(lost).toMatchObject({ reason: 'cloud', fromUserId: local.userId });
  await players.restoreSnapshot(cloud.userId, lost?.id as string);
  expect(JSON.parse(await readText(service, resolved.body))).toMatchObject([
    { key: 'fresh', value: { b: 100 } },
    { key: 'main', value: { coins: 1 } },
    { key: 'old', value: { a: 1 } },
  ]);
  const [noted] = (await players.audit(cloud.userId)).entries;
  expect(noted).toMatchObject({ action: 'restorePlayerSnapshot', what: { snapshot: lost?.id }, after: { entries: 2 } });
});

describe('an account', () => {
  it('that is deleted and restored is as it was, and the code in the answer lets the player in', async () => {
    const { userId, accessToken } = await ada();
    const deleted = await players.delete(userId);
    expect(deleted).toMatchObject({ userId, removedAt: testStart + days(30) });
    expect((await send(service, '/v2/auth/account', { token: accessToken })).status).toBe(401);
    expect((await players.list({ list: 'deleted' })).players).toMatchObject([{ userId, deletedAt: testStart }]);
    const signIn = () => post(service, '/v2/auth/name', { username: 'ada', password: 'correct horse' });
    expect((await signIn()).body.code).toBe('account_deleted');
    await players.restore(userId);
    expect((await signIn()).body.userId).toBe(userId);
    const byCode = await post(service, '/v2/auth/recovery', { code: deleted.recoveryCode });
    expect(byCode.body.userId).toBe(userId);
    expect(JSON.stringify((await players.audit(userId)).entries)).not.toContain(deleted.recoveryCode);
  });

  it('that its player is deleting keeps the code that the player has', async () => {
    const { accessToken, userId } = await ada();
    const own = await send(service, '/v2/auth/account', { method: 'DELETE', token: accessToken });
    await expect(players.delete(userId)).rejects.toMatchObject({
      code: 'account_deleted',
      removedAt: own.body.removedAt,
    });
    const again = await send(service, '/v2/auth/account', { method: 'DELETE', token: accessToken });
    expect(again.status).toBe(200);
  });

  it('that two operators delete in the same moment is deleted once, and the second one is told so', async () => {
    const { userId } = await ada();
    const both = await Promise.allSettled([players.delete(userId), players.delete(userId)]);
    const refused = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toEqual([expect.objectContaining({ code: 'account_deleted', removedAt: testStart + days(30) })]);
  });

  it('that nothing leads to is given to the device of a player again', async () => {
    const { local, ticket } = await makeDivergedConflict(service);
    await post(service, '/v2/auth/conflict', { ticket, choice: 'cloud' }, { deviceId: 'device-two' });
    await players.restore(local.userId, { deviceId: 'device-nine' });
    expect((await signInGuest(service, 'device-nine')).userId).toBe(local.userId);
    expect(JSON.stringify((await players.audit(local.userId)).entries)).not.toContain('device-nine');
  });

  it('keeps its last way in', async () => {
    const { userId } = await signInGuest(service);
    await expect(players.unlink(userId, 'device')).rejects.toMatchObject({ code: 'would_orphan' });
    expect((await players.audit(userId)).entries).toEqual([]);
  });
});

it('an export is what the player can export, and is noted though nothing changes', async () => {
  const { userId, accessToken } = await ada();
  const own = await send(service, '/v2/auth/account/export', { token: accessToken });
  expect(await players.export(userId)).toEqual(own.body);
  expect((await players.audit(userId)).entries).toMatchObject([{ action: 'exportPlayer', what: {} }]);
});
