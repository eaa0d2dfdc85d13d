import { createMemoryStore, type Store } from 'savepoint/backend';
import { describe, expect, it } from 'vitest';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import { createTestService, readEntries, send, signInGuest, type TestService, writeEntry } from '../support/service.js';

/** A store in which something happens between the request and the write itself. */
function interrupted(before: (store: Store) => Promise<unknown>) {
  const memory = createMemoryStore();
  const on = new Set<keyof Store>();
  const store = new Proxy<Store>(memory, {
    get: (_, name) => async (argument: never) => {
      if (on.delete(name as keyof Store)) await before(memory);
      return (memory[name as keyof Store] as (request: never) => unknown)(argument);
    },
  });
  return { store, on };
}

const writeForGame = (service: TestService, user: string, body: unknown) =>
  send(
    service,
    `${pathOf(operations.updateUserEntry, { game: service.gameId, user, collection: 'progress', key: 'main' })}?env=0`,
    { method: 'PATCH', token: service.privateKey, body },
  );

describe('a write', () => {
  it.each(['updateEntry', 'addSnapshot', 'restoreSnapshot'] as const)(
    'whose session ends on the way is refused, and changes nothing: %s',
    async (operation) => {
      let end: (store: Store) => Promise<unknown> = async () => {};
      const { store, on } = interrupted((memory) => end(memory));
      const service = createTestService({ store });
      const player = await signInGuest(service);
      const { gameId } = service;
      const owner = { gameId, environment: 0 as const, accountId: player.userId };
      await writeEntry(service, player, { value: { coins: 1 } });
      await writeEntry(service, player, { value: { coins: 2 } });
      const [overwritten] = await store.listSnapshots({ owner, now: service.clock() });
      const { accessToken: token } = player;
      const body = { game_id: gameId, env: 0, collection: 'progress', key: 'main', value: { coins: 9 } };
      const asks = {
        updateEntry: () => writeEntry(service, player, { value: { coins: 9 }, version: 1 }),
        addSnapshot: () => send(service, operations.addSnapshot.path, { method: 'POST', token, body }),
        restoreSnapshot: () =>
          send(service, pathOf(operations.restoreSnapshot, { snapshot: overwritten?.snapshotId ?? '' }), {
            method: 'POST',
            token,
          }),
      };
      const before = (await store.readProfile(owner))?.entries;
      end = (memory) => memory.endSessions(owner);
      on.add(operation);
      expect(await asks[operation]()).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
      expect(on.size).toBe(0);
      expect((await store.readProfile(owner))?.entries).toEqual(before);
      expect(await store.listSnapshots({ owner, now: service.clock() })).toEqual([overwritten]);
    },
  );

  it('of the back end is refused in an account that is being deleted, with when it will be gone', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    const { userId } = player;
    await writeEntry(service, player, { value: { coins: 7 } });
    const { body: deletion } = await send(service, operations.readAccount.path, {
      method: 'DELETE',
      token: player.accessToken,
    });
    for (const version of [-1, 0, 7]) {
      const refused = await writeForGame(service, userId, { value: { coins: 0 }, version });
      expect(refused).toMatchObject({ status: 403, body: { code: 'account_deleted', removedAt: deletion.removedAt } });
      expect(refused.body).not.toHaveProperty('currentValue');
    }
    const restored = { gameId: service.gameId, environment: 0 as const, userId, deviceId: 'device-new' };
    expect(await service.backend.restoreAccount(restored)).toBe(true);
    const back = await signInGuest(service, 'device-new');
    expect((await readEntries(service, back)).body).toMatchObject([{ value: { coins: 7 }, version: 0 }]);
    expect(await writeForGame(service, userId, { value: { coins: 8 }, version: 0 })).toMatchObject({ status: 200 });
  });

  it('of the back end is carried out in an account that nothing leads to, and is there when it is restored', async () => {
    const service = createTestService();
    const { userId } = await signInGuest(service, 'device-one');
    const other = await signInGuest(service, 'device-two');
    const place = { gameId: service.gameId, environment: 0 as const };
    await service.backend.restoreAccount({ ...place, userId: other.userId, deviceId: 'device-one' });
    expect(await writeForGame(service, userId, { value: { coins: 8 }, version: -1 })).toMatchObject({ status: 200 });
    await service.backend.restoreAccount({ ...place, userId, deviceId: 'device-one' });
    const back = await signInGuest(service, 'device-one');
    expect(back.userId).toBe(userId);
    expect((await readEntries(service, back)).body).toMatchObject([{ value: { coins: 8 } }]);
  });
});
