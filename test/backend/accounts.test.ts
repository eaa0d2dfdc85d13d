import { describe, expect, test } from 'vitest';
import { playerPaths } from '../../src/protocol/player-paths.js';
import { paths } from '../../src/protocol/routes.js';
import {
  authenticateForGame,
  createTestService,
  makeConflict,
  post,
  readEntries,
  send,
  signInGuest,
  useName,
  writeEntry,
} from '../support/service.js';

describe('a guest', () => {
  test('is the same account on the same device', async () => {
    const service = createTestService();
    const first = await signInGuest(service);
    const again = await signInGuest(service);
    expect(again.userId).toBe(first.userId);
    expect(first).toMatchObject({ status: 0, country: 'ZZ', time: service.clock(), methods: ['device'] });
  });

  test('writes and reads', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    expect((await writeEntry(service, player, { value: { coins: 3 } })).body).toEqual({ version: 0 });
    expect((await readEntries(service, player)).body).toEqual([{ key: 'main', value: { coins: 3 }, version: 0 }]);
    const path = `${paths.entry(service.gameId, player.userId, 'progress', 'main')}/?env=0`;
    const body = { value: { coins: 4 }, version: 0 };
    expect(await send(service, path, { method: 'PATCH', token: service.privateKey, body })).toMatchObject({
      status: 200,
      body: { version: 1 },
    });
  });

  test('refreshes, signs out', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    const fresh = await post(service, playerPaths.refresh, { refresh_token: player.refreshToken });
    expect(fresh.status).toBe(200);
    const out = await post(service, playerPaths.signOut, { refresh_token: fresh.body.refreshToken });
    expect(out.status).toBe(204);
    expect((await readEntries(service, fresh.body)).status).toBe(401);
  });

  test('conflicts', async () => {
    const service = createTestService();
    const { cloud, ticket } = await makeConflict(service);
    const { body, status } = await post(
      service,
      playerPaths.conflict,
      { ticket, choice: 'cloud' },
      { deviceId: 'device-two' },
    );
    expect(status).toBe(200);
    expect(body.userId).toBe(cloud.userId);
  });

  test('s2s', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    const answer = await authenticateForGame(service);
    expect(answer.userId).toBe(player.userId);
    expect(Object.keys(answer).sort()).toEqual(['accessToken', 'country', 'refreshToken', 'status', 'time', 'userId']);
  });

  test('name', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    await useName(service, { username: 'Ada', password: 'correct horse' }, { token: player.accessToken });
    const again = await useName(service, { username: 'ada', password: 'correct horse' }, { deviceId: 'device-two' });
    expect(again.userId).toBe(player.userId);
  });
});
