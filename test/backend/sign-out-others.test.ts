import { describe, expect, it } from 'vitest';
import { operations } from '../../src/protocol/operations.js';
import {
  authenticateForGame,
  createTestService,
  post,
  readEntries,
  send,
  signInGuest,
  type TestService,
  useName,
} from '../support/service.js';

const ada = { username: 'ada', password: 'correct horse' };
const changed = { username: 'ada', password: 'battery staple' };
const minute = 60_000;
const game = { socialPlatforms: { pals: async (token: string) => ({ id: token }) } };

const out = (service: TestService, token: string, unlinkSince: number) =>
  post(service, operations.signOutOthers.path, { unlink_since: unlinkSince }, { token });

/** A player whose access token, which is a minute old, a thief has, and all that the thief makes of it. */
async function robbed() {
  const service = createTestService({ game });
  const guest = await signInGuest(service);
  await useName(service, ada, { token: guest.accessToken });
  service.backend.control.advance(30 * minute);
  const player = await useName(service, ada);
  service.backend.control.advance(minute);
  const since = service.clock();
  const stolen = { token: player.accessToken, deviceId: 'thief-device' };
  expect((await post(service, operations.signInAsGuest.path, {}, stolen)).status).toBe(200);
  const { body } = await send(service, operations.makeRecoveryCode.path, { method: 'POST', token: stolen.token });
  expect((await post(service, operations.signInWithSocialToken.path, { token: 'thief' }, stolen)).status).toBe(200);
  await authenticateForGame(service, { body: { custom_user_id: 'thief-7', device_id: 'thief-device' } });
  const sessions = [await signInGuest(service, 'thief-device')];
  for (const [path, fields] of [
    [operations.signInWithSocialToken.path, { token: 'thief' }],
    [operations.signInWithRecoveryCode.path, { code: body.code }],
  ] as const) {
    sessions.push((await post(service, path, fields, { deviceId: 'thief-device' })).body);
  }
  for (const session of sessions) expect(session.userId).toBe(player.userId);
  return { service, player, since, code: body.code as string, sessions: [...sessions, player] };
}

describe('a new password and a sign-out of all others', () => {
  it('leave nobody else a way in, by any kind of method', async () => {
    const { service, player, since, code, sessions } = await robbed();
    service.backend.control.advance(minute);
    const { body: shown } = await post(
      service,
      operations.signInWithName.path,
      { ...ada, intent: 'reauthenticate' },
      { token: player.accessToken },
    );
    const passwords = { old_password: ada.password, new_password: changed.password };
    const token = shown.accessToken;
    expect((await post(service, operations.changePassword.path, passwords, { token })).status).toBe(204);
    const done = await out(service, token, since);
    expect(done).toMatchObject({ status: 200, body: { userId: player.userId, methods: ['device', 'name'] } });

    for (const session of [...sessions, shown]) {
      expect((await readEntries(service, session)).status).toBe(401);
      const refresh = await post(service, operations.refreshSession.path, { refresh_token: session.refreshToken });
      expect(refresh.status).toBe(401);
    }
    const enter = (path: string, fields: object) => post(service, path, { ...fields }, { deviceId: 'thief-device' });
    expect((await enter(operations.signInWithRecoveryCode.path, { code })).body.code).toBe('invalid_credentials');
    expect((await enter(operations.signInWithName.path, ada)).body.code).toBe('invalid_credentials');
    for (const entered of [
      (await enter(operations.signInAsGuest.path, {})).body,
      (await enter(operations.signInWithSocialToken.path, { token: 'thief' })).body,
      await authenticateForGame(service, { body: { custom_user_id: 'thief-7', device_id: 'thief-device' } }),
    ]) {
      expect(entered.userId).not.toBe(player.userId);
    }

    expect((await readEntries(service, done.body)).status).toBe(200);
    expect((await useName(service, changed)).userId).toBe(player.userId);
    expect((await signInGuest(service)).userId).toBe(player.userId);
  });

  it('is refused to a token that is not recent, to another game, and without a moment', async () => {
    const { service, player, since } = await robbed();
    const other = { unlink_since: since, env: 1 };
    const token = player.accessToken;
    expect((await post(service, operations.signOutOthers.path, other, { token })).body.code).toBe('wrong_env');
    for (const unlinkSince of [undefined, -1, 1.5, 'now']) {
      expect((await out(service, token, unlinkSince as number)).body.code).toBe('invalid_request');
    }
    service.backend.control.advance(15 * minute);
    expect((await out(service, token, since)).body.code).toBe('reauthentication_required');
    expect((await readEntries(service, player)).status).toBe(200);
  });

  it('makes nobody recent', async () => {
    const { service, player, since } = await robbed();
    service.backend.control.advance(10 * minute);
    const { body } = await out(service, player.accessToken, since);
    service.backend.control.advance(5 * minute);
    expect((await out(service, body.accessToken, since)).body.code).toBe('reauthentication_required');
  });
});
