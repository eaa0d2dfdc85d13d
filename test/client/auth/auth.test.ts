import type { Client } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  codeOf,
  createMemoryStorage,
  createWorld,
  errorOf,
  meetConflict,
  ok,
  quiet,
  record,
  until,
  type World,
} from '../world.js';

let world: World;
beforeEach(() => {
  world = createWorld({
    socialPlatforms: { pals: (token) => (token.startsWith('pal-') ? { id: token } : null) },
  });
});
afterEach(() => world.end());

const paths = (): string[] => world.sent.map(({ path }) => path.split('/').pop() as string);

describe('linking', () => {
  it('leaves the guest as it is where the password of someone else is wrong', async () => {
    const owner = await world.player();
    ok(await owner.auth.withName('ada', 'correct horse'));
    const guest = await world.player();
    const { userId } = guest.auth;
    expect(codeOf(await guest.auth.withName('ada', 'battery staple'))).toBe('invalid_credentials');
    expect(guest.auth).toMatchObject({ userId, state: 'guest', isAuthorized: true });
    await guest.profile.collection('progress').set('main', { level: 1 });
    await guest.profile.flush();
  });

  it('takes the own method again for a success, the password still checked', async () => {
    const client = await world.player();
    ok(await client.auth.withName('ada', 'correct horse'));
    expect(await client.auth.withName('ada', 'correct horse')).toEqual({ success: true, userId: client.auth.userId });
    expect(codeOf(await client.auth.withName('ada', 'battery staple'))).toBe('invalid_credentials');
    expect(client.auth.state).toBe('linked');
  });

  it('refuses a second name on one account', async () => {
    const client = await world.player();
    ok(await client.auth.withName('ada', 'correct horse'));
    expect(codeOf(await client.auth.withName('eve', 'correct horse'))).toBe('method_already_linked');
  });

  it('links a social token by the one registered platform, or names those there are', async () => {
    const client = await world.player();
    const refused = errorOf(await client.auth.withSocialToken('pal-1', { platform: 'nobody' }));
    expect(refused).toMatchObject({ code: 'platform_not_registered', platforms: ['pals'] });
    ok(await client.auth.withSocialToken('pal-1'));
    expect(client.auth.state).toBe('linked');
  });

  it('makes a new account for an unknown name where nobody is signed in, and leaves the device its own', async () => {
    const client = await world.player();
    const guestId = client.auth.userId;
    ok(await client.auth.signOut());
    ok(await client.auth.withName('ada', 'correct horse'));
    expect(client.auth.userId).not.toBe(guestId);
    ok(await client.auth.signOut());
    expect(ok(await client.auth.asGuest()).userId).toBe(guestId);
  });
});

describe('asGuest', () => {
  it('succeeds without a request where the device leads to the present account', async () => {
    const client = await world.player();
    const before = world.sent.length;
    expect(await client.auth.asGuest()).toEqual({ success: true, userId: client.auth.userId });
    expect(world.sent).toHaveLength(before);
  });

  it('is refused where another account is authenticated', async () => {
    const client = await world.player();
    ok(await client.auth.signOut());
    ok(await client.auth.withName('ada', 'correct horse'));
    expect(codeOf(await client.auth.asGuest())).toBe('already_authenticated');
    expect(client.auth.state).toBe('linked');
  });

  it('follows the device to the other account after Cloud', async () => {
    const { second, conflict, owner } = await meetConflict(world);
    ok(await conflict.resolve('cloud'));
    expect(await second.auth.asGuest()).toEqual({ success: true, userId: owner });
    ok(await second.auth.signOut());
    expect(ok(await second.auth.asGuest()).userId).toBe(owner);
  });
});

describe('the order of operations', () => {
  it('runs two calls in the order in which they were made', async () => {
    const client = await world.player();
    ok(await client.auth.signOut());
    const order: string[] = [];
    const first = client.auth.withName('ada', 'correct horse').then(() => order.push('ada'));
    const second = client.auth.asGuest().then((result) => order.push(codeOf(result) ?? 'guest'));
    await Promise.all([first, second]);
    expect(order).toEqual(['ada', 'already_authenticated']);
  });

  it('lets a sign-out overtake what waits, and cancels it', async () => {
    const client = await world.player();
    world.backend.control.fail({ route: 'signInWithName', with: 'slow' });
    const running = client.auth.withName('ada', 'correct horse');
    const waiting = client.auth.withName('eve', 'correct horse');
    await until(() => paths().includes('name'));
    expect(await client.auth.signOut()).toEqual({ success: true, unsent: 0 });
    expect(codeOf(await running)).toBe('aborted');
    expect(codeOf(await waiting)).toBe('aborted');
    world.backend.control.release();
    await quiet();
    expect(client.auth).toMatchObject({ state: 'signedOut', userId: null });
    expect(paths().filter((path) => path === 'name')).toHaveLength(1);
  });

  it('sends nothing for a call that was aborted before its turn, and goes on with the next', async () => {
    const client = await world.player();
    const stop = new AbortController();
    const first = client.auth.withName('ada', 'correct horse');
    const second = client.auth.withSocialToken('pal-2', { signal: stop.signal });
    const third = client.auth.withSocialToken('pal-3');
    stop.abort();
    expect(codeOf(await second)).toBe('aborted');
    ok(await first);
    ok(await third);
    expect(paths().filter((path) => path === 'social')).toHaveLength(1);
  });

  it('answers conflict_pending to other calls, also to those that wait, while the player chooses', async () => {
    const owner = await world.player();
    ok(await owner.auth.withName('ada', 'correct horse'));
    const client = await world.player();
    client.events.on('conflict', () => {});
    const pending = client.auth.withName('ada', 'correct horse');
    const waiting = client.auth.withSocialToken('pal-1');
    expect(codeOf(await waiting)).toBe('conflict_pending');
    expect(codeOf(await client.auth.asGuest())).toBe('conflict_pending');
    ok((await client.conflict?.resolve('local')) as never);
    ok(await pending);
    expect(paths()).not.toContain('social');
  });
});

describe('signOut', () => {
  it('is refused for another game or environment, and changes nothing', async () => {
    const client = await world.player();
    expect(codeOf(await client.auth.signOut({ environment: 2 }))).toBe('wrong_game');
    expect(codeOf(await client.auth.signOut({ gameId: 'aaaaaaaa-9d2e-4f0b-8a43-6b1c2d3e4f50' }))).toBe('wrong_game');
    expect(client.auth.isAuthorized).toBe(true);
  });

  it('takes the game id in any case', async () => {
    const client = await world.player();
    expect(await client.auth.signOut({ gameId: world.service.gameId.toUpperCase(), environment: 0 })).toMatchObject({
      success: true,
    });
  });

  it('signs out at once, offline and twice, and revokes in the background with a request that outlives the page', async () => {
    const client = await world.player();
    world.backend.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });
    const out = client.auth.signOut();
    expect(client.auth.isAuthorized).toBe(false);
    expect(await out).toEqual({ success: true, unsent: 0 });
    expect(await client.auth.signOut()).toEqual({ success: true, unsent: 0 });
    await quiet();
    expect(world.sent.find(({ path }) => path.endsWith('sign-out'))).toMatchObject({ keepalive: true });
  });

  it('ends the session at the service', async () => {
    const client = await world.player();
    const token = await client.auth.getAccessToken();
    ok(await client.auth.signOut());
    await until(() =>
      world.backend.control.requests.some(({ route, status }) => route?.endsWith('sign-out') && status === 204),
    );
    const answer = await world.backend.fetch(
      new Request(`${world.service.baseUrl}/v2/cl/games/${world.service.gameId}/collections/progress?env=0`, {
        headers: { Authorization: `Bearer ${token}` },
      }),
    );
    expect(answer.status).toBe(401);
  });

  it('cancels an open conflict first', async () => {
    const { second, pending } = await meetConflict(world);
    expect(await second.auth.signOut()).toEqual({ success: true, unsent: 0 });
    expect(codeOf(await pending)).toBe('conflict_cancelled');
    expect(second.conflict).toBeNull();
    expect(second.auth.state).toBe('signedOut');
  });
});

describe('external', () => {
  const valuesOf = async (client: Awaited<ReturnType<World['player']>>) => ({
    userId: client.auth.userId as string,
    accessToken: await client.auth.getAccessToken(),
  });

  it('replaces the tokens of the same user', async () => {
    const client = await world.player();
    expect(await client.auth.external(await valuesOf(client))).toEqual({ success: true, userId: client.auth.userId });
  });

  it('is refused for another user than the one that is authenticated', async () => {
    const client = await world.player();
    const other = await world.player();
    const { userId } = client.auth;
    expect(codeOf(await client.auth.external(await valuesOf(other)))).toBe('already_authenticated');
    expect(client.auth.userId).toBe(userId);
  });

  it('is refused where the token says that it is for another user', async () => {
    const client = await world.player({ autoLogin: false });
    const { accessToken } = await valuesOf(await world.player());
    const userId = 'aaaaaaaa-9d2e-4f0b-8a43-6b1c2d3e4f50';
    expect(codeOf(await client.auth.external({ userId, accessToken }))).toBe('invalid_argument');
    expect(client.auth.isAuthorized).toBe(false);
  });

  it('sets the clock and the country', async () => {
    const client = await world.player({ autoLogin: false });
    const values = await valuesOf(await world.player());
    const serverTime = Date.now() + 5_000_000;
    ok(await client.auth.external({ ...values, country: 'DE', serverTime }));
    expect(client.serverTime()).toBeGreaterThanOrEqual(serverTime);
    expect(client.auth.country).toBe('DE');
  });
});

describe('before, after and without a client', () => {
  it('answers not_initialised before init and after dispose', async () => {
    const client = world.client();
    expect(codeOf(await client.auth.asGuest())).toBe('not_initialised');
    expect(codeOf(await client.auth.signOut())).toBe('not_initialised');
    await client.init();
    client.dispose();
    expect(codeOf(await client.auth.asGuest())).toBe('not_initialised');
    expect(client.auth.isAuthorized).toBe(false);
  });

  it('says of a start after dispose that there is none, whatever the first start came to', async () => {
    const client = world.client();
    const first = client.init();
    expect(client.init()).toBe(first);
    ok(await first);
    client.dispose();
    const again = await client.init();
    expect(codeOf(again)).toBe('aborted');
    expect(errorOf(again).message).toBe('The client was disposed: make another one.');
    expect(client.auth.isAuthorized).toBe(false);
  });

  it('signs out with null for options, as with none', async () => {
    const client = await world.player();
    ok(await client.auth.signOut(null as never));
    expect(client.auth.state).toBe('signedOut');
  });

  it('waits for init where it is under way', async () => {
    const client = world.client();
    const ready = client.init();
    const linked = client.auth.withName('ada', 'correct horse');
    const { userId } = ok(await ready);
    expect(await linked).toEqual({ success: true, userId });
  });

  it('settles what is under way when it is disposed', async () => {
    const client = await world.player();
    world.backend.control.fail({ route: 'signInWithName', with: 'slow' });
    const running = client.auth.withName('ada', 'correct horse');
    await until(() => paths().includes('name'));
    client.dispose();
    expect(codeOf(await running)).toBe('aborted');
  });

  it.each([
    ['username', (auth: Auth) => auth.withName(1 as never, 'correct horse')],
    ['password', (auth: Auth) => auth.withName('ada', '')],
    ['token', (auth: Auth) => auth.withIdentityToken(undefined as never)],
    ['token', (auth: Auth) => auth.withSocialToken({} as never)],
    ['userId', (auth: Auth) => auth.external({ accessToken: 'x' } as never)],
    ['accessToken', (auth: Auth) => auth.external({ userId: 'x' } as never)],
    ['accessToken', (auth: Auth) => auth.external({ userId: 'x', accessToken: 'no\nheader' })],
    ['serverTime', (auth: Auth) => auth.external({ userId: 'x', accessToken: 'y', serverTime: Number.NaN })],
  ])('throws TypeError at once for a wrong %s', async (name, call) => {
    const client = await world.player();
    const before = world.sent.length;
    expect(() => call(client.auth)).toThrow(new RegExp(`^${name} must be`));
    expect(() => call(client.auth)).toThrow(TypeError);
    expect(world.sent).toHaveLength(before);
  });

  it('tells init apart from a network that is not there, and a later asGuest works', async () => {
    world.backend.control.fail({ with: 'offline', times: 3 });
    const client = world.client();
    expect(codeOf(await client.init())).toBe('network');
    expect(client.auth).toMatchObject({ state: 'starting', isAuthorized: false });
    const events = record(client, 'initialized');
    const { userId } = ok(await client.auth.asGuest());
    expect(events).toEqual([['initialized', { userId, reason: 'start' }]]);
  });

  it('gives the same promise to a second init', async () => {
    const client = world.client({ storage: createMemoryStorage() });
    expect(client.init()).toBe(client.init());
    expect(client.init()).toBe(client.init());
    const first = client.init();
    await first;
    expect(client.init()).toBe(first);
  });

  it('tries again where init has failed and is called again, and says so where that fails as well', async () => {
    world.backend.control.fail({ with: 'offline', times: 6 });
    const client = world.client();
    expect(codeOf(await client.init())).toBe('network');
    const second = client.init();
    expect(client.init()).toBe(second);
    expect(codeOf(await second)).toBe('network');
    const { userId } = ok(await client.init());
    expect(client.auth).toMatchObject({ state: 'guest', userId });
  });

  it('tells whoever watches the account why a start has failed, before its promise settles, until somebody is here', async () => {
    world.backend.control.fail({ with: 'offline', times: 6 });
    const client = world.client();
    const told: (string | null)[] = [];
    client.watchAccount().subscribe(({ error }) => void told.push(error?.code ?? null));
    const first = await client.init();
    expect(client.watchAccount().getSnapshot()).toMatchObject({ state: 'starting', error: (first as Failed).error });
    expect(told).toEqual([null, 'network']);
    const second = client.init();
    expect(told).toEqual([null, 'network', null]);
    expect(codeOf(await second)).toBe('network');
    expect(told).toEqual([null, 'network', null, 'network']);
    ok(await client.auth.asGuest());
    expect(told).toEqual([null, 'network', null, 'network', null]);
    ok(await client.auth.signOut());
    expect(client.watchAccount().getSnapshot()).toMatchObject({ state: 'signedOut', error: null });
  });

  it('tells whoever watches the account whether a player is about to be here', async () => {
    const starting = (client: Client): boolean => client.watchAccount().getSnapshot().isStarting;
    const [alone, offline, here] = [
      world.client({ autoLogin: false }),
      world.client({ network: 'off' }),
      world.client(),
    ];
    expect([alone, offline, here].map(starting)).toEqual([true, true, true]);
    for (const client of [alone, offline, here]) ok(await client.init());
    // The second one signs in by itself, once the game lets it.
    expect([alone, offline, here].map(starting)).toEqual([false, true, false]);
    ok(await offline.setNetwork('on'));
    ok(await here.auth.signOut());
    expect([offline, here].map(starting)).toEqual([false, false]);
  });

  it('says who is here by now where init has failed and is called again, and signs nobody in who has signed out', async () => {
    world.backend.control.fail({ with: 'offline', times: 3 });
    const client = world.client();
    const failed = await client.init();
    const { userId } = ok(await client.auth.asGuest());
    const sent = world.sent.length;
    expect(ok(await client.init())).toMatchObject({ userId });
    expect(world.sent).toHaveLength(sent);

    world.backend.control.fail({ with: 'offline', times: 3 });
    const other = world.client({ storage: createMemoryStorage() });
    expect(await other.init()).toEqual(failed);
    ok(await other.auth.asGuest());
    ok(await other.auth.signOut());
    expect(codeOf(await other.init())).toBe('network');
    expect(other.auth.state).toBe('signedOut');
  });
});

type Auth = ReturnType<World['client']>['auth'];
type Failed = { error: unknown };
