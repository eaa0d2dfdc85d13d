import { describe, expect, it } from 'vitest';
import { pathOf } from '../../src/protocol/addresses.js';
import { conflictSides } from '../../src/protocol/conflict.js';
import { operations } from '../../src/protocol/operations.js';
import {
  createTestService,
  makeConflict,
  post,
  readEntries,
  signInGuest,
  type TestService,
  useName,
  writeEntry,
} from '../support/service.js';

const ada = { username: 'ada', password: 'correct horse' };
const minute = 60_000;

function resolve(service: TestService, ticket: string, choice: string, more: Record<string, unknown> = {}) {
  return post(service, operations.resolveConflict.path, { ticket, choice, ...more }, { deviceId: 'device-two' });
}

describe('a conflict', () => {
  it('shows both sides, with the fields that the game asked for', async () => {
    const service = createTestService();
    const cloud = await signInGuest(service, 'device-one');
    await useName(service, ada, { token: cloud.accessToken, deviceId: 'device-one' });
    const big = { stats: { coins: 12, list: [1], none: null, name: `${'x'.repeat(255)}😀` } };
    await writeEntry(service, cloud, { value: big });
    service.backend.control.advance(minute);
    const local = await signInGuest(service, 'device-two');
    const fields = [
      'stats.coins',
      'stats.list',
      'stats.none',
      'stats.name',
      'stats',
      'stats.__proto__',
      'stats.coins.x',
    ];
    const show = fields.map((field) => ({ collection: 'progress', key: 'main', field }));
    const request = { token: local.accessToken, deviceId: 'device-two' };
    const { status, body } = await post(service, operations.signInWithName.path, { ...ada, show }, request);
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'profile_conflict', status: 409 });
    const sides = conflictSides.parse(body.conflict);
    expect(sides).toMatchObject({ method: 'name', expiresAt: service.clock() + 10 * minute });
    expect(sides.local).toEqual({
      userId: local.userId,
      methods: ['device'],
      createdAt: service.clock(),
      changedAt: null,
      entries: 0,
      bytes: 0,
      fields: show,
    });
    expect(sides.cloud).toMatchObject({
      userId: cloud.userId,
      methods: ['device', 'name'],
      changedAt: service.clock() - minute,
      entries: 1,
      bytes: new TextEncoder().encode(JSON.stringify(big)).length,
    });
    expect(sides.cloud.fields.map(({ field, value }) => [field, value])).toEqual([
      ['stats.coins', 12],
      ['stats.list', undefined],
      ['stats.none', null],
      ['stats.name', 'x'.repeat(255)],
      ['stats', undefined],
      ['stats.__proto__', undefined],
      ['stats.coins.x', undefined],
    ]);
  });

  it('changes nothing before the choice', async () => {
    const service = createTestService();
    const { cloud, local } = await makeConflict(service);
    expect((await signInGuest(service, 'device-one')).userId).toBe(cloud.userId);
    expect((await signInGuest(service, 'device-two')).userId).toBe(local.userId);
    expect((await useName(service, ada)).userId).toBe(cloud.userId);
    expect((await readEntries(service, local)).status).toBe(200);
    expect((await post(service, operations.refreshSession.path, { refresh_token: local.refreshToken })).status).toBe(
      200,
    );
  });

  it('resolved by local: the account stays, its session too, and the name leads to it', async () => {
    const service = createTestService();
    const { local, ticket } = await makeConflict(service);
    await writeEntry(service, local, { value: { coins: 1 } });
    const { status, body } = await resolve(service, ticket, 'local');
    expect(status).toBe(200);
    expect(body).toMatchObject({ userId: local.userId, methods: ['device', 'name'], refreshToken: local.refreshToken });
    expect((await readEntries(service, local)).status).toBe(200);
    expect((await readEntries(service, body)).body).toMatchObject([{ value: { coins: 1 } }]);
    expect((await useName(service, ada, { deviceId: 'device-three' })).userId).toBe(local.userId);
  });

  it('resolved by local: sessions that came from the name end on devices of nobody', async () => {
    const service = createTestService();
    const { cloud, ticket } = await makeConflict(service);
    const strange = await useName(service, ada, { deviceId: 'device-strange' });
    const own = await useName(service, ada, { deviceId: 'device-one' });
    expect(strange.userId).toBe(cloud.userId);
    await resolve(service, ticket, 'local');
    expect((await readEntries(service, strange)).status).toBe(401);
    expect((await readEntries(service, own)).status).toBe(200);
    expect((await readEntries(service, cloud)).status).toBe(200);
  });

  it("resolved by cloud: the owner's account, a new session, and the device leads there", async () => {
    const service = createTestService();
    const { cloud, local, ticket } = await makeConflict(service);
    await writeEntry(service, cloud, { value: { coins: 9 } });
    const { status, body } = await resolve(service, ticket, 'cloud');
    expect(status).toBe(200);
    expect(body).toMatchObject({ userId: cloud.userId, methods: ['device', 'name'] });
    expect((await readEntries(service, body)).body).toMatchObject([{ value: { coins: 9 } }]);
    expect((await readEntries(service, local)).status).toBe(401);
    expect((await post(service, operations.refreshSession.path, { refresh_token: local.refreshToken })).status).toBe(
      401,
    );
    expect((await signInGuest(service, 'device-two')).userId).toBe(cloud.userId);
    expect((await readEntries(service, cloud)).status).toBe(200);
  });

  it('resolved by cloud: a device that leads to a third account stays there', async () => {
    const service = createTestService();
    const cloud = await signInGuest(service, 'device-one');
    await useName(service, ada, { token: cloud.accessToken, deviceId: 'device-one' });
    const third = await signInGuest(service, 'device-two');
    const other = await useName(service, { username: 'bob', password: 'battery staple' }, { deviceId: 'device-two' });
    const request = { token: other.accessToken, deviceId: 'device-two' };
    const { body } = await post(service, operations.signInWithName.path, ada, request);
    const resolved = await resolve(service, body.conflict.ticket, 'cloud');
    expect(resolved.body.userId).toBe(cloud.userId);
    expect((await signInGuest(service, 'device-two')).userId).toBe(third.userId);
    const known = await useName(service, { username: 'bob', password: 'battery staple' });
    expect(known.userId).toBe(other.userId);
  });

  it('gives the same outcome to the same choice until the ticket ends, and none to the other', async () => {
    for (const choice of ['local', 'cloud'] as const) {
      const service = createTestService();
      const { ticket } = await makeConflict(service);
      service.backend.control.fail({ route: 'resolveConflict', with: 'lost-answer' });
      await expect(resolve(service, ticket, choice)).rejects.toThrow(TypeError);
      const again = await resolve(service, ticket, choice);
      const once = await resolve(service, ticket, choice);
      expect(again.status).toBe(200);
      expect(once.body.refreshToken).toBe(again.body.refreshToken);
      const other = await resolve(service, ticket, choice === 'local' ? 'cloud' : 'local');
      expect(other).toMatchObject({ status: 409, body: { code: 'conflict_stale' } });
      expect((await readEntries(service, again.body)).status).toBe(200);
      service.backend.control.advance(10 * minute);
      expect((await resolve(service, ticket, choice)).status).toBe(409);
    }
  });

  it('is resolved once where both choices arrive many times at once', async () => {
    const service = createTestService();
    const { ticket } = await makeConflict(service);
    const choices = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'local' : 'cloud'));
    const answers = await Promise.all(choices.map((choice) => resolve(service, ticket, choice)));
    const successes = answers.filter(({ status }) => status === 200);
    expect(successes).toHaveLength(10);
    expect(new Set(successes.map(({ body }) => body.refreshToken)).size).toBe(1);
  });

  it('is over where the player signed out, the link was freed, or another choice took it', async () => {
    const out = createTestService();
    const first = await makeConflict(out);
    await post(out, operations.signOut.path, { refresh_token: first.local.refreshToken });
    expect((await resolve(out, first.ticket, 'cloud')).body.code).toBe('conflict_stale');

    const freed = createTestService();
    const second = await makeConflict(freed);
    await freed.backend.fetch(
      new Request(`${freed.authUrl}${pathOf(operations.unlinkMethod, { method: 'name' })}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${second.cloud.accessToken}` },
      }),
    );
    expect((await resolve(freed, second.ticket, 'local')).body.code).toBe('conflict_stale');

    const taken = createTestService();
    const third = await makeConflict(taken);
    const request = { token: third.local.accessToken, deviceId: 'device-two' };
    const { body } = await post(taken, operations.signInWithName.path, ada, request);
    expect((await resolve(taken, third.ticket, 'local')).status).toBe(200);
    expect((await resolve(taken, body.conflict.ticket, 'cloud')).body.code).toBe('conflict_stale');
  });

  it('is opened by nothing but its ticket, on its device, in its game', async () => {
    const service = createTestService();
    const { ticket, local } = await makeConflict(service);
    const attempts = [
      resolve(service, `${ticket}x`, 'local'),
      resolve(service, local.accessToken.slice(0, 200), 'local'),
      resolve(service, ticket, 'local', { device_id: 'device-one' }),
      resolve(service, ticket, 'local', { env: 1 }),
    ];
    for (const answer of await Promise.all(attempts)) expect(answer.body.code).toBe('conflict_stale');
    expect((await resolve(service, ticket, 'neither')).body.code).toBe('invalid_request');
    expect((await resolve(service, ticket, 'local')).status).toBe(200);
  });

  it('of an account that has another name: local is refused, cloud still works', async () => {
    const service = createTestService();
    const cloud = await signInGuest(service, 'device-one');
    await useName(service, ada, { token: cloud.accessToken, deviceId: 'device-one' });
    const local = await signInGuest(service, 'device-two');
    const request = { token: local.accessToken, deviceId: 'device-two' };
    await useName(service, { username: 'bob', password: 'battery staple' }, request);
    const { body } = await post(service, operations.signInWithName.path, ada, request);
    const refused = await resolve(service, body.conflict.ticket, 'local');
    expect(refused).toMatchObject({ status: 409, body: { code: 'method_already_linked' } });
    expect((await resolve(service, body.conflict.ticket, 'cloud')).body.userId).toBe(cloud.userId);
  });
});
