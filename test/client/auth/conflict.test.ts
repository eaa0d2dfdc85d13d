import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  codeOf,
  createWorld,
  errorOf,
  holdTime,
  meetConflict,
  ok,
  pass,
  quiet,
  resolve,
  until,
  type World,
} from '../world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => {
  world.end();
  vi.useRealTimers();
});

const conflictRequests = (): number => world.sent.filter(({ path }) => path.endsWith('/conflict')).length;

describe('an open conflict', () => {
  it('is closed by cancel without a request, and nothing has changed', async () => {
    const { second, own, conflict, pending } = await meetConflict(world);
    expect(codeOf(await conflict.resolve('cancel'))).toBe('conflict_cancelled');
    expect(codeOf(await pending)).toBe('conflict_cancelled');
    expect(conflictRequests()).toBe(0);
    expect(second.auth).toMatchObject({ userId: own, state: 'guest' });
    expect(second.conflict).toBeNull();
    expect(second.profile.collection('progress').get('main')).toEqual({ level: 2 });
  });

  it('is closed by an abort of the call', async () => {
    const { second, own, conflict, pending, stop } = await meetConflict(world);
    stop.abort();
    expect(codeOf(await pending)).toBe('aborted');
    await quiet();
    expect(second.conflict).toBeNull();
    expect(second.auth).toMatchObject({ userId: own, state: 'guest' });
    expect(codeOf(await conflict.resolve('local'))).toBe('conflict_cancelled');
  });

  it('stays open when the network fails, and the same choice then succeeds', async () => {
    const { second, owner, conflict, pending } = await meetConflict(world);
    world.backend.control.fail({ route: 'resolveConflict', with: 'offline', times: 3 });
    expect(codeOf(await conflict.resolve('cloud'))).toBe('network');
    expect(second.auth.state).toBe('conflict');
    expect(second.conflict).toBe(conflict);
    expect(ok(await conflict.resolve('cloud')).userId).toBe(owner);
    expect(ok(await pending).userId).toBe(owner);
  });

  it('gives the same outcome where the answer to a choice was lost', async () => {
    const { own, conflict, pending } = await meetConflict(world);
    world.backend.control.fail({ route: 'resolveConflict', with: 'lost-answer' });
    expect(ok(await conflict.resolve('local')).userId).toBe(own);
    expect(ok(await pending).userId).toBe(own);
    expect(conflictRequests()).toBe(2);
  });

  it('stays open when a choice is aborted', async () => {
    const { second, conflict, pending } = await meetConflict(world);
    const stop = new AbortController();
    world.backend.control.fail({ route: 'resolveConflict', with: 'slow' });
    const choice = conflict.resolve('local', { signal: stop.signal });
    await until(() => conflictRequests() === 1);
    stop.abort();
    expect(codeOf(await choice)).toBe('aborted');
    expect(second.auth.state).toBe('conflict');
    ok(await conflict.resolve('local'));
    ok(await pending);
  });

  it('takes one choice at a time', async () => {
    const { own, conflict } = await meetConflict(world);
    const [one, same, other] = await Promise.all([
      conflict.resolve('local'),
      conflict.resolve('local'),
      conflict.resolve('cloud'),
    ]);
    expect(one).toEqual({ success: true, userId: own });
    expect(same).toEqual(one);
    expect(codeOf(other)).toBe('conflict_pending');
    expect(conflictRequests()).toBe(1);
  });

  it('fails a flush while the account is being left, and sends what was set once somebody has come', async () => {
    const { first, second, conflict } = await meetConflict(world);
    world.backend.control.fail({ route: 'resolveConflict', with: 'slow' });
    const choice = conflict.resolve('cloud');
    await until(() => conflictRequests() === 1);
    const progress = second.profile.collection('progress');
    await progress.set('new', { level: 3 });
    await expect(progress.flush()).rejects.toMatchObject({ code: 'aborted' });
    await expect(second.profile.flush()).rejects.toMatchObject({ code: 'aborted' });
    world.backend.control.restore();
    ok(await choice);
    await second.profile.flush();
    expect((await first.profile.collection('progress').load()).map(({ key }) => key)).toEqual(['main', 'new']);
  });

  it('tells nobody that there was no choice who signs out while one is carried out', async () => {
    const { second, conflict, pending } = await meetConflict(world);
    world.backend.control.fail({ route: 'resolveConflict', with: 'slow' });
    const choice = conflict.resolve('local');
    await until(() => conflictRequests() === 1);
    ok(await second.auth.signOut());
    expect(codeOf(await choice)).toBe('aborted');
    expect(codeOf(await pending)).toBe('aborted');
  });

  it('tells no tab that there was no choice where another tab is faster with the same', async () => {
    const { storage, owner, conflict, pending } = await meetConflict(world);
    const tab = await world.player({ storage });
    // The tab that is slower has asked as well.
    world.backend.control.fail({ route: 'resolveConflict', with: 'slow' });
    const slower = resolve(tab, 'cloud');
    await until(() => conflictRequests() === 1);
    expect(ok(await conflict.resolve('cloud')).userId).toBe(owner);
    expect(ok(await pending).userId).toBe(owner);
    await until(() => tab.auth.userId === owner);
    expect(codeOf(await slower)).toBe('aborted');
  });

  it('tells no tab that there was no choice where another tab is faster, and this one has not asked yet', async () => {
    const { storage, owner, conflict } = await meetConflict(world);
    // It sends first what it owes, which takes, and the other tab cannot send it either.
    const fetch = (request: Request): Promise<Response> =>
      request.url.includes('/collections/') ? new Promise(() => {}) : world.backend.fetch(request);
    const tab = await world.player({ storage, fetch });
    world.backend.control.fail({ route: 'updateEntry', with: 'offline', times: Number.POSITIVE_INFINITY });
    world.backend.control.fail({ route: 'resolveConflict', with: 'slow' });
    const faster = conflict.resolve('cloud');
    await until(() => conflictRequests() === 1);
    await tab.profile.collection('progress').set('main', { level: 3 });
    const slower = resolve(tab, 'cloud');
    await quiet();
    world.backend.control.release();
    expect(ok(await faster).userId).toBe(owner);
    await until(() => tab.auth.userId === owner);
    expect(codeOf(await slower)).toBe('aborted');
  });

  it('gives its result to those who ask after it has ended', async () => {
    const { owner, conflict } = await meetConflict(world);
    await conflict.resolve('cloud');
    expect(await conflict.resolve('local')).toEqual({ success: true, userId: owner });
    expect(conflictRequests()).toBe(1);
  });

  it('refuses a choice that is none, and stays open', async () => {
    const { second, conflict } = await meetConflict(world);
    expect(codeOf(await conflict.resolve('mine' as never))).toBe('invalid_argument');
    expect(second.conflict).toBe(conflict);
  });

  it('ends where the choice has become stale, and nothing has changed', async () => {
    const { first, second, own, conflict, pending } = await meetConflict(world);
    // The name goes to a third account in the meantime.
    const third = await world.player();
    third.events.on('conflict', (other) => void other.resolve('local'));
    ok(await third.auth.withName('ada', 'correct horse'));
    expect(codeOf(await conflict.resolve('local'))).toBe('conflict_stale');
    expect(codeOf(await pending)).toBe('conflict_stale');
    expect(second.auth).toMatchObject({ userId: own, state: 'guest' });
    expect(first.auth.userId).not.toBe(own);
  });

  it.each(['by itself', 'as the player chooses again'])(
    'ends where it turns out %s that a choice without an answer has become stale, and sends what was set',
    async (how) => {
      const { first, second, own, conflict, pending } = await meetConflict(world);
      world.backend.control.fail({ route: 'resolveConflict', with: 'offline', times: 3 });
      expect(codeOf(await conflict.resolve('cloud'))).toBe('network');
      await second.profile.collection('progress').set('main', { level: 3 });
      await first.account.delete();
      if (how === 'by itself') ok(await second.setNetwork('on'));
      else expect(codeOf(await conflict.resolve('cloud'))).toBe('conflict_stale');
      expect(codeOf(await pending)).toBe('conflict_stale');
      expect(second.conflict).toBeNull();
      expect(second.auth).toMatchObject({ userId: own, state: 'guest' });
      await second.profile.flush();
      expect(second.profile.status).toBe('synced');
    },
  );

  it('leaves the other choice where the account has a name of its own already', async () => {
    const first = await world.player();
    ok(await first.auth.withName('ada', 'correct horse'));
    const second = await world.player();
    ok(await second.auth.withName('eve', 'correct horse'));
    second.events.on('conflict', () => {});
    const pending = second.auth.withName('ada', 'correct horse');
    await until(() => second.conflict !== null);
    expect(codeOf((await second.conflict?.resolve('local')) as never)).toBe('method_already_linked');
    expect(second.auth.state).toBe('conflict');
    ok((await second.conflict?.resolve('cloud')) as never);
    expect(ok(await pending).userId).toBe(first.auth.userId);
  });

  it('leaves the device its own account where that is not the one that is left', async () => {
    const owner = await world.player();
    ok(await owner.auth.withName('ada', 'correct horse'));
    const client = await world.player();
    const guestId = client.auth.userId;
    ok(await client.auth.signOut());
    ok(await client.auth.withName('eve', 'correct horse'));
    client.events.on('conflict', (conflict) => void conflict.resolve('cloud'));
    expect(ok(await client.auth.withName('ada', 'correct horse')).userId).toBe(owner.auth.userId);
    ok(await client.auth.signOut());
    expect(ok(await client.auth.asGuest()).userId).toBe(guestId);
  });

  it('survives a listener that throws, and says so', async () => {
    const first = await world.player();
    ok(await first.auth.withName('ada', 'correct horse'));
    const second = await world.player();
    const mistake = new Error('the dialog has a bug');
    second.events.on('conflict', () => {
      throw mistake;
    });
    second.events.on('conflict', (conflict) => void conflict.resolve('cloud'));
    expect(ok(await second.auth.withName('ada', 'correct horse')).userId).toBe(first.auth.userId);
    expect(world.reported).toEqual([mistake]);
  });

  it('shows what the game asks to see of both sides', async () => {
    const field = { collection: 'progress', key: 'main', field: 'level' };
    const { conflict } = await meetConflict(world, { conflictFields: [field] });
    expect(conflict.local.fields).toEqual([{ ...field, value: 2 }]);
    expect(conflict.cloud.fields).toEqual([{ ...field, value: 7 }]);
  });

  it('holds nothing that could authorise a choice', async () => {
    const { conflict } = await meetConflict(world);
    const names = ['ahead', 'cloud', 'diff', 'expiresAt', 'kind', 'local', 'mergeable', 'method', 'resolve'];
    expect(Object.keys(conflict).sort()).toEqual(names);
  });

  it('tells saves that diverged from a side that has nothing of its own', async () => {
    const { conflict, first } = await meetConflict(world);
    expect(conflict).toMatchObject({ kind: 'diverged', ahead: null });
    expect(conflict.diff).toMatchObject([{ collection: 'progress', key: 'main', same: false }]);
    const third = await world.player();
    const result = await third.auth.withName('ada', 'correct horse');
    expect(codeOf(result)).toBe('conflict_unhandled');
    expect(third.conflict).toMatchObject({ kind: 'fast-forward', ahead: 'cloud', local: { entries: 0 } });
    expect(third.conflict?.cloud.userId).toBe(first.auth.userId);
  });
});

describe('the clock of a conflict', () => {
  it('does not run out while the player chooses, until the ticket ends', async () => {
    holdTime();
    const { second, own, conflict, pending } = await meetConflict(world);
    await pass(9 * 60_000);
    expect(second.conflict).toBe(conflict);
    await pass(60_000);
    expect(codeOf(await pending)).toBe('conflict_expired');
    expect(second.auth).toMatchObject({ userId: own, state: 'guest' });
    expect(codeOf(await conflict.resolve('local'))).toBe('conflict_expired');
  });

  it('follows the service, whatever the device says', async () => {
    holdTime();
    const { second, conflict } = await meetConflict(world);
    world.backend.control.advance(11 * 60_000);
    const result = await conflict.resolve('local');
    expect(result.success).toBe(false);
    expect(second.auth.state).toBe('guest');
    expect(second.conflict).toBeNull();
  });

  it('ends a call that gets no answer after 30 s, and leaves the session alone', async () => {
    holdTime();
    const client = await world.player();
    const { userId } = client.auth;
    world.backend.control.fail({ route: 'signInWithName', with: 'slow', times: 3 });
    const call = client.auth.withName('ada', 'correct horse');
    await quiet();
    for (let tries = 0; tries < 3; tries += 1) {
      await vi.advanceTimersByTimeAsync(10_000);
      await quiet();
    }
    expect(errorOf(await call)).toMatchObject({ code: 'timeout', retryable: true });
    expect(client.auth).toMatchObject({ userId, isAuthorized: true });
  });
});

describe('a conflict that nobody has heard of', () => {
  it('can be asked for late, and the next call replaces it', async () => {
    const first = await world.player();
    ok(await first.auth.withName('ada', 'correct horse'));
    const second = await world.player();
    expect(codeOf(await second.auth.withName('ada', 'correct horse'))).toBe('conflict_unhandled');
    const unheard = second.conflict;
    expect(second.auth.state).toBe('conflict');
    ok(await second.auth.withName('eve', 'correct horse'));
    expect(second.conflict).toBeNull();
    expect(second.auth.state).toBe('linked');
    expect(codeOf((await unheard?.resolve('local')) as never)).toBe('conflict_cancelled');
  });
});
