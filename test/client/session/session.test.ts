import type { Client } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  codeOf,
  createMemoryStorage,
  createWorld,
  errorOf,
  holdTime,
  ok,
  pass,
  quiet,
  record,
  until,
  type World,
} from '../world.js';

let world: World;
beforeEach(() => {
  holdTime();
  world = createWorld();
});
afterEach(() => {
  world.end();
  vi.useRealTimers();
});

const minute = 60_000;
const hour = 60 * minute;
const count = (end: string): number => world.sent.filter(({ path }) => path.endsWith(end)).length;

/** Ends the sessions of an account the way another device can: by taking its name. */
async function loseName(name: string): Promise<void> {
  const taker = await world.player();
  taker.events.on('conflict', (conflict) => void conflict.resolve('local'));
  ok(await taker.auth.withName(name, 'correct horse'));
}

describe('the refresh of tokens', () => {
  it('comes 60 s and a jitter before the token ends', async () => {
    const client = await world.player();
    const before = await client.auth.getAccessToken();
    await pass(hour - 80_000);
    expect(count('refresh')).toBe(0);
    await pass(10_000);
    expect(count('refresh')).toBe(1);
    expect(await client.auth.getAccessToken()).not.toBe(before);
  });

  it("goes by the service's clock, not the device's", async () => {
    // The device is a day behind: by its own clock nothing would be due for long.
    world.backend.control.advance(24 * hour);
    const client = await world.player();
    expect(client.serverTime()).toBe(world.backend.control.now());
    await pass(hour - 70_000);
    expect(count('refresh')).toBe(1);
  });

  it('is asked once, however many need a token', async () => {
    const client = await world.player();
    world.backend.control.advance(2 * hour);
    vi.setSystemTime(Date.now() + 2 * hour);
    const tokens = await Promise.all([
      client.auth.getAccessToken(),
      client.auth.getAccessToken(),
      client.auth.getAccessToken(),
    ]);
    expect(new Set(tokens).size).toBe(1);
    expect(count('refresh')).toBe(1);
  });

  it('is tried again from 1 s to 60 s apart while the network fails, and signs nobody out', async () => {
    const client = await world.player();
    const events = record(client, 'stateChanged', 'sessionExpired');
    world.backend.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });
    await pass(hour);
    const early = count('refresh');
    expect(early).toBeGreaterThan(6);
    await pass(hour);
    // Each round is three tries of the sender.
    const rounds = (count('refresh') - early) / 3;
    expect(rounds).toBeGreaterThanOrEqual(59);
    expect(rounds).toBeLessThan(125);
    expect(client.auth.isAuthorized).toBe(true);
    expect(events).toEqual([]);
    expect(await rejection(client.auth.getAccessToken())).toMatchObject({ code: 'network' });
    world.backend.control.restore();
    await pass(minute);
    expect(await client.auth.getAccessToken()).toBeTruthy();
  });

  it('obeys Retry-After', async () => {
    await world.player();
    world.backend.control.fail({ route: 'refreshSession', with: { status: 429, retryAfter: 600 }, times: 1 });
    await pass(hour - 70_000);
    expect(count('refresh')).toBe(1);
    await pass(500_000);
    expect(count('refresh')).toBe(1);
    await pass(110_000);
    expect(count('refresh')).toBe(2);
  });

  it('survives a lost answer: the service gives the same successor', async () => {
    const client = await world.player();
    world.backend.control.fail({ route: 'refreshSession', with: 'lost-answer' });
    await pass(hour - 70_000);
    expect(count('refresh')).toBe(2);
    await pass(2 * hour);
    expect(client.auth.isAuthorized).toBe(true);
  });

  it('does not bring back a session that was signed out meanwhile', async () => {
    const storage = createMemoryStorage();
    const client = await world.player({ storage });
    world.backend.control.fail({ route: 'refreshSession', with: 'slow' });
    await pass(hour - 70_000);
    await until(() => count('refresh') === 1);
    ok(await client.auth.signOut());
    world.backend.control.release();
    await quiet();
    expect(client.auth).toMatchObject({ state: 'signedOut', userId: null });
    expect(stored(storage).session).toBeNull();
  });

  it('is made up for where the service has had enough of a token early', async () => {
    const client = await world.player();
    world.backend.control.fail({ route: 'readCollection', with: { status: 401, code: 'token_expired' } });
    expect(await client.profile.collection('progress').load()).toEqual([]);
    expect(count('refresh')).toBe(1);
  });

  it('is not asked for without end where tokens live shorter than its lead', async () => {
    await world.player({
      fetch: async (request) => {
        const answer = await world.service.fetch(request);
        const body = (await answer.json()) as { accessToken: string };
        return Response.json({ ...body, accessToken: expiringIn(30) });
      },
    });
    await pass(10 * minute);
    expect(world.service.backend.control.requests.length).toBeLessThan(60);
    expect(world.service.backend.control.requests.length).toBeGreaterThan(10);
  });

  it('stops when the client is disposed', async () => {
    const client = await world.player();
    client.dispose();
    await pass(3 * hour);
    expect(count('refresh')).toBe(0);
  });
});

describe('a session that the service refuses', () => {
  it("is entered again by the device id where it is the device's own account", async () => {
    const client = await world.player();
    const { userId } = client.auth;
    const events = record(client, 'stateChanged', 'sessionExpired', 'initialized');
    // The page slept for a month; no timer rang.
    vi.setSystemTime(Date.now() + 31 * 24 * hour);
    expect(await client.auth.getAccessToken()).toBeTruthy();
    expect(count('guest')).toBe(2);
    await quiet();
    expect(client.auth.userId).toBe(userId);
    expect(events).toEqual([]);
  });

  it('is signed out and sessionExpired is raised where it is a named one: never another account in silence', async () => {
    const client = await world.player();
    ok(await client.auth.signOut());
    ok(await client.auth.withName('ada', 'correct horse'));
    const { userId } = client.auth;
    const events = record(client, 'stateChanged', 'sessionExpired', 'initialized');
    await loseName('ada');
    const guests = count('guest');
    expect(
      await rejection(client.auth.getAccessToken().then(() => client.profile.collection('a').load())),
    ).toMatchObject({
      code: 'not_authenticated',
    });
    await quiet();
    expect(events).toEqual([
      ['stateChanged', { state: 'signedOut', previous: 'linked' }],
      ['sessionExpired', { userId }],
    ]);
    expect(count('guest')).toBe(guests);
  });

  it('is not taken for refused where a page in between answers 401 in its own words', async () => {
    const client = await world.player({
      fetch: (request) =>
        request.url.endsWith('refresh')
          ? Promise.resolve(new Response('<html>log in to the hotel</html>', { status: 401 }))
          : world.backend.fetch(request),
    });
    await pass(hour);
    expect(client.auth.isAuthorized).toBe(true);
  });
});

describe('a restart', () => {
  it('restores the stored session without a request', async () => {
    const storage = createMemoryStorage();
    const before = await world.player({ storage });
    ok(await before.auth.withName('ada', 'correct horse'));
    const { userId } = before.auth;
    before.dispose();
    const asked = world.sent.length;
    const after = world.client({ storage });
    const events = record(after, 'initialized');
    expect(ok(await after.init()).userId).toBe(userId);
    expect(after.auth.state).toBe('linked');
    expect(events).toEqual([['initialized', { userId, reason: 'start' }]]);
    expect(world.sent).toHaveLength(asked);
  });

  it('is authorised at once while offline, with tokens that ended long ago', async () => {
    const storage = createMemoryStorage();
    const before = await world.player({ storage });
    const { userId } = before.auth;
    before.dispose();
    await pass(5 * hour);
    world.backend.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });
    const after = world.client({ storage });
    expect(await after.init()).toEqual({ success: true, userId });
    expect(after.auth).toMatchObject({ isAuthorized: true, state: 'guest' });
    world.backend.control.restore();
    await pass(2 * minute);
    expect(await after.profile.collection('progress').load()).toEqual([]);
  });

  it('keeps the same guest across restarts by the device id, also after a sign-out', async () => {
    const storage = createMemoryStorage();
    const before = await world.player({ storage });
    const { userId } = before.auth;
    ok(await before.auth.signOut());
    before.dispose();
    const after = await world.player({ storage });
    expect(after.auth.userId).toBe(userId);
  });

  it('does not restore where AutoLogin is off', async () => {
    const storage = createMemoryStorage();
    const before = await world.player({ storage });
    before.dispose();
    const after = await world.player({ storage, autoLogin: false });
    expect(after.auth).toMatchObject({ isAuthorized: false, state: 'starting' });
    expect(ok(await after.auth.asGuest()).userId).toBeTruthy();
  });

  it('takes a damaged record for none', async () => {
    const storage = createMemoryStorage();
    const before = await world.player({ storage });
    const { userId } = before.auth;
    before.dispose();
    storage.values.set(sessionKey(storage), '{"session":{"userId":7}}');
    expect((await world.player({ storage })).auth.userId).toBe(userId);
  });

  it('keeps games and environments apart in one storage', async () => {
    const storage = createMemoryStorage();
    const one = await world.player({ storage });
    const two = await world.player({ storage, environment: 2 });
    expect(two.auth.userId).not.toBe(one.auth.userId);
    // Session, device id and the name of its writes.
    expect(storage.values.size).toBe(6);
  });
});

describe('a session of auth.external', () => {
  const external = async (client: Client) => {
    const other = await world.player();
    const userId = other.auth.userId as string;
    ok(await client.auth.external({ userId, accessToken: await other.auth.getAccessToken() }));
    return { other, userId };
  };

  it('raises sessionExpired when its token ends and the game has no renewSession', async () => {
    const client = await world.player({ autoLogin: false });
    const events = record(client, 'sessionExpired');
    const { userId } = await external(client);
    await pass(hour - minute);
    expect(events).toEqual([]);
    await pass(minute);
    expect(events).toEqual([['sessionExpired', { userId }]]);
    expect(client.auth.state).toBe('signedOut');
  });

  it('asks renewSession before its token ends', async () => {
    let other: Client | undefined;
    const renewSession = vi.fn(async () => ({ accessToken: await (other as Client).auth.getAccessToken() }));
    const client = await world.player({ autoLogin: false, renewSession });
    ({ other } = await external(client));
    await pass(hour);
    expect(renewSession).toHaveBeenCalled();
    await pass(hour);
    expect(client.auth.isAuthorized).toBe(true);
    expect(await client.profile.collection('progress').load()).toEqual([]);
  });

  it('asks renewSession once, however many need a token', async () => {
    let other: Client | undefined;
    const renewSession = vi.fn(async () => ({ accessToken: await (other as Client).auth.getAccessToken() }));
    const client = await world.player({ autoLogin: false, renewSession });
    ({ other } = await external(client));
    vi.setSystemTime(Date.now() + 2 * hour);
    await Promise.all([client.auth.getAccessToken(), client.auth.getAccessToken()]);
    expect(renewSession).toHaveBeenCalledTimes(1);
  });

  it('is kept while renewSession fails, and the failure is reported', async () => {
    const mistake = new Error('our own back end is down');
    const client = await world.player({ autoLogin: false, renewSession: () => Promise.reject(mistake) });
    await external(client);
    await pass(2 * hour);
    expect(client.auth.isAuthorized).toBe(true);
    expect(world.reported[0]).toBe(mistake);
    expect(await rejection(client.auth.getAccessToken())).toMatchObject({ code: 'network' });
  });
});

describe('two tabs on one storage', () => {
  it('agree on one device at their first start', async () => {
    const storage = createMemoryStorage();
    const [one, two] = await Promise.all([world.player({ storage }), world.player({ storage })]);
    expect(one.auth.userId).toBe(two.auth.userId);
    expect([...storage.values.keys()].filter((key) => key.endsWith('device'))).toHaveLength(1);
  });

  it('sign out together', async () => {
    const storage = createMemoryStorage();
    const [one, two] = await Promise.all([world.player({ storage }), world.player({ storage })]);
    const events = record(two, 'stateChanged', 'sessionExpired');
    ok(await one.auth.signOut());
    await quiet();
    expect(two.auth.isAuthorized).toBe(false);
    expect(events).toEqual([['stateChanged', { state: 'signedOut', previous: 'guest' }]]);
  });

  it('switch together: the other one reloads and raises initialized with "switch"', async () => {
    const storage = createMemoryStorage();
    const one = await world.player({ storage });
    await one.profile.collection('progress').set('main', { level: 1 });
    const two = await world.player({ storage });
    await two.profile.collection('progress').load();
    const events = record(two, 'initialized');
    ok(await one.auth.signOut());
    ok(await one.auth.withName('ada', 'correct horse'));
    await quiet();
    expect(two.auth).toMatchObject({ userId: one.auth.userId, state: 'linked' });
    expect(events).toEqual([['initialized', { userId: one.auth.userId, reason: 'switch' }]]);
    expect(two.profile.collection('progress').get('main')).toBeUndefined();
  });

  it('adopt the new state where the account stays the same', async () => {
    const storage = createMemoryStorage();
    const one = await world.player({ storage });
    const two = await world.player({ storage });
    const events = record(two, 'initialized', 'stateChanged');
    ok(await one.auth.withName('ada', 'correct horse'));
    await quiet();
    expect(events).toEqual([['stateChanged', { state: 'linked', previous: 'guest' }]]);
  });

  it('refresh once for both', async () => {
    const storage = createMemoryStorage();
    const one = await world.player({ storage });
    const two = await world.player({ storage });
    await pass(hour - 70_000);
    expect(count('refresh')).toBe(1);
    expect(await two.auth.getAccessToken()).toBe(await one.auth.getAccessToken());
  });

  it('drop a write that is based on an older generation', async () => {
    const storage = createMemoryStorage();
    const one = await world.player({ storage });
    const two = await world.player({ storage });
    // The link of one is under way while the other signs out.
    world.backend.control.fail({ route: 'signInWithName', with: 'slow' });
    const linking = one.auth.withName('ada', 'correct horse');
    await until(() => count('name') === 1);
    const record = storage.values.get(sessionKey(storage)) as string;
    ok(await two.auth.signOut());
    expect(storage.values.get(sessionKey(storage))).not.toBe(record);
    world.backend.control.release();
    expect((await linking).success).toBe(false);
    await quiet();
    expect(one.auth.state).toBe('signedOut');
    expect(stored(storage).session).toBeNull();
  });

  it('drop the late write of a tab that has not heard of the sign-out yet', async () => {
    const storage = createMemoryStorage();
    const deaf = createWorld();
    try {
      const one = await world.player({ storage });
      // Another platform: no message reaches it.
      const two = await deaf.player({ storage, fetch: (request) => world.backend.fetch(request) });
      expect(two.auth.userId).toBe(one.auth.userId);
      ok(await one.auth.signOut());
      expect(errorOf(await two.auth.withName('ada', 'correct horse')).code).toMatch(/aborted|not_authenticated/);
      expect(two.auth.state).toBe('signedOut');
      expect(stored(storage).session).toBeNull();
    } finally {
      deaf.end();
    }
  });

  it('adopt what is stored where their own write is dropped', async () => {
    const storage = createMemoryStorage();
    const deaf = createWorld();
    try {
      const one = await world.player({ storage });
      const two = await deaf.player({ storage, fetch: (request) => world.backend.fetch(request) });
      const values = { userId: two.auth.userId as string, accessToken: await two.auth.getAccessToken() };
      const events = record(two, 'stateChanged');
      ok(await one.auth.signOut());
      expect(codeOf(await two.auth.external(values))).toBe('aborted');
      expect(two.auth.state).toBe('signedOut');
      expect(events).toEqual([['stateChanged', { state: 'signedOut', previous: 'guest' }]]);
      expect(stored(storage).session).toBeNull();
    } finally {
      deaf.end();
    }
  });

  it('agree on what is stored where both wrote at once, without locks', async () => {
    const storage = createMemoryStorage();
    const client = await world.player({ storage });
    const other = createMemoryStorage();
    const { userId } = (await world.player({ storage: other })).auth;
    // Of two writes of one generation the last one has won.
    storage.values.set(sessionKey(storage), other.values.get(sessionKey(other)) as string);
    world.platform.tabs(sessionKey(storage).replace(/session$/, '')).notify(sessionKey(storage));
    await quiet();
    expect(client.auth.userId).toBe(userId);
  });

  it('let a sign-out count, whatever the other tab has written', async () => {
    const storage = createMemoryStorage();
    const deaf = createWorld();
    try {
      const one = await world.player({ storage });
      const two = await deaf.player({ storage, fetch: (request) => world.backend.fetch(request) });
      ok(await one.auth.withName('ada', 'correct horse'));
      ok(await two.auth.signOut());
      expect(stored(storage).session).toBeNull();
      expect(two.auth.state).toBe('signedOut');
    } finally {
      deaf.end();
    }
  });

  it('close a conflict whose account another tab has left', async () => {
    const storage = createMemoryStorage();
    const owner = await world.player();
    ok(await owner.auth.withName('ada', 'correct horse'));
    const one = await world.player({ storage });
    const two = await world.player({ storage });
    one.events.on('conflict', () => {});
    const pending = one.auth.withName('ada', 'correct horse');
    await until(() => one.conflict !== null);
    ok(await two.auth.signOut());
    expect(codeOf(await pending)).toBe('conflict_cancelled');
    expect(one.auth.state).toBe('signedOut');
  });
});

function expiringIn(seconds: number): string {
  return `header.${btoa(JSON.stringify({ exp: Math.floor(Date.now() / 1000) + seconds }))}.signature`;
}

function sessionKey(storage: { values: Map<string, string> }): string {
  return [...storage.values.keys()].find((key) => key.endsWith('session')) as string;
}

function stored(storage: { values: Map<string, string> }): { session: unknown; generation: number } {
  return JSON.parse(storage.values.get(sessionKey(storage)) as string);
}

function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'no rejection',
    (error) => error,
  );
}
