import { describe, expect, it } from 'vitest';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import { deletionAnswer } from '../../src/protocol/player-messages.js';
import {
  authenticateForGame,
  createTestService,
  makeConflict,
  post,
  readEntries,
  send,
  signedRequest,
  signInGuest,
  type TestService,
  useName,
  writeEntry,
} from '../support/service.js';

const day = 86_400_000;
const ada = { username: 'ada', password: 'correct horse' };

interface Player {
  accessToken: string;
}

const remove = (service: TestService, { accessToken: token }: Player) =>
  send(service, operations.readAccount.path, { method: 'DELETE', token });

const signIn = (service: TestService, more: Record<string, unknown> = {}, token?: string) =>
  post(service, operations.signInWithName.path, { ...ada, ...more }, { token, deviceId: 'device-one' });

async function withAda() {
  const service = createTestService();
  const player = await signInGuest(service);
  await useName(service, ada, { token: player.accessToken });
  await writeEntry(service, player, { value: { coins: 7 } });
  return { service, player };
}

describe('an account that its player deletes', () => {
  it('ends its sessions and frees its device; the name stays taken', async () => {
    const { service, player } = await withAda();
    const second = await useName(service, ada, { deviceId: 'device-two' });
    const { status, body } = await remove(service, player);
    expect(status).toBe(200);
    expect(deletionAnswer.parse(body)).toMatchObject({ userId: player.userId, removedAt: service.clock() + 30 * day });
    for (const session of [player, second]) {
      expect((await readEntries(service, session)).status).toBe(401);
      const refresh = await post(service, operations.refreshSession.path, { refresh_token: session.refreshToken });
      expect(refresh).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    }
    const fresh = await signInGuest(service);
    expect(fresh.userId).not.toBe(player.userId);
    expect((await readEntries(service, fresh)).body).toEqual([]);
  });

  it('says so to whoever has a right credential, and to nobody else', async () => {
    const { service, player } = await withAda();
    const { body } = await remove(service, player);
    const guest = await signInGuest(service, 'device-two');
    const deleted = { status: 403, body: { code: 'account_deleted', removedAt: body.removedAt } };
    expect(await signIn(service)).toMatchObject(deleted);
    expect(await signIn(service, { intent: 'switch' })).toMatchObject(deleted);
    expect(await signIn(service, {}, guest.accessToken)).toMatchObject(deleted);
    expect(await post(service, pathOf(operations.peek, { method: 'name' }), ada)).toMatchObject(deleted);
    expect(await post(service, operations.signInWithRecoveryCode.path, { code: body.recoveryCode })).toMatchObject(
      deleted,
    );
    for (const restore of [undefined, true]) {
      const wrong = await signIn(service, { password: 'wrong password', restore });
      expect(wrong).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
      expect(wrong.body).not.toHaveProperty('removedAt');
    }
    // Nor has anybody taken it back who has no right credential.
    expect(await signIn(service)).toMatchObject(deleted);
  });

  it('is restored by the same call that says so, with all that it held', async () => {
    const { service, player } = await withAda();
    await remove(service, player);
    service.backend.control.advance(30 * day);
    await service.backend.sweep();
    const { status, body } = await signIn(service, { restore: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({ userId: player.userId, methods: ['name', 'recovery', 'device'] });
    expect((await readEntries(service, body)).body).toMatchObject([{ value: { coins: 7 } }]);
    expect((await signInGuest(service)).userId).toBe(player.userId);
    expect((await readEntries(service, player)).status).toBe(401);
  });

  it('is restored by its code, for a guest who has nothing else', async () => {
    const service = createTestService();
    const guest = await signInGuest(service);
    await writeEntry(service, guest, { value: { coins: 7 } });
    const { body } = await remove(service, guest);
    const later = await signInGuest(service);
    const request = { token: later.accessToken, deviceId: 'device-one' };
    const back = await post(
      service,
      operations.signInWithRecoveryCode.path,
      { code: body.recoveryCode, restore: true },
      request,
    );
    expect(back).toMatchObject({ status: 200, body: { userId: guest.userId, methods: ['recovery'] } });
    expect((await readEntries(service, back.body)).body).toMatchObject([{ value: { coins: 7 } }]);
    // The device has an account of its own by now, which stays as it is.
    expect((await signInGuest(service)).userId).toBe(later.userId);
  });

  it('restoring changes nothing where nothing is deleted', async () => {
    const { service, player } = await withAda();
    const guest = await signInGuest(service, 'device-two');
    expect((await signIn(service, { restore: true }, guest.accessToken)).body.code).toBe('profile_conflict');
    expect((await signIn(service, { restore: true })).body.userId).toBe(player.userId);
    const made = await signIn(service, { username: 'new', restore: true });
    expect(made.body.userId).not.toBe(player.userId);
  });

  it('is gone after 30 days, and its name is free', async () => {
    const { service, player } = await withAda();
    const { body } = await remove(service, player);
    service.backend.control.advance(30 * day + 1);
    expect(await service.backend.sweep()).toBeGreaterThan(0);
    const again = await signIn(service, { restore: true });
    expect(again.body.userId).not.toBe(player.userId);
    expect((await readEntries(service, again.body)).body).toEqual([]);
    expect((await post(service, operations.signInWithRecoveryCode.path, { code: body.recoveryCode })).status).toBe(401);
    const path = `/v2/pr/games/${service.gameId}/saves/${player.userId}/collections/progress?env=0`;
    expect((await send(service, path, { token: service.privateKey })).status).toBe(404);
  });

  it('can be asked for again where the answer got lost, by that session alone', async () => {
    const { service, player } = await withAda();
    const second = await useName(service, ada, { deviceId: 'device-two' });
    service.backend.control.fail({ route: 'deleteAccount', with: 'lost-answer' });
    await expect(remove(service, player)).rejects.toThrow(TypeError);
    service.backend.control.advance(1_000);
    expect((await remove(service, second)).status).toBe(401);
    const { status, body } = await remove(service, player);
    expect([status, body.removedAt]).toEqual([200, service.clock() - 1_000 + 30 * day]);
    const back = await post(service, operations.signInWithRecoveryCode.path, {
      code: body.recoveryCode,
      restore: true,
    });
    expect(back.body.userId).toBe(player.userId);
    expect((await remove(service, player)).status).toBe(401);
  });

  it('ends a conflict over it, on either side', async () => {
    for (const side of ['local', 'cloud'] as const) {
      const service = createTestService();
      const conflict = await makeConflict(service);
      await remove(service, conflict[side]);
      for (const choice of ['local', 'cloud']) {
        const request = { ticket: conflict.ticket, choice };
        const answer = await post(service, operations.resolveConflict.path, request, { deviceId: 'device-two' });
        expect(answer).toMatchObject({ status: 409, body: { code: 'conflict_stale' } });
      }
    }
  });

  it('while a name is linked to it: either both, or the deletion alone', async () => {
    for (let round = 0; round < 5; round += 1) {
      const service = createTestService();
      const guest = await signInGuest(service);
      const link = post(service, operations.signInWithName.path, ada, { token: guest.accessToken });
      const [linked, deleted] = await Promise.all([link, remove(service, guest)]);
      expect(deleted.status).toBe(200);
      const after = await signIn(service);
      if (linked.status === 200) expect(after.body.code).toBe('account_deleted');
      else expect([linked.body.code, after.status]).toEqual(['unauthorized', 200]);
    }
  });

  it("says so to the game's back end as well", async () => {
    const service = createTestService();
    const player = await authenticateForGame(service);
    const { body } = await remove(service, player);
    const answer = await service.backend.fetch(await signedRequest(service));
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: 'account_deleted', removedAt: body.removedAt });
  });

  it('can be restored by an operator', async () => {
    const { service, player } = await withAda();
    await remove(service, player);
    const { gameId } = service;
    const restored = { gameId, environment: 0 as const, userId: player.userId, deviceId: 'device-new' };
    expect(await service.backend.restoreAccount(restored)).toBe(true);
    expect((await signInGuest(service, 'device-new')).userId).toBe(player.userId);
    expect((await signIn(service)).body.userId).toBe(player.userId);
  });
});
