import { describe, expect, it } from 'vitest';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import {
  createTestService,
  makeConflict,
  post,
  readEntries,
  send,
  signInGuest,
  type TestService,
  useName,
  writeEntry,
} from '../support/service.js';

const ada = { username: 'ada', password: 'correct horse' };
const bob = { username: 'bob', password: 'battery staple' };
const day = 86_400_000;

function account(service: TestService, player: { accessToken: string }, method = 'GET') {
  return send(service, operations.readAccount.path, { method, token: player.accessToken });
}

function unlink(service: TestService, player: { accessToken: string }, method: string) {
  return send(service, pathOf(operations.unlinkMethod, { method }), { method: 'DELETE', token: player.accessToken });
}

describe('a guest', () => {
  it('is the same account on the same device, another one on another device', async () => {
    const service = createTestService();
    const first = await signInGuest(service, 'device-one');
    expect(first).toMatchObject({ status: 0, country: 'ZZ', time: service.clock(), methods: ['device'] });
    expect((await signInGuest(service, 'device-one')).userId).toBe(first.userId);
    expect((await signInGuest(service, 'device-two')).userId).not.toBe(first.userId);
  });

  it('is one account where a hundred requests of one device arrive at once', async () => {
    const service = createTestService();
    const guests = await Promise.all(Array.from({ length: 100 }, () => signInGuest(service)));
    expect(new Set(guests.map((guest) => guest.userId)).size).toBe(1);
  });

  it('is apart in each environment', async () => {
    const service = createTestService();
    const ids = await Promise.all(
      [0, 1, 2].map(async (environment) => (await signInGuest(service, 'device-one', { environment })).userId),
    );
    expect(new Set(ids).size).toBe(3);
  });

  it('with a session on the same account is a success, on another account refused', async () => {
    const service = createTestService();
    const first = await signInGuest(service, 'device-one');
    const second = await signInGuest(service, 'device-two');
    const same = await post(
      service,
      operations.signInAsGuest.path,
      {},
      { token: first.accessToken, deviceId: 'device-one' },
    );
    expect(same).toMatchObject({ status: 200, body: { userId: first.userId } });
    const other = await post(
      service,
      operations.signInAsGuest.path,
      {},
      { token: second.accessToken, deviceId: 'device-one' },
    );
    expect(other).toMatchObject({ status: 409, body: { code: 'method_already_linked' } });
    const added = await post(
      service,
      operations.signInAsGuest.path,
      {},
      { token: first.accessToken, deviceId: 'device-new' },
    );
    expect(added).toMatchObject({ status: 200, body: { userId: first.userId } });
    expect((await signInGuest(service, 'device-new')).userId).toBe(first.userId);
  });

  it('takes its game in any case', async () => {
    const service = createTestService();
    const { userId } = await signInGuest(service);
    const upper = await post(service, operations.signInAsGuest.path, { game_id: service.gameId.toUpperCase() });
    expect(upper.body.userId).toBe(userId);
  });

  it('of a game that is not there is not found', async () => {
    const service = createTestService();
    const answer = await post(service, operations.signInAsGuest.path, {
      game_id: '00000000-0000-4000-8000-000000000000',
    });
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

describe('a name', () => {
  it('that is free is linked at once, and the session goes on as it was', async () => {
    const service = createTestService();
    const guest = await signInGuest(service);
    const linked = await useName(service, ada, { token: guest.accessToken });
    expect(linked).toMatchObject({ userId: guest.userId, methods: ['device', 'name'] });
    expect(linked.refreshToken).toBe(guest.refreshToken);
    expect((await readEntries(service, guest)).status).toBe(200);
  });

  it('tells whoever comes back by it of all that leads to the account', async () => {
    const service = createTestService();
    const guest = await signInGuest(service);
    await useName(service, ada, { token: guest.accessToken });
    const again = await useName(service, ada, { deviceId: 'device-two' });
    expect(again).toMatchObject({ userId: guest.userId, methods: ['device', 'name'] });
    expect((await signInGuest(service)).methods).toEqual(['device', 'name']);
  });

  it('is known in any case and spelling, and shown as it was written', async () => {
    const service = createTestService();
    const guest = await signInGuest(service);
    await useName(service, { ...ada, username: 'Ｓtraße' }, { token: guest.accessToken });
    for (const username of ['STRASSE', 'straße', 'ſtrasse']) {
      const known = await useName(service, { ...ada, username }, { deviceId: 'device-two' });
      expect(known.userId).toBe(guest.userId);
    }
    const { methods } = (await account(service, guest)).body;
    expect(methods[1]).toEqual({
      method: 'name',
      label: 'Ｓtraße',
      linkedAt: service.clock(),
      lastUsedAt: service.clock(),
    });
  });

  it('that is unknown makes a new account, and the device keeps its own', async () => {
    const service = createTestService();
    const guest = await signInGuest(service);
    const named = await useName(service, ada);
    expect(named).toMatchObject({ methods: ['name'] });
    expect(named.userId).not.toBe(guest.userId);
    expect((await signInGuest(service)).userId).toBe(guest.userId);
  });

  it('that is unknown makes one account where twenty sign in at once', async () => {
    const service = createTestService();
    const players = await Promise.all(
      Array.from({ length: 20 }, (_, index) => useName(service, ada, { deviceId: `device-${index}` })),
    );
    expect(new Set(players.map(({ userId }) => userId)).size).toBe(1);
  });

  it('with a wrong password is refused, with a session and without, and costs nothing', async () => {
    const service = createTestService();
    const owner = await signInGuest(service, 'device-one');
    await useName(service, ada, { token: owner.accessToken });
    const guest = await signInGuest(service, 'device-two');
    await writeEntry(service, guest, { value: { coins: 7 } });
    const wrong = { ...ada, password: 'wrong password' };
    const request = { token: guest.accessToken, deviceId: 'device-two' };
    for (const more of [request, { deviceId: 'device-two' }]) {
      const answer = await post(service, operations.signInWithName.path, wrong, more);
      expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    }
    expect((await readEntries(service, guest)).body).toEqual([{ key: 'main', value: { coins: 7 }, version: 0 }]);
    expect((await signInGuest(service, 'device-two')).userId).toBe(guest.userId);
  });

  it('of its own again is a success, but only with its password', async () => {
    const service = createTestService();
    const guest = await signInGuest(service);
    await useName(service, ada, { token: guest.accessToken });
    expect((await useName(service, ada, { token: guest.accessToken })).userId).toBe(guest.userId);
    const wrong = await post(
      service,
      operations.signInWithName.path,
      { ...ada, password: 'wrong password' },
      { token: guest.accessToken },
    );
    expect(wrong.status).toBe(401);
  });

  it('besides another one is refused, and stays free', async () => {
    const service = createTestService();
    const guest = await signInGuest(service);
    await useName(service, ada, { token: guest.accessToken });
    const second = await post(service, operations.signInWithName.path, bob, { token: guest.accessToken });
    expect(second).toMatchObject({ status: 409, body: { code: 'method_already_linked' } });
    const other = await signInGuest(service, 'device-two');
    const taken = await useName(service, bob, { token: other.accessToken, deviceId: 'device-two' });
    expect(taken.userId).toBe(other.userId);
  });

  it('is linked to one of many guests that ask at once; the others meet a conflict', async () => {
    const service = createTestService();
    const guests = await Promise.all(Array.from({ length: 10 }, (_, index) => signInGuest(service, `device-${index}`)));
    const answers = await Promise.all(
      guests.map((guest, index) =>
        post(service, operations.signInWithName.path, ada, { token: guest.accessToken, deviceId: `device-${index}` }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
  });

  it('with control or unassigned characters is refused', async () => {
    const service = createTestService();
    for (const username of ['a\u0000b', 'a\u009fb', 'a\ud800b', 'a\u0378b']) {
      const answer = await post(service, operations.signInWithName.path, { ...ada, username });
      expect(answer).toMatchObject({ status: 400, body: { code: 'name_not_allowed' } });
      expect(JSON.stringify(answer.body)).not.toContain('a\\u');
    }
  });

  it('needs a password of 8 to 256, and says which field is wrong', async () => {
    const service = createTestService();
    for (const password of ['x'.repeat(257), 12345678, null, undefined]) {
      const answer = await post(service, operations.signInWithName.path, { username: 'ada', password });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      expect(answer.body.detail).toContain('"password"');
    }
    expect(
      (await post(service, operations.signInWithName.path, { username: 'ada', password: 'x'.repeat(256) })).status,
    ).toBe(200);
    expect(
      (await post(service, operations.signInWithName.path, { username: '', password: 'x'.repeat(8) })).status,
    ).toBe(400);
  });
});

describe('an account', () => {
  it('says what leads to it', async () => {
    const service = createTestService();
    const guest = await signInGuest(service);
    service.backend.control.advance(1_000);
    await useName(service, { ...ada, username: 'Ada' }, { token: guest.accessToken });
    expect((await account(service, guest)).body).toEqual({
      userId: guest.userId,
      createdAt: service.clock() - 1_000,
      methods: [
        { method: 'device', linkedAt: service.clock() - 1_000, lastUsedAt: service.clock() - 1_000 },
        { method: 'name', label: 'Ada', linkedAt: service.clock(), lastUsedAt: service.clock() },
      ],
    });
  });

  it('gives up a method, which is free for others then', async () => {
    const service = createTestService();
    const guest = await signInGuest(service);
    await useName(service, ada, { token: guest.accessToken });
    const left = await unlink(service, guest, 'name');
    expect(left).toMatchObject({ status: 200, body: { methods: [{ method: 'device' }] } });
    const other = await signInGuest(service, 'device-two');
    const linked = await useName(service, ada, { token: other.accessToken, deviceId: 'device-two' });
    expect(linked.userId).toBe(other.userId);
  });

  it('never gives up its last way in', async () => {
    const service = createTestService();
    const guest = await signInGuest(service);
    expect(await unlink(service, guest, 'device')).toMatchObject({ status: 409, body: { code: 'would_orphan' } });
    expect(await unlink(service, guest, 'name')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await unlink(service, guest, 'telepathy')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await signInGuest(service)).userId).toBe(guest.userId);
  });

  it('that nothing leads to can be restored for 30 days, and is removed then', async () => {
    const service = createTestService();
    const restore = (userId: string, deviceId: string) =>
      service.backend.restoreAccount({ gameId: service.gameId, environment: 0, userId, deviceId });
    const { local, ticket } = await makeConflict(service);
    await writeEntry(service, local, { value: { coins: 7 } });
    await post(service, operations.resolveConflict.path, { ticket, choice: 'cloud' }, { deviceId: 'device-two' });
    service.backend.control.advance(30 * day);
    await service.backend.sweep();
    expect(await restore(local.userId, 'device-two')).toBe(true);
    const back = await signInGuest(service, 'device-two');
    expect(back.userId).toBe(local.userId);
    expect((await readEntries(service, back)).body).toMatchObject([{ value: { coins: 7 } }]);
  });

  it('that nothing leads to is removed by traffic as well', async () => {
    const service = createTestService();
    const { local, ticket } = await makeConflict(service);
    await post(service, operations.resolveConflict.path, { ticket, choice: 'cloud' }, { deviceId: 'device-two' });
    service.backend.control.advance(30 * day + 1);
    await signInGuest(service, 'device-new');
    const path = `/v2/pr/games/${service.gameId}/saves/${local.userId}/collections/progress?env=0`;
    expect(await send(service, path, { token: service.privateKey })).toMatchObject({ status: 404 });
  });

  it('of nobody is not described', async () => {
    const service = createTestService();
    for (const [method, path] of [
      ['GET', operations.readAccount.path],
      ['DELETE', operations.readAccount.path],
      ['DELETE', pathOf(operations.unlinkMethod, { method: 'name' })],
    ] as const) {
      expect(await send(service, path, { method })).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    }
  });
});
