import { type Client, isSdkError } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  codeOf,
  createMemoryStorage,
  createWorld,
  meetConflict,
  ok,
  quiet,
  record,
  until,
  type World,
} from './world.js';

let world: World;
beforeEach(() => {
  world = createWorld({ socialPlatforms: { pals: (token) => ({ id: token }) } });
});
afterEach(() => world.end());

const ada = { method: 'name', username: 'ada', password: 'correct horse' } as const;
const count = (end: string): number => world.sent.filter(({ path }) => path.endsWith(end)).length;

/** The code of what a promise rejects with. */
const refusal = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no rejection',
    (error: unknown) => (isSdkError(error) ? error.code : error),
  );

async function withAda(options: Parameters<World['player']>[0] = {}) {
  const client = await world.player(options);
  ok(await client.auth.withName('ada', 'correct horse'));
  await write(client, 7);
  return client;
}

async function write(client: Client, level: number): Promise<void> {
  const progress = client.profile.collection('progress');
  await progress.set('main', { level });
  await progress.flush();
}

const methodsOf = async (client: Client): Promise<string[]> =>
  (await client.account.methods()).map(({ method }) => method);

describe('methods', () => {
  it('are what leads to the account, by their labels', async () => {
    const client = await withAda();
    const now = expect.any(Number) as number;
    expect(await client.account.methods()).toEqual([
      { method: 'device', linkedAt: now, lastUsedAt: now },
      { method: 'name', label: 'ada', linkedAt: now, lastUsedAt: now },
    ]);
  });
});

describe('unlink', () => {
  it('takes a method away, and the state follows', async () => {
    const storage = createMemoryStorage();
    const client = await withAda({ storage });
    const events = record(client, 'stateChanged');
    expect(await client.account.unlink('name')).toMatchObject([{ method: 'device' }]);
    expect(client.auth.state).toBe('guest');
    expect(events).toEqual([['stateChanged', { state: 'guest', previous: 'linked' }]]);
    client.dispose();
    expect((await world.player({ storage })).auth.state).toBe('guest');
    const other = await world.player();
    expect(ok(await other.auth.withName('ada', 'another horse')).userId).toBe(other.auth.userId);
  });

  it('tells the other tabs, and costs them no tokens', async () => {
    const storage = createMemoryStorage();
    const client = await withAda({ storage });
    const tab = await world.player({ storage });
    expect(tab.auth.state).toBe('linked');
    await client.account.unlink('name');
    await quiet();
    expect(tab.auth.state).toBe('guest');
    expect(await tab.auth.getAccessToken()).toBe(await client.auth.getAccessToken());
  });

  it("writes over no other tab's tokens", async () => {
    const storage = createMemoryStorage();
    const client = await withAda({ storage });
    const key = [...storage.values.keys()].find((name) => name.endsWith('session')) as string;
    const before = JSON.parse(storage.values.get(key) as string);
    // Another tab has refreshed, and its message has not come yet.
    const session = { ...before.session, refreshToken: 'newer', expiresAt: before.session.expiresAt + 1 };
    storage.values.set(key, JSON.stringify({ ...before, session }));
    await client.account.unlink('name');
    const after = JSON.parse(storage.values.get(key) as string);
    expect(after.session).toMatchObject({ refreshToken: 'newer', methods: ['device'] });
  });

  it('stays linked while another method is left', async () => {
    const client = await withAda();
    ok(await client.auth.withSocialToken('pal-7'));
    await client.account.unlink('name');
    expect(client.auth.state).toBe('linked');
  });

  it('refuses the last way in, and what is not linked', async () => {
    const client = await world.player();
    expect(await refusal(client.account.unlink('device'))).toBe('would_orphan');
    expect(await refusal(client.account.unlink('name'))).toBe('not_found');
    expect(await refusal(client.account.unlink('telepathy'))).toBe('not_found');
    expect(client.auth.state).toBe('guest');
  });

  it('is done once where the answer was lost', async () => {
    const client = await withAda();
    world.backend.control.fail({ route: 'unlinkMethod', with: 'lost-answer' });
    expect(await client.account.unlink('name')).toMatchObject([{ method: 'device' }]);
    expect(client.auth.state).toBe('guest');
  });

  it('leaves an open conflict open', async () => {
    const { second, conflict } = await meetConflict(world);
    await second.account.recoveryCode();
    await second.account.unlink('device');
    expect(second.conflict).toBe(conflict);
    expect(second.auth.state).toBe('conflict');
  });
});

describe('export', () => {
  it('is everything that the service holds on the player', async () => {
    const client = await withAda();
    const held = await client.account.export();
    expect(held).toMatchObject({ userId: client.auth.userId, gameId: world.service.gameId });
    expect(JSON.stringify(held)).toContain('"level":7');
  });

  it('refuses an answer that is none', async () => {
    const client = await withAda();
    world.backend.control.fail({ route: 'exportAccount', with: 'malformed', times: 3 });
    expect(await refusal(client.account.export())).toBe('invalid_answer');
  });
});

describe('delete', () => {
  it('signs out here, tells until when it can be taken back, and gives the code for that', async () => {
    const storage = createMemoryStorage();
    const client = await world.player({ storage });
    await write(client, 7);
    const { userId } = client.auth;
    const events = record(client, 'stateChanged', 'sessionExpired', 'initialized');
    const { removedAt, recoveryCode, ...rest } = await client.account.delete();
    expect(rest).toEqual({});
    expect(removedAt).toBeGreaterThan(client.serverTime() + 29 * 86_400_000);
    expect(client.auth).toMatchObject({ state: 'signedOut', userId: null });
    expect(events).toEqual([['stateChanged', { state: 'signedOut', previous: 'guest' }]]);
    await quiet();
    // The session has ended already: there is nothing to tell the service.
    expect(count('sign-out')).toBe(0);
    const credential = { method: 'recovery', code: recoveryCode } as const;
    expect(codeOf(await client.auth.switchTo(credential))).toBe('account_deleted');
    expect(ok(await client.auth.switchTo(credential, { restore: true })).userId).toBe(userId);
    expect(await client.profile.collection('progress').load()).toMatchObject([{ value: { level: 7 } }]);
  });

  it('leaves the device free for an account of its own', async () => {
    const storage = createMemoryStorage();
    const client = await world.player({ storage });
    const { userId } = client.auth;
    await client.account.delete();
    const fresh = ok(await client.auth.asGuest()).userId;
    expect(fresh).not.toBe(userId);
    client.dispose();
    expect((await world.player({ storage })).auth.userId).toBe(fresh);
  });

  it('closes an open conflict, and tells the other tabs', async () => {
    const storage = createMemoryStorage();
    const tab = await world.player({ storage });
    const { second, pending } = await meetConflict(world, { storage });
    await second.account.delete();
    expect(codeOf(await pending)).toBe('conflict_cancelled');
    expect(second.conflict).toBeNull();
    await quiet();
    expect(tab.auth.state).toBe('signedOut');
  });

  it('counts, whatever another tab has written', async () => {
    const storage = createMemoryStorage();
    const client = await world.player({ storage });
    const deaf = createWorld();
    try {
      // Another platform: no message reaches the first one.
      const tab = await deaf.player({ storage, fetch: (request) => world.backend.fetch(request) });
      ok(await tab.auth.link(ada));
      await client.account.delete();
      expect(client.auth.state).toBe('signedOut');
      client.dispose();
      expect((await world.player({ storage })).auth.state).toBe('guest');
    } finally {
      deaf.end();
    }
  });

  it('leaves an account alone that was come to meanwhile', async () => {
    let answered = false;
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const client = await world.player({
      fetch: async (request) => {
        const answer = await world.backend.fetch(request);
        if (request.method === 'DELETE') {
          answered = true;
          await held;
        }
        return answer;
      },
    });
    const deletion = client.account.delete();
    await until(() => answered);
    ok(await client.auth.signOut());
    const { userId } = ok(await client.auth.withName('eve', 'correct horse'));
    release();
    expect((await deletion).recoveryCode).toBeTruthy();
    expect(client.auth).toMatchObject({ userId, state: 'linked' });
  });

  it('knows that the device leads to it no more', async () => {
    const client = await withAda();
    await client.account.delete();
    const other = await world.player();
    ok(await other.auth.switchTo(ada, { restore: true }));
    ok(await client.auth.switchTo(ada));
    const { userId } = client.auth;
    await other.account.signOutEverywhere();
    const events = record(client, 'sessionExpired', 'initialized');
    expect(await refusal(client.account.methods())).toBe('not_authenticated');
    await quiet();
    // The device's id would lead to a new account: nobody is put in the place of this one in silence.
    expect(events).toEqual([['sessionExpired', { userId }]]);
  });

  it('gives a code that works where the answer was lost', async () => {
    const client = await withAda();
    const { userId } = client.auth;
    world.backend.control.fail({ route: 'readAccount', with: 'lost-answer' });
    const { recoveryCode: code } = await client.account.delete();
    expect(ok(await client.auth.switchTo({ method: 'recovery', code }, { restore: true })).userId).toBe(userId);
  });

  it('changes nothing where it fails', async () => {
    const client = await withAda();
    world.backend.control.fail({ route: 'deleteAccount', with: 'offline', times: 3 });
    expect(await refusal(client.account.delete())).toBe('network');
    expect(client.auth.state).toBe('linked');
    expect(await methodsOf(client)).toEqual(['device', 'name']);
  });
});

describe('snapshots', () => {
  it('are listed, newest first, and written back as new versions', async () => {
    const { first, second, conflict, own } = await meetConflict(world);
    ok(await conflict.resolve('cloud'));
    const [snapshot, ...more] = await second.account.snapshots();
    expect(more).toEqual([]);
    expect(snapshot).toMatchObject({ reason: 'cloud', fromUserId: own, entries: 1 });
    const restored = await second.account.restore(snapshot?.id ?? '');
    expect(restored).toEqual([{ collection: 'progress', key: 'main', version: 1 }]);
    expect(await first.profile.collection('progress').load()).toMatchObject([{ value: { level: 2 }, version: 1 }]);
    expect((await second.account.snapshots()).map(({ reason }) => reason)).toEqual(['restore', 'cloud']);
  });

  it('that are none are not found', async () => {
    const client = await withAda();
    expect(await client.account.snapshots()).toEqual([]);
    expect(await refusal(client.account.restore('00000000-0000-4000-8000-000000000000'))).toBe('not_found');
    expect(await client.profile.collection('progress').load()).toMatchObject([{ value: { level: 7 }, version: 0 }]);
  });

  it('are restored with the same value where an answer was lost', async () => {
    const { second, conflict } = await meetConflict(world);
    ok(await conflict.resolve('cloud'));
    const [snapshot] = await second.account.snapshots();
    world.backend.control.fail({ route: 'restoreSnapshot', with: 'lost-answer' });
    await second.account.restore(snapshot?.id ?? '');
    expect(await second.profile.collection('progress').load()).toMatchObject([{ value: { level: 2 } }]);
  });
});

describe('changePassword', () => {
  it('needs the old one', async () => {
    const client = await withAda();
    expect(await refusal(client.account.changePassword('wrong password', 'battery staple'))).toBe(
      'invalid_credentials',
    );
    world.backend.control.fail({ route: 'changePassword', with: 'lost-answer' });
    await client.account.changePassword('correct horse', 'battery staple');
    expect(client.auth.state).toBe('linked');
    expect(await methodsOf(client)).toContain('name');
    const other = await world.player();
    expect(codeOf(await other.auth.switchTo(ada))).toBe('invalid_credentials');
    expect(ok(await other.auth.switchTo({ ...ada, password: 'battery staple' })).userId).toBe(client.auth.userId);
  });

  it('refuses one that is too short, and an account without a name', async () => {
    const client = await world.player();
    const tooShort = client.account.changePassword('correct horse', 'short');
    await expect(tooShort).rejects.toMatchObject({ code: 'password_too_short', minLength: 8 });
    const named = await client.auth.withName('a\u200bda', 'correct horse');
    expect(named).toMatchObject({ error: { code: 'name_not_allowed', reason: 'invisible_characters' } });
    expect(await refusal(client.account.changePassword('correct horse', 'battery staple'))).toBe('not_found');
  });
});

describe('signOutEverywhere', () => {
  it.each(['answered', 'lost'] as const)('ends all sessions, also here, where the answer is %s', async (answer) => {
    const client = await withAda();
    const other = await world.player();
    ok(await other.auth.switchTo(ada));
    const stranger = await world.player();
    const events = record(other, 'stateChanged', 'sessionExpired');
    const asked = count('sign-out');
    if (answer === 'lost') world.backend.control.fail({ route: 'signOut', with: 'lost-answer' });
    await other.account.signOutEverywhere();
    expect(other.auth).toMatchObject({ state: 'signedOut', userId: null });
    expect(events).toEqual([['stateChanged', { state: 'signedOut', previous: 'linked' }]]);
    expect(count('sign-out') - asked).toBe(answer === 'lost' ? 2 : 1);
    // By its device the first one comes back; the other one's was never linked.
    const expired = record(client, 'sessionExpired');
    expect(await client.profile.collection('progress').load()).toHaveLength(1);
    expect(expired).toEqual([]);
    expect(count('guest')).toBe(4);
    expect(stranger.auth.isAuthorized).toBe(true);
  });

  it('changes nothing where it fails', async () => {
    const client = await withAda();
    world.backend.control.fail({ route: 'signOut', with: 'offline', times: 3 });
    expect(await refusal(client.account.signOutEverywhere())).toBe('network');
    expect(client.auth.state).toBe('linked');
  });
});

describe('recoveryCode', () => {
  it('is a new one each time, and the former one ends', async () => {
    const client = await world.player();
    const first = await client.account.recoveryCode();
    world.backend.control.fail({ route: 'makeRecoveryCode', with: 'lost-answer' });
    const code = await client.account.recoveryCode();
    expect(code).not.toBe(first);
    const other = await world.player();
    expect(codeOf(await other.auth.peek({ method: 'recovery', code: first }))).toBe('invalid_credentials');
    expect(ok(await other.auth.peek({ method: 'recovery', code })).outcome).toBe('other');
  });

  it('makes nobody a linked player', async () => {
    const client = await world.player();
    await client.account.recoveryCode();
    expect(await methodsOf(client)).toEqual(['device', 'recovery']);
    // A refresh tells of the methods.
    world.backend.control.fail({ route: 'readAccount', with: { status: 401, code: 'token_expired' } });
    await client.account.methods();
    expect(client.auth.state).toBe('guest');
  });
});

describe('every call', () => {
  const calls: [keyof Client['account'], (client: Client, signal?: AbortSignal) => Promise<unknown>][] = [
    ['methods', ({ account }, signal) => account.methods({ signal })],
    ['unlink', ({ account }, signal) => account.unlink('name', { signal })],
    ['devices', ({ account }, signal) => account.devices({ signal })],
    ['revokeDevice', ({ account }, signal) => account.revokeDevice('a', { signal })],
    ['export', ({ account }, signal) => account.export({ signal })],
    ['delete', ({ account }, signal) => account.delete({ signal })],
    ['snapshots', ({ account }, signal) => account.snapshots({ signal })],
    ['restore', ({ account }, signal) => account.restore('a', { signal })],
    ['changePassword', ({ account }, signal) => account.changePassword('correct horse', 'battery staple', { signal })],
    ['signOutEverywhere', ({ account }, signal) => account.signOutEverywhere({ signal })],
    ['recoveryCode', ({ account }, signal) => account.recoveryCode({ signal })],
    ['reauthenticate', ({ account }, signal) => account.reauthenticate(ada, { signal })],
  ];

  it.each(calls)('%s is refused where nobody is authenticated', async (_, call) => {
    expect(await refusal(call(world.client()))).toBe('not_authenticated');
    const client = await withAda();
    ok(await client.auth.signOut());
    expect(await refusal(call(client))).toBe('not_authenticated');
  });

  it.each(calls)('%s is aborted by its signal, and the session stays', async (_, call) => {
    const client = await withAda();
    world.backend.control.fail({ with: 'slow' });
    const stop = new AbortController();
    const asked = world.sent.length;
    const attempt = call(client, stop.signal);
    await until(() => world.sent.length > asked);
    stop.abort();
    expect(await refusal(attempt)).toBe('aborted');
    world.backend.control.restore();
    expect(client.auth.state).toBe('linked');
  });

  it.each(calls)('%s gets a new token where the service has had enough of the old one', async (name, call) => {
    const client = await withAda();
    world.backend.control.fail({ with: { status: 401, code: 'token_expired' } });
    expect(await refusal(call(client))).toBe(['restore', 'revokeDevice'].includes(name) ? 'not_found' : 'no rejection');
    expect(count('refresh')).toBe(1);
  });

  it.each(calls)('%s meets a session that is gone as any request does', async (_, call) => {
    const client = await world.player();
    ok(await client.auth.signOut());
    ok(await client.auth.withName('ada', 'correct horse'));
    const events = record(client, 'sessionExpired');
    const { userId } = client.auth;
    const other = await world.player();
    ok(await other.auth.switchTo(ada));
    await other.account.signOutEverywhere();
    expect(await refusal(call(client))).toBe('not_authenticated');
    await quiet();
    expect(events).toEqual([['sessionExpired', { userId }]]);
    expect(client.auth.state).toBe('signedOut');
  });

  it('throws for a wrong argument at once, and sends nothing', async () => {
    const { account } = await withAda();
    const sent = world.sent.length;
    expect(() => account.unlink('')).toThrow(/^method must be/);
    expect(() => account.unlink('../account')).toThrow(TypeError);
    expect(() => account.unlink(undefined as never)).toThrow(TypeError);
    expect(() => account.restore(7 as never)).toThrow(/^id must be/);
    expect(() => account.restore('..')).toThrow(TypeError);
    expect(() => account.changePassword('', 'battery staple')).toThrow(/^oldPassword must be/);
    expect(() => account.changePassword('correct horse', null as never)).toThrow(/^newPassword must be/);
    expect(world.sent).toHaveLength(sent);
  });
});
