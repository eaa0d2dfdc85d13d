import type { Client, Conflict, SystemProfileConflict } from 'savepoint';
import { Events, Main } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  codeOf,
  createMemoryStorage,
  createWorld,
  holdTime,
  meetConflict,
  ok,
  pass,
  quiet,
  record,
  resolve,
  until,
  type World,
} from '../world.js';

let world: World;
beforeEach(() => {
  holdTime();
  world = createWorld();
});
afterEach(() => {
  Main.Dispose();
  world.end();
  vi.useRealTimers();
});

const minute = 60_000;

type Storage = ReturnType<typeof createMemoryStorage>;

const sessionKey = (storage: Storage): string =>
  [...storage.values.keys()].find((key) => key.endsWith('session')) as string;

/** What is stored of the session. */
const stored = (storage: Storage) => JSON.parse(storage.values.get(sessionKey(storage)) as string);

/** A page that was closed while a conflict was open, and what the next one finds. */
async function reload(options: Parameters<World['client']>[0] = {}) {
  const met = await meetConflict(world);
  met.second.dispose();
  const again = world.client({ storage: met.storage, ...options });
  const heard: Conflict[] = [];
  again.events.on('conflict', (conflict) => void heard.push(conflict));
  const events = record(again, 'stateChanged', 'initialized');
  const ready = await again.init();
  return { ...met, again, heard, events, ready };
}

describe('a conflict that was open when the page closed', () => {
  it('is known again at the next start, before init settles', async () => {
    const { again, own, heard, events, ready, conflict } = await reload();
    expect(ready).toEqual({ success: true, userId: own });
    expect(again.auth).toMatchObject({ state: 'conflict', userId: own });
    expect(heard).toHaveLength(1);
    expect(again.conflict).toBe(heard[0]);
    expect(events).toEqual([
      ['stateChanged', { state: 'guest', previous: 'starting' }],
      ['initialized', { userId: own, reason: 'start' }],
      ['stateChanged', { state: 'conflict', previous: 'guest' }],
    ]);
    const { resolve: _, ...value } = conflict;
    expect(again.conflict).toMatchObject(value);
    expect(JSON.stringify(again.conflict)).toBe(JSON.stringify(value));
  });

  it('settles the call that was pending on the closed page', async () => {
    const { pending } = await reload();
    expect(codeOf(await pending)).toMatch(/aborted|conflict_cancelled/);
  });

  it.each(['local', 'cloud', 'merge'] as const)('is resolved to %s, and is stored no more', async (choice) => {
    const { again, own, owner, storage } = await reload();
    const userId = choice === 'local' ? own : owner;
    expect(await again.conflict?.resolve(choice)).toEqual({ success: true, userId });
    expect(again.auth).toMatchObject({ userId, state: 'linked' });
    expect(again.conflict).toBeNull();
    expect(stored(storage).conflict).toBeNull();
    again.dispose();
    const third = await world.player({ storage });
    expect(third.auth).toMatchObject({ userId, state: 'linked' });
    expect(third.conflict).toBeNull();
  });

  it('survives more than one reload', async () => {
    const { again, storage, owner } = await reload();
    again.dispose();
    await quiet();
    const third = await world.player({ storage });
    expect(ok(await resolve(third, 'cloud')).userId).toBe(owner);
  });

  it('is open without listeners as well, and the next call then replaces it', async () => {
    const met = await meetConflict(world);
    met.second.dispose();
    const again = await world.player({ storage: met.storage });
    expect(again.auth.state).toBe('conflict');
    ok(await again.auth.withName('eve', 'correct horse'));
    expect(again.conflict).toBeNull();
    expect(stored(met.storage).conflict).toBeNull();
  });

  it('gives the outcome of a choice whose answer never came', async () => {
    const met = await meetConflict(world);
    world.backend.control.fail({ route: 'resolveConflict', with: 'lost-answer', times: 3 });
    expect(codeOf(await met.conflict.resolve('merge'))).toBe('network');
    met.second.dispose();
    const again = await world.player({ storage: met.storage });
    await until(() => again.auth.userId === met.owner);
    expect(again.conflict).toBeNull();
  });

  it('is known again while offline, and can be resolved later', async () => {
    const met = await meetConflict(world);
    met.second.dispose();
    world.backend.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });
    const again = await world.player({ storage: met.storage });
    expect(codeOf(await resolve(again, 'cloud'))).toBe('network');
    world.backend.control.restore();
    expect(ok(await resolve(again, 'cloud')).userId).toBe(met.owner);
  });

  it('ends with its ticket: a start after that knows nothing of it', async () => {
    const met = await meetConflict(world);
    met.second.dispose();
    await pass(10 * minute);
    const heard = vi.fn();
    const again = world.client({ storage: met.storage });
    again.events.on('conflict', heard);
    await again.init();
    expect(again.auth).toMatchObject({ state: 'guest', userId: met.own });
    expect(heard).not.toHaveBeenCalled();
    expect(stored(met.storage)).toMatchObject({ conflict: null, session: { userId: met.own } });
  });

  it('ends with its ticket while it is open again', async () => {
    const { again, own, storage, conflict } = await reload();
    await pass(10 * minute);
    expect(again.conflict).toBeNull();
    expect(again.auth).toMatchObject({ state: 'guest', userId: own });
    expect(stored(storage).conflict).toBeNull();
    expect(codeOf(await conflict.resolve('local'))).toBe('conflict_cancelled');
  });

  it("goes by the service's clock, not the device's", async () => {
    world.backend.control.advance(24 * 60 * minute);
    const { again } = await reload();
    expect(again.auth.state).toBe('conflict');
    await pass(9 * minute);
    expect(again.auth.state).toBe('conflict');
  });

  it('is not restored where AutoLogin is off', async () => {
    const { again, ready } = await reload({ autoLogin: false });
    expect(ready).toEqual({ success: true, userId: null });
    expect(again.conflict).toBeNull();
    expect(again.auth.state).toBe('starting');
  });

  it('costs no session where what is stored of it is damaged', async () => {
    const met = await meetConflict(world);
    ok(await met.first.auth.signOut());
    met.second.dispose();
    const { conflict: whole, ...rest } = stored(met.storage);
    for (const conflict of [undefined, 'damaged', { ticket: 7 }, { ...whole, local: null }]) {
      met.storage.values.set(sessionKey(met.storage), JSON.stringify({ ...rest, conflict }));
      const again = await world.player({ storage: met.storage });
      expect(again.auth).toMatchObject({ userId: met.own, state: 'guest' });
      expect(again.conflict).toBeNull();
      again.dispose();
    }
  });

  it("is raised under the spec's name before Init settles", async () => {
    const met = await meetConflict(world);
    met.second.dispose();
    const heard: SystemProfileConflict[] = [];
    const off = Events.on('OnSystemProfileConflictAppeared', (conflict) => void heard.push(conflict));
    const { gameId, baseUrl, fetch } = world.service;
    await Main.Init({ GameId: gameId, Environment: 0, BaseUrl: baseUrl, Fetch: fetch, Storage: met.storage });
    off();
    expect(heard).toMatchObject([{ Kind: 'diverged', Ahead: null, Mergeable: true }]);
    expect(await heard[0]?.Resolve('Merge')).toEqual({ Success: true, UserId: met.owner });
  });
});

describe('what is stored of an open conflict', () => {
  const ends: [string, (client: Client, conflict: Conflict) => Promise<unknown>][] = [
    ['a cancel', (_, conflict) => conflict.resolve('cancel')],
    ['a sign-out', (client) => client.auth.signOut()],
    ['its ticket', () => pass(10 * minute)],
    ['the choice local', (_, conflict) => conflict.resolve('local')],
    ['the choice cloud', (_, conflict) => conflict.resolve('cloud')],
    ['the choice merge', (_, conflict) => conflict.resolve('merge')],
    ['a deletion of the account', (client) => client.account.delete()],
  ];
  it.each(ends)('ends with %s', async (_, end) => {
    const { second, storage, conflict, pending } = await meetConflict(world);
    expect(stored(storage).conflict).toMatchObject({ method: 'name' });
    await end(second, conflict);
    await pending;
    expect(stored(storage).conflict).toBeNull();
    expect(second.conflict).toBeNull();
  });

  it('ends with an abort of the call', async () => {
    const { storage, pending, stop } = await meetConflict(world);
    stop.abort();
    expect(codeOf(await pending)).toBe('aborted');
    await quiet();
    expect(stored(storage).conflict).toBeNull();
  });

  it('stays over new tokens', async () => {
    const { second, storage } = await meetConflict(world);
    const before = stored(storage);
    world.backend.control.fail({ route: 'readCollection', with: { status: 401, code: 'token_expired' } });
    await second.profile.collection('progress').load();
    expect(stored(storage).session.accessToken).not.toBe(before.session.accessToken);
    expect(stored(storage).conflict).toEqual(before.conflict);
    expect(second.auth.state).toBe('conflict');
  });

  it('is nothing where the stored session is of another account by now', async () => {
    const owner = await world.player();
    ok(await owner.auth.withName('ada', 'correct horse'));
    const [storage, other] = [createMemoryStorage(), createMemoryStorage()];
    const client = await world.player({ storage });
    await world.player({ storage: other });
    // Another tab has switched, and its message has not come yet.
    const switched = stored(other);
    storage.values.set(sessionKey(storage), JSON.stringify(switched));
    expect(codeOf(await client.auth.withName('ada', 'correct horse'))).toBe('conflict_unhandled');
    expect(stored(storage)).toEqual(switched);
  });

  it("writes over no other tab's tokens", async () => {
    const { storage, second } = await meetConflict(world);
    const before = stored(storage);
    // Another tab has refreshed, and its message has not come yet.
    const session = { ...before.session, refreshToken: 'newer' };
    storage.values.set(sessionKey(storage), JSON.stringify({ ...before, session }));
    await second.conflict?.resolve('cancel');
    expect(stored(storage)).toMatchObject({ conflict: null, session: { refreshToken: 'newer' } });
  });
});

describe('a conflict and a second tab', () => {
  it('that was there before does not take it over', async () => {
    const storage = createMemoryStorage();
    const tab = await world.player({ storage });
    const heard = vi.fn();
    tab.events.on('conflict', heard);
    const { second } = await meetConflict(world, { storage });
    await quiet();
    expect(second.auth.userId).toBe(tab.auth.userId);
    expect(heard).not.toHaveBeenCalled();
    expect(tab.conflict).toBeNull();
    expect(tab.auth.state).toBe('guest');
    // Nor does it take it away by what it writes.
    ok(await tab.auth.withName('eve', 'correct horse'));
    await quiet();
    expect(second.auth.state).toBe('conflict');
    expect(stored(storage).conflict).toMatchObject({ method: 'name' });
  });

  it.each(['local', 'cancel', 'cloud', 'merge'] as const)(
    'that knew it again lets go of it after %s',
    async (choice) => {
      const { again, second: _, storage, own, owner } = await reload();
      const other = await world.player({ storage });
      expect(other.auth.state).toBe('conflict');
      await again.conflict?.resolve(choice);
      await quiet();
      expect(other.conflict).toBeNull();
      const userId = choice === 'cloud' || choice === 'merge' ? owner : own;
      expect(other.auth).toMatchObject({ userId, state: choice === 'cancel' ? 'guest' : 'linked' });
      expect(stored(storage).conflict).toBeNull();
    },
  );

  it('keeps its own where the first one ends', async () => {
    const storage = createMemoryStorage();
    const tab = await world.player({ storage });
    const third = await world.player();
    ok(await third.auth.withName('eve', 'correct horse'));
    const { conflict } = await meetConflict(world, { storage });
    tab.events.on('conflict', () => {});
    const pending = tab.auth.withName('eve', 'correct horse');
    await quiet();
    await conflict.resolve('cancel');
    await quiet();
    expect(tab.auth.state).toBe('conflict');
    expect(stored(storage).conflict).toMatchObject({ cloud: { userId: third.auth.userId } });
    ok(await resolve(tab, 'cloud'));
    expect(ok(await pending).userId).toBe(third.auth.userId);
  });
});
