import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { holdHasher } from '../../backend/accounts/held.js';
import { codeOf, createWorld, ok, quiet, record, type World } from '../world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => {
  vi.restoreAllMocks();
  world.end();
});

describe('a password that is changed while a sign-in by the old one is under way', () => {
  it('refuses the sign-in, and the player stays who they were', async () => {
    const owner = await world.player();
    ok(await owner.auth.withName('ada', 'correct horse'));
    const guest = await world.player();
    const { userId } = guest.auth;
    const events = record(guest, 'stateChanged', 'sessionExpired', 'initialized');
    for (const signIn of [
      () => guest.auth.withName('ada', 'correct horse'),
      () => guest.auth.switchTo({ method: 'name', username: 'ada', password: 'correct horse' }),
    ]) {
      const gate = holdHasher();
      const signingIn = signIn();
      await gate.arrived;
      await owner.account.changePassword('correct horse', 'battery staple');
      gate.open();
      expect(codeOf(await signingIn)).toBe('invalid_credentials');
      await owner.account.changePassword('battery staple', 'correct horse');
    }
    await quiet();
    expect(events).toEqual([]);
    expect(guest.auth).toMatchObject({ userId, isAuthorized: true, state: 'guest' });
    await guest.profile.collection('progress').set('main', { level: 1 });
    await guest.profile.collection('progress').flush();
    expect(owner.auth.isAuthorized).toBe(true);
  });
});

describe('an account that an operator gives back to a device on which another guest plays', () => {
  it('is what the device is from then on, and the other guest can be given back', async () => {
    const lost = await world.player();
    await lost.profile.collection('progress').set('main', { level: 9 });
    await lost.profile.collection('progress').flush();
    const guest = await world.player();
    await guest.profile.collection('progress').set('main', { level: 1 });
    await guest.profile.collection('progress').flush();
    const { userId } = guest.auth;
    const deviceId = JSON.parse(world.sent.findLast(({ path }) => path.endsWith('/guest'))?.body ?? '{}').device_id;
    const place = { gameId: world.service.gameId, environment: 0 as const, deviceId };
    const events = record(guest, 'stateChanged', 'sessionExpired', 'initialized');
    expect(await world.backend.restoreAccount({ ...place, userId: lost.auth.userId ?? '' })).toBe(true);

    await guest.profile.collection('progress').set('main', { level: 2 });
    await guest.profile
      .collection('progress')
      .flush()
      .catch(() => {});
    await quiet();
    expect(events).toEqual([['initialized', { userId: lost.auth.userId, reason: 'switch' }]]);
    expect(guest.auth).toMatchObject({ userId: lost.auth.userId, isAuthorized: true, state: 'guest' });
    expect(await guest.profile.collection('progress').load()).toEqual(expect.anything());
    expect(guest.profile.collection('progress').get('main')).toEqual({ level: 9 });

    // For 30 days what was played meanwhile can be had as well.
    expect(await world.backend.restoreAccount({ ...place, userId: userId ?? '' })).toBe(true);
    await guest.profile.collection('progress').set('main', { level: 10 });
    await guest.profile
      .collection('progress')
      .flush()
      .catch(() => {});
    await quiet();
    expect(guest.auth).toMatchObject({ userId, isAuthorized: true });
  });
});
