import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { homeKeys } from '../../../src/client/storage/home-keys.js';
import { testGameId } from '../../support/service.js';
import {
  codeOf,
  createMemoryStorage,
  createWorld,
  holdTime,
  ok,
  pass,
  quiet,
  record,
  until,
  type World,
} from '../world.js';
import { createWebStorage } from './web-storage.js';

const keys = homeKeys(testGameId, 0);
const full = (): never => {
  throw new DOMException('full', 'QuotaExceededError');
};
const deny = (): never => {
  throw new DOMException('denied', 'SecurityError');
};

let world: World;
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => {
  world = createWorld();
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(async () => {
  world.end();
  vi.useRealTimers();
  vi.restoreAllMocks();
  await quiet();
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
  expect(world.reported).toEqual([]);
});

/** Gives the world's clients a browser's storages. */
function useBrowser(manager?: Partial<StorageManager>) {
  const factory = new IDBFactory();
  const texts = new Map<string, string>();
  const local = createWebStorage(texts);
  world.platform.storages = {
    indexedDB: () => factory as never,
    localStorage: () => local,
    manager: () => manager as StorageManager | undefined,
  };
  return { factory, texts, local, storages: world.platform.storages };
}

const browser = { storage: undefined };

/** A storage of the game whose parts can be made to fail. */
function createFailing() {
  const inner = createMemoryStorage();
  return {
    ...inner,
    getItem: vi.fn(inner.getItem),
    setItem: vi.fn(inner.setItem),
    removeItem: vi.fn(inner.removeItem),
  };
}

describe('a client whose storage cannot be opened', () => {
  it('says so after 5 s, makes nobody, and goes on as the same player once it can', async () => {
    const { factory } = useBrowser();
    const before = await world.player(browser);
    ok(await before.auth.withName('ada', 'correct horse'));
    const userId = before.auth.userId;
    before.dispose();
    holdTime();
    const open = vi.spyOn(factory, 'open').mockImplementation(deny);
    const client = world.client(browser);
    const sent = world.sent.length;
    const starting = client.init();
    await pass(5_000);
    expect(codeOf(await starting)).toBe('storage_unavailable');
    expect(client.auth.state).toBe('starting');
    expect(codeOf(await client.setNetwork('on'))).toBe('storage_unavailable');
    await pass(60_000);
    expect(client.auth.userId).toBeNull();
    expect(client.storage).toMatchObject({ kind: null, isFailing: true });
    expect(world.sent.slice(sent).filter(({ path }) => path.includes('guest'))).toEqual([]);
    open.mockRestore();
    await pass(10_000);
    expect(client.auth.userId).toBe(userId);
    expect(client.auth.state).toBe('linked');
    expect(client.storage).toMatchObject({ kind: 'indexedDB', isFailing: false });
  });

  it('stays signed out where the player has signed out meanwhile', async () => {
    const { factory } = useBrowser();
    (await world.player(browser)).dispose();
    holdTime();
    const open = vi.spyOn(factory, 'open').mockImplementation(deny);
    const client = world.client(browser);
    const starting = client.init();
    await pass(5_000);
    expect(codeOf(await starting)).toBe('storage_unavailable');
    void client.auth.signOut();
    await quiet();
    open.mockRestore();
    await pass(10_000);
    expect(client.auth.state).toBe('signedOut');
    await pass(10_000);
    const next = await world.player({ ...browser, autoLogin: false });
    expect(next.auth.userId).toBeNull();
  });

  it('makes nobody by another sign-in either, and sends nothing', async () => {
    const { factory, local } = useBrowser();
    local.setItem(keys.homeRecord, 'indexedDB');
    holdTime();
    vi.spyOn(factory, 'open').mockImplementation(deny);
    const client = world.client(browser);
    const starting = client.init();
    await pass(5_000);
    await starting;
    const { auth } = client;
    const results = [
      await auth.asGuest(),
      await auth.withName('bea', 'correct horse'),
      await auth.switchTo({ method: 'name', username: 'bea', password: 'correct horse' }),
      await auth.external({ userId: 'bea', accessToken: 'token' }),
      await auth.peek({ method: 'name', username: 'bea', password: 'correct horse' }),
    ];
    expect(results.map(codeOf)).toEqual(results.map(() => 'storage_unavailable'));
    expect(world.sent).toEqual([]);
  });

  it.each(['throws', 'rejects'])('starts at the next try by a storage of the game that %s once', async (how) => {
    const storage = createFailing();
    storage.getItem.mockImplementationOnce(
      (how === 'throws' ? full : () => Promise.reject(new Error('down'))) as never,
    );
    expect(ok(await world.client({ storage }).init()).userId).toBeTruthy();
  });

  it('starts by a storage of the game that answers late, when it does', async () => {
    holdTime();
    const storage = createFailing();
    let answer = (_: null): void => {};
    storage.getItem.mockImplementationOnce(() => new Promise<null>((resolve) => (answer = resolve)) as never);
    const client = world.client({ storage });
    const starting = client.init();
    await pass(6_000);
    expect(codeOf(await starting)).toBe('storage_unavailable');
    answer(null);
    await until(() => client.auth.userId !== null);
    expect(client.auth.state).toBe('guest');
  });
});

describe('a client whose storage fails later', () => {
  it('goes on, says so, and has everything on the device once it works again', async () => {
    const storage = createFailing();
    holdTime();
    const client = await world.player({ storage });
    const events = record(client, 'storageDegraded', 'storageRestored');
    storage.setItem.mockImplementation(full);
    expect(ok(await client.auth.withName('ada', 'correct horse')).userId).toBe(client.auth.userId);
    expect(client.auth.state).toBe('linked');
    expect(events).toEqual([['storageDegraded', { from: 'custom', to: 'memory' }]]);
    expect(client.storage).toMatchObject({ kind: 'custom', isFailing: true });
    await pass(30_000);
    expect(JSON.parse(storage.values.get(keys.session) as string).session.methods).toEqual(['device']);
    storage.setItem.mockReset();
    storage.setItem.mockImplementation((key, text) => void storage.values.set(key, text));
    await pass(10_000);
    expect(events.slice(1)).toEqual([['storageRestored', { to: 'custom' }]]);
    expect(client.storage.isFailing).toBe(false);
    client.dispose();
    expect((await world.player({ storage })).auth.state).toBe('linked');
  });

  it('says of the saves that they are not stored, and then that they are', async () => {
    holdTime();
    const storage = createFailing();
    const client = await world.player({ storage });
    const statuses: string[] = [];
    client.events.on('syncChanged', ({ status }) => void statuses.push(status));
    storage.setItem.mockImplementation(full);
    void client.profile.collection('progress').set('main', { level: 1 });
    await pass(1_000);
    expect(client.profile.status).toBe('unstored');
    expect(statuses.at(-1)).toBe('unstored');
    expect(client.profile.watchStatus().getSnapshot()).toBe('unstored');
    storage.setItem.mockImplementation((key, text) => void storage.values.set(key, text));
    await pass(15_000);
    expect(statuses.at(-1)).toBe('synced');
  });

  it('hears of what another tab has stored meanwhile as soon as it works again', async () => {
    holdTime();
    const storage = createFailing();
    const client = await world.player({ storage });
    const other = await world.player({ storage: createMemoryStorage(storage.values) });
    storage.getItem.mockImplementation(full);
    storage.setItem.mockImplementation(full);
    void client.profile.collection('progress').set('mine', { level: 1 });
    await pass(1_000);
    // The tab that works on the same storage tells of it, and nobody tells of it again.
    await other.profile.collection('progress').set('theirs', { level: 2 });
    await pass(1_000);
    storage.getItem.mockImplementation((key) => storage.values.get(key) ?? null);
    storage.setItem.mockImplementation((key, text) => void storage.values.set(key, text));
    await pass(15_000);
    expect(client.profile.collection('progress').get('theirs')).toEqual({ level: 2 });
  });

  it('keeps nobody waiting for what it cannot send while it fails', async () => {
    holdTime();
    const storage = createFailing();
    const client = await world.player({ storage });
    world.backend.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });
    await client.profile.collection('progress').set('main', { level: 1 });
    await pass(1_000);
    world.backend.control.restore();
    storage.getItem.mockImplementation(full);
    storage.setItem.mockImplementation(full);
    void client.profile.collection('progress').set('other', { level: 1 });
    await pass(1_000);
    await expect(client.profile.collection('progress').retry('main')).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
  });

  it('makes nobody on a disk that is full from the start, and plays on in memory until there is room', async () => {
    holdTime();
    const storage = createFailing();
    const values = storage.setItem.getMockImplementation();
    storage.setItem.mockImplementation(full);
    const client = world.client({ storage });
    const events = record(client, 'storageDegraded');
    const starting = client.init();
    await pass(6_000);
    expect(codeOf(await starting)).toBe('storage_unavailable');
    expect(events).toEqual([['storageDegraded', { from: 'custom', to: 'memory' }]]);
    expect(world.sent).toEqual([]);
    const progress = client.profile.collection('progress');
    void progress.set('main', { level: 1 });
    expect(progress.get('main')).toEqual({ level: 1 });
    storage.setItem.mockImplementation(values as never);
    await pass(30_000);
    expect(client.auth.userId).toBeTruthy();
    await client.profile.flush();
    expect(await progress.load()).toMatchObject([{ value: { level: 1 } }]);
  });

  it('finds who is there on a disk that is full, and reads on', async () => {
    const storage = createFailing();
    const first = await world.player({ storage });
    const { userId } = ok(await first.auth.withName('ada', 'correct horse'));
    first.dispose();
    storage.setItem.mockImplementation(full);
    const client = await world.player({ storage });
    expect([client.auth.userId, client.auth.state]).toEqual([userId, 'linked']);
    expect(storage.values.has(keys.session)).toBe(true);
    expect(storage.values.has(keys.device)).toBe(true);
  });

  it('does not say that it is saving what it cannot send, on a disk that is full', async () => {
    const storage = createFailing();
    const first = await world.player({ storage });
    world.service.backend.control.fail({
      route: 'updateEntry',
      with: { status: 503 },
      times: Number.POSITIVE_INFINITY,
    });
    await first.profile.collection('progress').set('main', { level: 1 });
    first.dispose();
    world.service.backend.control.restore();
    holdTime();
    storage.setItem.mockImplementation(full);
    const client = await world.player({ storage });
    const flushing = expect(client.profile.flush()).rejects.toMatchObject({ code: 'storage_unavailable' });
    await pass(60_000);
    await flushing;
    expect(client.storage.isFailing).toBe(true);
    // It is stored, and so the page may be closed.
    expect(client.profile.status).toBe('offline');
    storage.setItem.mockImplementation(storage.values.set.bind(storage.values));
    await pass(60_000);
    expect(client.profile.status).toBe('synced');
  });

  it('sends with a new token though the new one cannot be stored, and though nothing can be read', async () => {
    const storage = createFailing();
    holdTime();
    const client = await world.player({ storage });
    storage.getItem.mockImplementation(full);
    storage.setItem.mockImplementation(full);
    await pass(2 * 60 * 60 * 1_000);
    expect(await client.auth.getAccessToken()).toBeTruthy();
  });

  it('leaves nothing unhandled, and settles every call, wherever it is disposed of', async () => {
    for (let steps = 0; steps < 40; steps += 2) {
      useBrowser();
      const client = world.client(browser);
      const calls = [client.init(), client.auth.withName(`ada${steps}`, 'correct horse'), client.auth.signOut()];
      for (let step = 0; step < steps; step += 1) await new Promise(setImmediate);
      client.dispose();
      const results = await Promise.all(calls);
      expect(results.every(({ success }) => typeof success === 'boolean')).toBe(true);
    }
  });
});

describe('what identifies a player', () => {
  it('is on the disk before the start is over', async () => {
    useBrowser();
    const written = new Map<unknown, unknown>();
    const put = IDBObjectStore.prototype.put;
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, text, key) {
      written.set(key, this.transaction.durability);
      return put.call(this, text, key);
    });
    const client = await world.player(browser);
    expect([written.get(keys.device), written.get(keys.session)]).toEqual(['strict', 'strict']);
    // The page is killed at this moment.
    expect((await world.player(browser)).auth.userId).toBe(client.auth.userId);
  });

  it('is found where an earlier version has kept it', async () => {
    const storage = createMemoryStorage();
    const before = await world.player({ storage });
    ok(await before.auth.withName('ada', 'correct horse'));
    const userId = before.auth.userId;
    before.dispose();
    const { local, texts } = useBrowser();
    for (const key of [keys.session, keys.device]) local.setItem(key, storage.values.get(key) as string);
    const client = await world.player(browser);
    expect([client.auth.userId, client.auth.state]).toEqual([userId, 'linked']);
    expect([...texts.keys()]).toEqual([keys.homeRecord]);
  });

  it('is the same for a page and a worker beside it, which has no localStorage', async () => {
    const { storages } = useBrowser();
    const page = await world.player(browser);
    const { userId } = page.auth;
    world.platform.storages = { ...storages, localStorage: () => undefined };
    const worker = await world.player(browser);
    expect(worker.auth.userId).toBe(userId);
    worker.dispose();
    page.dispose();
    world.platform.storages = storages;
    expect((await world.player(browser)).auth.userId).toBe(userId);
  });

  it('is in memory where the browser denies the site its data, which is said', async () => {
    const { storages } = useBrowser();
    world.platform.storages = { ...storages, localStorage: deny, indexedDB: deny };
    const client = world.client(browser);
    const events = record(client, 'storageDegraded', 'storageRestored');
    ok(await client.init());
    expect(events).toEqual([['storageDegraded', { from: 'indexedDB', to: 'memory' }]]);
    expect(client.storage).toEqual({ kind: 'memory', persisted: null, usage: null, quota: null, isFailing: false });
  });
});

describe('client.storage', () => {
  function createManager(answers: Partial<Record<'persisted' | 'agrees', boolean>> = {}) {
    let persisted = answers.persisted ?? false;
    return {
      persisted: vi.fn(async () => persisted),
      persist: vi.fn(async () => {
        persisted = answers.agrees ?? false;
        return persisted;
      }),
      estimate: vi.fn(async () => ({ usage: 1_000, quota: 9_000 })),
    };
  }

  it('says what the browser says, and nothing before the start', async () => {
    const manager = createManager();
    useBrowser(manager);
    const client = world.client(browser);
    expect(client.storage).toEqual({ kind: null, persisted: null, usage: null, quota: null, isFailing: false });
    await quiet();
    expect(manager.estimate).not.toHaveBeenCalled();
    await client.init();
    await until(() => client.storage.quota !== null);
    expect(client.storage).toEqual({
      kind: 'indexedDB',
      persisted: false,
      usage: 1_000,
      quota: 9_000,
      isFailing: false,
    });
    expect(manager.persist).not.toHaveBeenCalled();
  });

  it('is asked for when a player first saves something, and not again for 30 days', async () => {
    holdTime();
    const manager = createManager();
    useBrowser(manager);
    const client = await world.player(browser);
    await client.profile.collection('progress').set('main', { level: 1 });
    await until(() => manager.persist.mock.calls.length === 1);
    await client.profile.flush();
    client.dispose();
    for (const [days, calls] of [
      [29, 1],
      [2, 2],
    ] as const) {
      vi.setSystemTime(Date.now() + days * 24 * 60 * 60 * 1_000);
      const next = await world.player(browser);
      await next.profile.collection('progress').set('main', { level: days });
      await quiet();
      expect(manager.persist).toHaveBeenCalledTimes(calls);
      next.dispose();
    }
  });

  it('is asked for when a method is linked, and shows the answer', async () => {
    const manager = createManager({ agrees: true });
    useBrowser(manager);
    const client = await world.player(browser);
    ok(await client.auth.withName('ada', 'correct horse'));
    await until(() => client.storage.persisted === true);
    expect(manager.persist).toHaveBeenCalledOnce();
  });

  it('is not asked for where it is kept already, or where it is not the browser that keeps it', async () => {
    const manager = createManager({ persisted: true });
    useBrowser(manager);
    for (const storage of [undefined, createMemoryStorage()]) {
      const client = await world.player({ storage });
      await client.profile.collection('progress').set('main', { level: 1 });
      await quiet();
      expect(manager.persist).not.toHaveBeenCalled();
      expect(client.storage.persisted).toBe(storage === undefined ? true : null);
    }
  });

  it('stays unknown where the browser denies the answer, and harms nothing', async () => {
    const { storages } = useBrowser();
    world.platform.storages = { ...storages, manager: deny };
    const client = await world.player(browser);
    await client.profile.collection('progress').set('main', { level: 1 });
    await quiet();
    expect(client.storage).toEqual({ kind: 'indexedDB', persisted: null, usage: null, quota: null, isFailing: false });
  });
});
