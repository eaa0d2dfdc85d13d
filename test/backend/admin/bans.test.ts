import { beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../../../src/protocol/operations.js';
import type { AdminPlayers } from '../../../src/server/index.js';
import { adminOf, createOperatedService, here } from '../../support/operators.js';
import {
  authenticateForGame,
  makeDivergedConflict,
  post,
  send,
  signedRequest,
  signInGuest,
  type TestService,
  testGameId,
  testPrivateKey,
  testStart,
  useName,
  writeEntry,
} from '../../support/service.js';

const hour = 3_600_000;
const name = { username: 'Ada', password: 'correct horse' };
const reason = 'You have sold <b>coins</b>.';
const until = testStart + hour;
const refused = { status: 403, body: { code: 'account_banned', until: new Date(until).toISOString(), reason } };

let service: TestService;
let players: AdminPlayers;
beforeEach(() => {
  service = createOperatedService();
  players = adminOf(service).players(here);
});

/** A player on a device, with a name and an entry. */
async function ada() {
  const guest = await signInGuest(service);
  await useName(service, name, { token: guest.accessToken });
  await writeEntry(service, guest, { value: { level: 1 } });
  return guest;
}

const signIn = (body: object = {}) => post(service, operations.signInWithName.path, { ...name, ...body });

describe('a banned player', () => {
  it('gets in by no login method, is told until when and why, and gets in again when the ban has ended', async () => {
    const player = await ada();
    const code = await post(service, operations.makeRecoveryCode.path, {}, { token: player.accessToken });
    const other = await signInGuest(service, 'device-two');
    await players.ban(player.userId, { until, reason });
    expect(await signIn()).toMatchObject(refused);
    expect(await signIn({ intent: 'switch' })).toMatchObject(refused);
    expect(await signIn({ restore: true })).toMatchObject(refused);
    expect(await post(service, operations.signInAsGuest.path, {})).toMatchObject(refused);
    expect(await post(service, operations.signInWithRecoveryCode.path, { code: code.body.code })).toMatchObject(
      refused,
    );
    expect(await post(service, '/v2/auth/peek/name', name)).toMatchObject(refused);
    const linking = post(service, operations.signInWithName.path, name, { token: other.accessToken });
    expect(await linking).toMatchObject(refused);
    const refresh = () => post(service, operations.refreshSession.path, { refresh_token: player.refreshToken });
    expect(await refresh()).toMatchObject(refused);
    expect((await send(service, operations.readAccount.path, { token: player.accessToken })).status).toBe(401);
    expect((await writeEntry(service, player, { value: { level: 9 } })).status).toBe(401);
    service.backend.control.advance(hour);
    expect((await signIn()).body.userId).toBe(player.userId);
    // The session that the ban has ended stays ended.
    expect(await refresh()).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  });

  it('is told so only where the credential is right', async () => {
    const { userId } = await ada();
    await players.ban(userId, { reason });
    const wrong = await signIn({ password: 'wrong password' });
    expect(wrong).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    expect(JSON.stringify(wrong.body)).not.toContain('coins');
    expect((await signIn()).body).toMatchObject({ code: 'account_banned', until: null, reason });
  });

  it("is refused at the word of the game's back end, which goes on to read and write what the player has", async () => {
    const player = await authenticateForGame(service);
    await players.ban(player.userId, { until, reason });
    const answer = await service.backend.fetch(await signedRequest(service));
    expect([answer.status, await answer.json()]).toMatchObject([403, refused.body]);
    const path = `/v2/pr/games/${testGameId}/saves/${player.userId}/collections/progress`;
    const ofGame = { token: testPrivateKey };
    const write = { method: 'PATCH', body: { value: { level: 3 }, version: -1 } };
    expect((await send(service, `${path}/main?env=0`, { ...ofGame, ...write })).status).toBe(200);
    const read = await send(service, `${path}?env=0`, ofGame);
    expect(read.body).toMatchObject([{ key: 'main', value: { level: 3 } }]);
  });

  it('is refused a choice in a conflict, which changes nothing and can be made when the ban has ended', async () => {
    const { ticket, cloud } = await makeDivergedConflict(service);
    await players.ban(cloud.userId, { until: testStart + 60_000, reason });
    const choose = () =>
      post(service, operations.resolveConflict.path, { ticket, choice: 'cloud' }, { deviceId: 'device-two' });
    expect(await choose()).toMatchObject({ status: 403, body: { code: 'account_banned', reason } });
    service.backend.control.advance(60_000);
    expect((await choose()).body.userId).toBe(cloud.userId);
  });

  it('who has deleted the account cannot take that back', async () => {
    const { userId, accessToken } = await ada();
    await send(service, '/v2/auth/account', { method: 'DELETE', token: accessToken });
    await players.ban(userId, { until, reason });
    expect(await signIn({ restore: true })).toMatchObject(refused);
    expect((await players.get(userId)).deletedAt).toBe(testStart);
  });

  it('leaves no session, whichever of many sign-ins at once come first', async () => {
    const { userId } = await ada();
    const signIns = Array.from({ length: 6 }, () => signIn({}));
    await Promise.all([...signIns.slice(0, 3), players.ban(userId, { reason }), ...signIns.slice(3)]);
    expect((await players.get(userId)).sessions).toEqual([]);
    expect((await signIn()).body.code).toBe('account_banned');
  });
});

describe('a ban', () => {
  it('is shown with the player and in the list while it lasts, and noted with what was before', async () => {
    const { userId } = await ada();
    const { userId: other } = await signInGuest(service, 'device-two');
    await players.ban(userId, { until, reason });
    await players.ban(other, { reason: 'for good' });
    const ban = { at: testStart, until, reason };
    expect((await players.get(userId)).ban).toEqual(ban);
    expect((await players.find({ name: 'ada' }))[0]?.ban).toEqual(ban);
    const first = await players.list({ list: 'banned', limit: 1 });
    expect(first.players).toMatchObject([{ userId: other, ban: { until: null } }]);
    const next = await players.list({ list: 'banned', limit: 1, cursor: first.cursor });
    expect(next.players).toMatchObject([{ userId, ban }]);
    await players.unban(other);
    service.backend.control.advance(hour);
    expect(await players.get(userId)).not.toHaveProperty('ban');
    expect((await players.list({ list: 'banned' })).players).toEqual([]);
    await expect(players.unban(userId)).rejects.toMatchObject({ code: 'not_found' });
    const [ended, begun] = (await players.audit(other)).entries;
    const whole = { at: testStart, until: null, reason: 'for good' };
    expect([begun, ended]).toMatchObject([
      { action: 'banPlayer', before: { ban: null, sessions: 1 }, after: { ban: whole } },
      { action: 'unbanPlayer', before: { ban: whole }, after: { ban: null } },
    ]);
  });

  it.each([
    ['a time that has passed', { until: testStart, reason }],
    ['a time that no date can say', { until: 8_640_000_000_000_000, reason }],
    ['no reason', { reason: ' ' }],
    ['a reason that a terminal would obey', { reason: '\u001b[2J' }],
    ['a reason that is too long', { reason: 'x'.repeat(501) }],
  ])('with %s is refused, and nothing changes', async (_, options) => {
    const { userId, accessToken } = await ada();
    await expect(players.ban(userId, options)).rejects.toMatchObject({ code: 'invalid_request' });
    expect((await send(service, operations.readAccount.path, { token: accessToken })).status).toBe(200);
    expect((await players.audit(userId)).entries).toEqual([]);
  });

  it('is of a player that there is', async () => {
    const nobody = '11111111-1111-4111-8111-111111111111';
    await expect(players.ban(nobody, { reason })).rejects.toMatchObject({ code: 'user_not_found' });
    await expect(players.unban(nobody)).rejects.toMatchObject({ code: 'user_not_found' });
  });
});
