import type { Credential } from 'savepoint';
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
  world = createWorld({ socialPlatforms: { pals: (token) => ({ id: token }) } });
});
afterEach(() => world.end());

const ada: Credential = { method: 'name', username: 'ada', password: 'correct horse' };
const wrong: Credential = { ...ada, password: 'wrong password' };
const paths = (): string[] => world.sent.map(({ path }) => path.slice('/v2/auth/'.length));

/** An account of another device, with a name and an entry. */
async function withAda() {
  const owner = await world.player();
  ok(await owner.auth.withName('ada', 'correct horse'));
  await owner.profile.collection('progress').set('main', { level: 7 });
  await owner.profile.flush();
  return owner;
}

describe('peek', () => {
  it('says that nobody has it, that it is mine, or whose it is, and changes nothing', async () => {
    const field = { collection: 'progress', key: 'main', field: 'level' };
    const client = await world.player({ conflictFields: [field] });
    expect(await client.auth.peek(ada)).toEqual({ success: true, outcome: 'free' });
    const owner = await withAda();
    expect(await owner.auth.peek(ada)).toEqual({ success: true, outcome: 'mine' });
    expect(await client.auth.peek(ada)).toMatchObject({
      outcome: 'other',
      side: { userId: owner.auth.userId, entries: 1, fields: [{ ...field, value: 7 }] },
    });
    expect(client.auth.state).toBe('guest');
    expect(client.conflict).toBeNull();
    expect((await client.account.methods()).map(({ method }) => method)).toEqual(['device']);
  });

  it('works signed out, and by every kind of credential', async () => {
    const owner = await withAda();
    ok(await owner.auth.withSocialToken('pal-7'));
    const code = await owner.account.recoveryCode();
    const client = await world.player();
    ok(await client.auth.signOut());
    for (const credential of [ada, { method: 'social', token: 'pal-7' }, { method: 'recovery', code }] as const) {
      expect(await client.auth.peek(credential)).toMatchObject({ outcome: 'other', side: { entries: 1 } });
    }
    expect(client.auth.state).toBe('signedOut');
    expect(codeOf(await client.auth.peek({ method: 'identity', token: 'no-token' }))).toBe('invalid_credentials');
  });

  it('refuses a wrong password, and what the network does not carry', async () => {
    await withAda();
    const client = await world.player();
    expect(codeOf(await client.auth.peek(wrong))).toBe('invalid_credentials');
    world.backend.control.fail({ route: 'peek', with: 'offline', times: 3 });
    expect(codeOf(await client.auth.peek(ada))).toBe('network');
    world.backend.control.fail({ route: 'peek', with: 'lost-answer' });
    expect(ok(await client.auth.peek(ada)).outcome).toBe('other');
  });

  it('is aborted by its signal', async () => {
    const client = await world.player();
    world.backend.control.fail({ route: 'peek', with: 'slow' });
    const stop = new AbortController();
    const look = client.auth.peek(ada, { signal: stop.signal });
    await until(() => paths().includes('peek/name'));
    stop.abort();
    expect(codeOf(await look)).toBe('aborted');
    expect(codeOf(await client.auth.peek(ada, { signal: AbortSignal.abort() }))).toBe('aborted');
  });

  it('waits for no open conflict', async () => {
    const { second, conflict } = await meetConflict(world);
    expect(ok(await second.auth.peek({ ...ada, username: 'eve' })).outcome).toBe('free');
    expect(second.conflict).toBe(conflict);
  });

  it('waits for init, and needs it', async () => {
    const client = world.client();
    expect(codeOf(await client.auth.peek(ada))).toBe('not_initialised');
    const ready = client.init();
    expect(ok(await client.auth.peek(ada)).outcome).toBe('free');
    await ready;
    client.dispose();
    expect(codeOf(await client.auth.peek(ada))).toBe('not_initialised');
  });

  it('asks nothing any more where the client is disposed meanwhile', async () => {
    const client = world.client();
    const ready = client.init();
    const look = client.auth.peek(ada);
    client.dispose();
    expect(codeOf(await look)).toBe('not_initialised');
    await ready;
    expect(paths()).not.toContain('peek/name');
  });

  it('works where init found no network', async () => {
    world.backend.control.fail({ with: 'offline', times: 3 });
    const client = world.client();
    expect(codeOf(await client.init())).toBe('network');
    expect(ok(await client.auth.peek(ada)).outcome).toBe('free');
  });
});

describe('a credential', () => {
  it.each<[string, unknown]>([
    ['method', undefined],
    ['method', null],
    ['method', 'name'],
    ['method', {}],
    ['method', { method: 'device' }],
    ['method', { method: 'toString' }],
    ['username', { method: 'name', password: 'correct horse' }],
    ['password', { method: 'name', username: 'ada', password: '' }],
    ['token', { method: 'identity', token: 7 }],
    ['token', { method: 'social' }],
    ['platform', { method: 'social', token: 'x', platform: 7 }],
    ['code', { method: 'recovery', code: null }],
  ])('without a right %s is a TypeError at once', async (name, credential) => {
    const client = await world.player();
    const sent = world.sent.length;
    for (const call of ['peek', 'link', 'switchTo'] as const) {
      expect(() => client.auth[call](credential as never)).toThrow(TypeError);
      expect(() => client.auth[call](credential as never)).toThrow(new RegExp(`^${name} must be`));
    }
    expect(world.sent).toHaveLength(sent);
  });

  it('sends its own fields only', async () => {
    const client = await world.player();
    await client.auth.peek({ ...ada, token: 'private', intent: 'switch' } as never);
    expect(Object.keys(JSON.parse(world.sent.at(-1)?.body ?? '')).sort()).toEqual([
      'device_id',
      'env',
      'game_id',
      'password',
      'username',
    ]);
  });
});

describe('link', () => {
  it('links as withName does', async () => {
    const client = await world.player();
    const { userId } = client.auth;
    expect(await client.auth.link(ada)).toEqual({ success: true, userId });
    expect(client.auth.state).toBe('linked');
    expect(await client.auth.link(ada)).toEqual({ success: true, userId });
  });

  it('conflicts as withName does', async () => {
    const owner = await withAda();
    const client = await world.player();
    client.events.on('conflict', (conflict) => void conflict.resolve('cloud'));
    expect(ok(await client.auth.link(ada)).userId).toBe(owner.auth.userId);
  });

  it('meets the account of a recovery code, and makes no link with one that nobody has', async () => {
    const owner = await withAda();
    const code = await owner.account.recoveryCode();
    const client = await world.player();
    expect(codeOf(await client.auth.link({ method: 'recovery', code }))).toBe('conflict_unhandled');
    expect(client.conflict?.method).toBe('recovery');
    expect(codeOf(await client.auth.link({ method: 'recovery', code: 'none' }))).toBe('invalid_credentials');
    expect(client.auth.state).toBe('guest');
  });

  it('never signs in', async () => {
    await withAda();
    const client = await world.player();
    ok(await client.auth.signOut());
    const asked = paths().length;
    expect(codeOf(await client.auth.link(ada))).toBe('not_authenticated');
    expect(paths()).toHaveLength(asked);
    expect(client.auth.state).toBe('signedOut');
  });
});

describe('switchTo', () => {
  it('becomes the account that the credential leads to, and leaves the other at the service', async () => {
    const owner = await withAda();
    const storage = createMemoryStorage();
    const client = await world.player({ storage });
    const own = client.auth.userId;
    const token = await client.auth.getAccessToken();
    const events = record(client, 'initialized', 'stateChanged');
    await client.profile.collection('progress').load();
    expect(await client.auth.switchTo(ada)).toEqual({ success: true, userId: owner.auth.userId });
    expect(client.profile.collection('progress').get('main')).toEqual({ level: 7 });
    expect(events).toEqual([
      ['stateChanged', { state: 'linked', previous: 'guest' }],
      ['initialized', { userId: owner.auth.userId, reason: 'switch' }],
    ]);
    await until(() => paths().includes('sign-out'));
    await quiet();
    // The device still leads to the account that was left; its session has ended.
    const other = await world.player({ autoLogin: false });
    ok(await other.auth.external({ userId: own as string, accessToken: token }));
    await expect(other.profile.collection('progress').load()).rejects.toMatchObject({ code: 'not_authenticated' });
    ok(await client.auth.signOut());
    expect(ok(await client.auth.asGuest()).userId).toBe(own);
  });

  it('goes on after a restart', async () => {
    const owner = await withAda();
    const storage = createMemoryStorage();
    const client = await world.player({ storage });
    ok(await client.auth.switchTo(ada));
    client.dispose();
    const again = await world.player({ storage });
    expect(again.auth).toMatchObject({ userId: owner.auth.userId, state: 'linked' });
    expect(await again.profile.collection('progress').load()).toHaveLength(1);
  });

  it('tells the other tabs', async () => {
    const owner = await withAda();
    const storage = createMemoryStorage();
    const client = await world.player({ storage });
    const tab = await world.player({ storage });
    ok(await client.auth.switchTo(ada));
    await quiet();
    expect(tab.auth.userId).toBe(owner.auth.userId);
    expect(await tab.profile.collection('progress').load()).toHaveLength(1);
  });

  it('never makes an account, and changes nothing where it fails', async () => {
    await withAda();
    const client = await world.player();
    const { userId } = client.auth;
    const events = record(client, 'initialized', 'stateChanged');
    const failures: [Credential, string][] = [
      [{ ...ada, username: 'nobody' }, 'invalid_credentials'],
      [wrong, 'invalid_credentials'],
      [{ method: 'social', token: 'pal-unknown' }, 'user_not_found'],
      [{ method: 'recovery', code: 'none' }, 'invalid_credentials'],
    ];
    for (const [credential, code] of failures) expect(codeOf(await client.auth.switchTo(credential))).toBe(code);
    world.backend.control.fail({ route: 'signInWithName', with: 'offline', times: 3 });
    expect(codeOf(await client.auth.switchTo(ada))).toBe('network');
    expect(client.auth).toMatchObject({ userId, state: 'guest' });
    expect(events).toEqual([]);
    expect(await client.profile.collection('progress').load()).toEqual([]);
    expect(paths()).not.toContain('sign-out');
  });

  it('to the present account is a success, with the new session in the place of the old', async () => {
    const owner = await withAda();
    const before = await owner.auth.getAccessToken();
    const events = record(owner, 'initialized', 'stateChanged');
    expect(await owner.auth.switchTo(ada)).toEqual({ success: true, userId: owner.auth.userId });
    await quiet();
    expect(events).toEqual([]);
    expect(await owner.auth.getAccessToken()).not.toBe(before);
    expect(await owner.profile.collection('progress').load()).toHaveLength(1);
    expect(paths()).toContain('sign-out');
  });

  it('survives a lost answer', async () => {
    const owner = await withAda();
    const client = await world.player();
    world.backend.control.fail({ route: 'signInWithName', with: 'lost-answer' });
    expect(ok(await client.auth.switchTo(ada)).userId).toBe(owner.auth.userId);
  });

  it('is aborted by its signal, and nothing has changed', async () => {
    await withAda();
    const client = await world.player();
    const { userId } = client.auth;
    world.backend.control.fail({ route: 'signInWithName', with: 'slow' });
    const stop = new AbortController();
    const asked = paths().length;
    const attempt = client.auth.switchTo(ada, { signal: stop.signal });
    await until(() => paths().length > asked);
    stop.abort();
    expect(codeOf(await attempt)).toBe('aborted');
    world.backend.control.restore();
    await quiet();
    expect(client.auth).toMatchObject({ userId, state: 'guest' });
  });

  it('waits for no open conflict, and leaves it open', async () => {
    const { second, conflict } = await meetConflict(world);
    expect(codeOf(await second.auth.switchTo(ada))).toBe('conflict_pending');
    expect(second.conflict).toBe(conflict);
  });

  it.each(['starting', 'guest', 'signedOut'] as const)(
    'brings a guest back by the recovery code, where the client is %s',
    async (state) => {
      const lost = await world.player();
      await lost.profile.collection('progress').set('main', { level: 7 });
      await lost.profile.flush();
      const code = await lost.account.recoveryCode();
      // The browser has wiped its storage.
      const client = await world.player({ autoLogin: state !== 'starting' });
      if (state === 'signedOut') ok(await client.auth.signOut());
      expect(client.auth.state).toBe(state);
      const events = record(client, 'initialized');
      const result = await client.auth.switchTo({ method: 'recovery', code: code.toLowerCase() });
      expect(result).toEqual({ success: true, userId: lost.auth.userId });
      expect(client.auth.state).toBe('guest');
      const reason = state === 'starting' ? 'start' : 'switch';
      expect(events).toEqual([['initialized', { userId: lost.auth.userId, reason }]]);
      expect(await client.profile.collection('progress').load()).toMatchObject([{ value: { level: 7 } }]);
    },
  );

  it('takes back a deletion where it is asked to', async () => {
    const owner = await withAda();
    const { userId } = owner.auth;
    const { removedAt } = await owner.account.delete();
    const client = await world.player();
    const refused = errorOf(await client.auth.switchTo(ada));
    expect(refused).toMatchObject({ code: 'account_deleted', removedAt });
    expect(ok(await client.auth.switchTo(ada, { restore: true })).userId).toBe(userId);
    expect(await client.profile.collection('progress').load()).toMatchObject([{ value: { level: 7 } }]);
  });
});

describe('a fast-forward', () => {
  it('is let pass by a game that takes the side that is ahead', async () => {
    const owner = await withAda();
    const client = await world.player();
    client.events.on('conflict', ({ ahead, resolve }) => void (ahead !== null && resolve(ahead)));
    expect(ok(await client.auth.withName('ada', 'correct horse')).userId).toBe(owner.auth.userId);
    expect(client.conflict).toBeNull();
  });

  it('is said where the present account has all', async () => {
    const owner = await world.player();
    ok(await owner.auth.withName('ada', 'correct horse'));
    const client = await world.player();
    await client.profile.collection('progress').set('main', { level: 2 });
    expect(codeOf(await client.auth.withName('ada', 'correct horse'))).toBe('conflict_unhandled');
    expect(client.conflict).toMatchObject({ kind: 'fast-forward', ahead: 'local' });
  });
});
