import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeOf, createWorld, errorOf, meetConflict, ok, record, type World } from '../world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.end());

describe('a player, through the service (docs/interface.md#states-and-transitions)', () => {
  it('is the guest of the device as the client starts', async () => {
    const client = world.client();
    const events = record(client, 'initialized', 'stateChanged');
    const { userId } = ok(await client.init());
    expect(userId).toBe(client.auth.userId);
    expect(client.auth).toMatchObject({ isAuthorized: true, state: 'guest' });
    expect(events).toEqual([
      ['stateChanged', { state: 'guest', previous: 'starting' }],
      ['initialized', { userId, reason: 'start' }],
    ]);
  });

  it('links a method that no account has, at once, and stays in the account', async () => {
    const client = await world.player();
    const before = client.auth.userId;
    const events = record(client, 'initialized', 'stateChanged');
    expect(await client.auth.withName('ada', 'correct horse')).toEqual({ success: true, userId: before });
    expect(client.auth.state).toBe('linked');
    expect(events).toEqual([['stateChanged', { state: 'linked', previous: 'guest' }]]);
  });

  it("meets a conflict where the method is another account's", async () => {
    const { first, second, own, conflict } = await meetConflict(world);
    expect(second.auth).toMatchObject({ state: 'conflict', userId: own, isAuthorized: true });
    expect(second.conflict).toBe(conflict);
    expect(conflict).toMatchObject({
      method: 'name',
      local: { userId: own, entries: 1, methods: ['device'] },
      cloud: { userId: first.auth.userId, entries: 1 },
    });
  });

  it('takes the method from the other account by the choice Local', async () => {
    const { first, second, own, events, pending, conflict } = await meetConflict(world);
    const result = { success: true, userId: own };
    expect(await conflict.resolve('local')).toEqual(result);
    expect(await pending).toEqual(result);
    expect(second.conflict).toBeNull();
    expect(events.map(([, payload]) => payload)).toEqual([
      { state: 'conflict', previous: 'guest' },
      { state: 'linked', previous: 'conflict' },
    ]);
    // The name now leads to the second device's account.
    ok(await first.auth.signOut());
    expect(await first.auth.withName('ada', 'correct horse')).toEqual(result);
  });

  it('is the owner of the method after the choice Cloud, and the game hears of it when all is loaded', async () => {
    const { first, second, own, events, pending, conflict } = await meetConflict(world);
    const result = { success: true, userId: first.auth.userId };
    expect(await conflict.resolve('cloud')).toEqual(result);
    expect(second.profile.collection('progress').get('main')).toEqual({ level: 7 });
    expect(await pending).toEqual(result);
    expect(events).toEqual([
      ['stateChanged', { state: 'conflict', previous: 'guest' }],
      ['stateChanged', { state: 'linked', previous: 'conflict' }],
      ['initialized', { userId: first.auth.userId, reason: 'cloud' }],
    ]);
    expect(second.auth.userId).not.toBe(own);
  });

  it('signs out', async () => {
    const client = await world.player();
    const events = record(client, 'stateChanged');
    expect(await client.auth.signOut()).toEqual({ success: true, unsent: 0 });
    expect(client.auth).toMatchObject({ state: 'signedOut', userId: null, isAuthorized: false });
    expect(events).toEqual([['stateChanged', { state: 'signedOut', previous: 'guest' }]]);
  });

  it('signs in to another account after a sign-out', async () => {
    const first = await world.player();
    ok(await first.auth.withName('ada', 'correct horse'));
    const second = await world.player();
    ok(await second.auth.signOut());
    const events = record(second, 'initialized', 'stateChanged');
    expect(await second.auth.withName('ada', 'correct horse')).toEqual({ success: true, userId: first.auth.userId });
    expect(events).toEqual([
      ['stateChanged', { state: 'linked', previous: 'signedOut' }],
      ['initialized', { userId: first.auth.userId, reason: 'switch' }],
    ]);
  });

  it("signs in by the values of the game's back end where AutoLogin is off", async () => {
    const other = await world.player();
    const client = world.client({ autoLogin: false });
    expect(ok(await client.init()).userId).toBeNull();
    expect(client.auth.state).toBe('starting');
    const events = record(client, 'initialized');
    const values = { userId: other.auth.userId as string, accessToken: await other.auth.getAccessToken() };
    const external = client.auth.external(values);
    expect(client.auth.isAuthorized).toBe(true);
    expect(await external).toEqual({ success: true, userId: values.userId });
    expect(events).toEqual([['initialized', { userId: values.userId, reason: 'start' }]]);
  });

  it('gets an answer also where nobody listens for the conflict', async () => {
    const first = await world.player();
    ok(await first.auth.withName('ada', 'correct horse'));
    const second = await world.player();
    const result = await second.auth.withName('ada', 'correct horse');
    expect(codeOf(result)).toBe('conflict_unhandled');
    expect(errorOf(result)).toMatchObject({ conflict: second.conflict });
    expect(await second.conflict?.resolve('cloud')).toEqual({ success: true, userId: first.auth.userId });
  });
});
