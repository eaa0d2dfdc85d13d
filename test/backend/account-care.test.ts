import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/backend/index.js';
import { operations } from '../../src/protocol/operations.js';
import {
  authenticateForGame,
  createTestService,
  makeConflict,
  post,
  readEntries,
  send,
  signInGuest,
  type TestService,
  useName,
  writeText,
} from '../support/service.js';

const ada = { username: 'ada', password: 'correct horse' };
const changed = { username: 'ada', password: 'battery staple' };
const minute = 60_000;

interface Player {
  accessToken: string;
}

const change = (service: TestService, { accessToken: token }: Player, more: Record<string, unknown> = {}) =>
  post(
    service,
    operations.changePassword.path,
    { old_password: ada.password, new_password: changed.password, ...more },
    { token },
  );

async function withAda(options: Parameters<typeof createTestService>[0] = {}) {
  const service = createTestService(options);
  const player = await signInGuest(service);
  await useName(service, ada, { token: player.accessToken });
  return { service, player };
}

describe('a password', () => {
  it('is changed by whoever knows the old one', async () => {
    const { service, player } = await withAda();
    expect((await change(service, player)).status).toBe(204);
    expect((await post(service, operations.signInWithName.path, ada)).body.code).toBe('invalid_credentials');
    expect((await useName(service, changed)).userId).toBe(player.userId);
  });

  it('takes the other sessions of the name with it, and no others', async () => {
    const { service, player } = await withAda();
    const here = await useName(service, ada, { deviceId: 'device-two' });
    const there = await useName(service, ada, { deviceId: 'device-three' });
    await change(service, here);
    const alive = await Promise.all([player, here, there].map((one) => readEntries(service, one)));
    expect(alive.map(({ status }) => status)).toEqual([200, 200, 401]);
  });

  it('takes the tickets with it that the old one opened', async () => {
    const service = createTestService();
    const { cloud, ticket } = await makeConflict(service);
    await change(service, cloud);
    const answer = await post(
      service,
      operations.resolveConflict.path,
      { ticket, choice: 'local' },
      { deviceId: 'device-two' },
    );
    expect(answer).toMatchObject({ status: 409, body: { code: 'conflict_stale' } });
  });

  it('stays as it is where the old one is wrong, or nothing is right', async () => {
    const { service, player } = await withAda();
    const guest = await signInGuest(service, 'device-two');
    for (const [who, more, code] of [
      [player, { old_password: 'wrong password' }, 'invalid_credentials'],
      [player, { new_password: 'short' }, 'password_too_short'],
      [player, { env: 1 }, 'wrong_env'],
      [guest, {}, 'not_found'],
      [{ accessToken: 'nobody' }, {}, 'unauthorized'],
    ] as const) {
      expect((await change(service, who, more)).body.code).toBe(code);
    }
    expect((await useName(service, ada)).userId).toBe(player.userId);
  });

  it('is changed once, however often the request is sent after a lost answer', async () => {
    const { service, player } = await withAda();
    service.backend.control.fail({ route: 'changePassword', with: 'lost-answer' });
    await expect(change(service, player)).rejects.toThrow(TypeError);
    expect((await change(service, player)).status).toBe(204);
    expect((await useName(service, changed)).userId).toBe(player.userId);
  });

  it('of two changes at once has one of the two, and the other is told', async () => {
    const { service, player } = await withAda();
    const answers = await Promise.all(
      ['second password', 'third password!'].map((to) => change(service, player, { new_password: to })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
    const won = answers.findIndex(({ status }) => status === 204);
    await useName(service, { ...ada, password: ['second password', 'third password!'][won] ?? '' });
  });

  it('cannot be guessed here either', async () => {
    const { service, player } = await withAda({ limits: { rates: true } });
    const wrong = { old_password: 'wrong password' };
    for (let n = 0; n < 5; n += 1) expect((await change(service, player, wrong)).status).toBe(401);
    expect((await change(service, player)).body.code).toBe('rate_limited');
    service.backend.control.advance(minute);
    expect((await change(service, player)).status).toBe(204);
  });
});

describe('signing out everywhere', () => {
  const everywhere = (service: TestService, token?: string, more: Record<string, unknown> = {}) =>
    post(service, operations.signOut.path, { everywhere: true, ...more }, { token });

  it('ends every session of the account, and none of another', async () => {
    const { service, player } = await withAda();
    const second = await useName(service, ada, { deviceId: 'device-two' });
    const other = await signInGuest(service, 'device-three');
    expect((await everywhere(service, second.accessToken)).status).toBe(204);
    const alive = await Promise.all([player, second, other].map((one) => readEntries(service, one)));
    expect(alive.map(({ status }) => status)).toEqual([401, 401, 200]);
    expect((await post(service, operations.refreshSession.path, { refresh_token: player.refreshToken })).status).toBe(
      401,
    );
    expect((await signInGuest(service)).userId).toBe(player.userId);
  });

  it('needs the access token', async () => {
    const { service, player } = await withAda();
    for (const answer of [
      await everywhere(service),
      await everywhere(service, undefined, { refresh_token: player.refreshToken }),
      await everywhere(service, player.refreshToken),
    ]) {
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    }
    expect((await everywhere(service, player.accessToken, { env: 1 })).body.code).toBe('wrong_env');
    expect((await readEntries(service, player)).status).toBe(200);
  });
});

describe('an export', () => {
  it('is everything that is held on the player', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    await authenticateForGame(service);
    await useName(service, ada, { token: player.accessToken });
    await writeText(service, player, 'main', '{"n": 1.0}');
    await writeText(service, player, 'main', '{"n": 2.0}');
    const { status, body } = await send(service, operations.exportAccount.path, { token: player.accessToken });
    expect(status).toBe(200);
    const now = service.clock();
    const month = 30 * 86_400_000;
    expect(body).toEqual({
      userId: player.userId,
      gameId: service.gameId,
      env: 0,
      createdAt: now,
      exportedAt: now,
      methods: [
        { method: 'device', linkedAt: now, lastUsedAt: now },
        { method: 'custom', linkedAt: now, lastUsedAt: now, subject: 'custom-1' },
        { method: 'name', label: 'ada', linkedAt: now, lastUsedAt: now },
      ],
      sessions: [
        { method: 'device', openedAt: now, expiresAt: now + month },
        { method: 'custom', openedAt: now, expiresAt: now + month },
      ],
      entries: [{ collection: 'progress', key: 'main', value: { n: 2 }, version: 1 }],
      snapshots: [
        {
          id: expect.any(String),
          createdAt: now,
          expiresAt: now + month,
          reason: 'overwrite',
          fromUserId: player.userId,
          entries: 1,
          bytes: 10,
          content: [{ collection: 'progress', key: 'main', value: { n: 1 }, version: 0 }],
        },
      ],
    });
  });

  it('holds values as they were written, and nothing that lets somebody in', async () => {
    const store = createMemoryStore();
    const { service, player } = await withAda({ store });
    await send(service, operations.makeRecoveryCode.path, { method: 'POST', token: player.accessToken });
    await writeText(service, player, 'main', '{"n": 1.0}');
    const request = new Request(`${service.authUrl}${operations.exportAccount.path}`, {
      headers: { authorization: `Bearer ${player.accessToken}` },
    });
    const text = await (await service.backend.fetch(request)).text();
    expect(text).toContain('"value":{"n": 1.0}');
    const { links, sessions } = store.dump();
    const subjects = links.filter(({ method }) => method !== 'name').map(({ subject }) => subject);
    const credentials = links.flatMap(({ credential }) => credential ?? []);
    const ids = sessions.flatMap(({ sessionId, refreshTokens }) => [sessionId, ...refreshTokens.map(({ jti }) => jti)]);
    expect([subjects.length, credentials.length, ids.length]).toEqual([2, 1, 2]);
    for (const secret of [...subjects, ...credentials, ...ids, 'correct horse']) expect(text).not.toContain(secret);
  });

  it('is for the player alone', async () => {
    const { service } = await withAda();
    expect((await send(service, operations.exportAccount.path)).status).toBe(401);
    expect((await send(service, operations.exportAccount.path, { token: service.privateKey })).status).toBe(401);
  });
});
