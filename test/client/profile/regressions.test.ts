import type { Client } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { homeKeys } from '../../../src/client/storage/home-keys.js';
import { testGameId } from '../../support/service.js';
import { createMemoryStorage, createWorld, holdTime, meetConflict, ok, quiet, until, type World } from '../world.js';

/** What the model has found, each as its smallest case. */

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => {
  world.end();
  vi.useRealTimers();
});

const keys = homeKeys(testGameId, 0);
const progress = (client: Client) => client.profile.collection('progress');
const offline = (): void => world.backend.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });
const kept = () => world.sent.filter(({ path }) => path.endsWith('/snapshots')).map(({ body }) => JSON.parse(body));

/** A storage that answers when it is let. */
function createSlowStorage() {
  const { values } = createMemoryStorage();
  const waiting: { call: string; go: () => void }[] = [];
  let isSlow = (_: string): boolean => false;
  const answer = <T>(call: string, act: () => T): Promise<T> =>
    new Promise((resolve) => {
      if (isSlow(call)) waiting.push({ call, go: () => resolve(act()) });
      else setImmediate(() => resolve(act()));
    });
  return {
    values,
    getItem: (key: string) => answer(`get ${key}`, () => values.get(key) ?? null),
    setItem: (key: string, value: string) => answer(`set ${key}`, () => void values.set(key, value)),
    removeItem: (key: string) => answer(`remove ${key}`, () => void values.delete(key)),
    /** What waits, such as `get <key>`, in the order in which it was asked for. */
    waiting: () => waiting.map(({ call }) => call),
    hold: (isHeld: (call: string) => boolean = () => true) => {
      isSlow = isHeld;
    },
    /** Answers what waits, the first ones alone where a count is given: then the others go on waiting. */
    release: (count?: number) => {
      if (count === undefined) isSlow = () => false;
      for (const { go } of waiting.splice(0, count ?? waiting.length)) go();
    },
  };
}

describe('two tabs', () => {
  it('count nothing twice that one has just read, and writes on what the other has written', async () => {
    const storage = createSlowStorage();
    const one = await world.player({ storage });
    const two = await world.player({ storage: createMemoryStorage(storage.values) });
    ok(await one.auth.withName('ada', 'correct horse'));
    const elsewhere = await world.player();
    ok(await elsewhere.auth.signOut());
    ok(await elsewhere.auth.withName('ada', 'correct horse'));
    const merge = { coins: 'sum', items: 'union' } as const;
    for (const client of [one, two, elsewhere]) client.profile.collection('progress', { merge });
    await progress(elsewhere).set('main', { coins: 1, items: ['a'] });
    await elsewhere.profile.flush();
    await until(() => two.auth.userId === one.auth.userId);
    await progress(one).load();
    storage.hold();
    await progress(two).set('main', { coins: 1, items: ['b'] });
    void progress(one).set('main', { coins: 2, items: ['a', 'c'] });
    storage.release();
    await quiet();
    await one.profile.flush();
    const [entry] = await progress(one).load();
    expect(entry?.value).toEqual({ coins: 3, items: expect.arrayContaining(['a', 'b', 'c']) });
  });

  it('leave each other in peace where the service cannot be reached', async () => {
    const storage = createSlowStorage();
    const one = await world.player({ storage });
    const two = await world.player({ storage });
    offline();
    // Only what the tabs tell each other counts here: neither tries again by its own timer.
    holdTime();
    await progress(one).set('main', { level: 1 });
    await expect(one.profile.flush()).rejects.toMatchObject({ code: 'network' });
    await until(() => two.profile.status === 'offline');
    await quiet();
    const asked = world.sent.length;
    await quiet();
    expect(world.sent).toHaveLength(asked);
  });
});

describe('a switch of account', () => {
  it('lets no flush succeed that has not sent all', async () => {
    const client = await world.player();
    world.backend.control.fail({ route: 'updateEntry', with: 'slow' });
    // The session still lives at the service, so that what is under way succeeds.
    world.backend.control.fail({ route: 'signOut', with: 'offline', times: 3 });
    await progress(client).set('first', {});
    await progress(client).set('second', {});
    const flushing = client.profile.flush();
    const asked = world.sent.length;
    await until(() => world.sent.length > asked);
    ok(await client.auth.signOut());
    world.backend.control.release();
    await expect(flushing).rejects.toMatchObject({ code: 'aborted' });
  });

  it('lets no flush succeed that was asked for before an account which is left at once', async () => {
    const storage = createSlowStorage();
    const before = await world.player({ storage });
    before.dispose();
    const client = world.client({ storage });
    const starting = client.init();
    await until(() => client.auth.userId !== null);
    // Its session is known again, and its copy not read yet.
    void progress(client).set('main', { level: 1 });
    const flushing = client.profile.flush();
    flushing.catch(() => {});
    ok(await client.auth.signOut());
    await starting;
    await expect(flushing).rejects.toMatchObject({ code: 'aborted' });
  });

  it('shows and sends what the device could store only after the player was back', async () => {
    const { values, ...storage } = createMemoryStorage();
    let isFull = false;
    let refused = 0;
    const setItem = (key: string, value: string): void => {
      if (!isFull || !key.includes(':entry:')) return void values.set(key, value);
      refused += 1;
      throw new DOMException('The disk is full.', 'QuotaExceededError');
    };
    const client = await world.player({ storage: { ...storage, setItem } });
    await progress(client).set('main', { level: 1 });
    isFull = true;
    // What notes that the service has it fails, and what is set now has to wait for that.
    client.profile.flush().catch(() => {});
    await until(() => refused > 0);
    const setting = progress(client).set('main', { level: 2 });
    ok(await client.auth.signOut());
    ok(await client.auth.asGuest());
    isFull = false;
    await setting;
    await until(() => progress(client).get('main')?.['level'] === 2);
    await client.profile.flush();
    expect(await progress(client).load()).toMatchObject([{ value: { level: 2 }, version: 1 }]);
  });

  it('shows and sends what the device could store only as the player came back', async () => {
    const storage = createSlowStorage();
    const client = await world.player({ storage });
    await progress(client).set('main', { level: 1 });
    await client.profile.flush();
    const [put, readEarly] = [`set ${keys.entries(client.auth.userId)}progress\nmain`, `get ${keys.entries(null)}`];
    storage.hold((call) => call === put);
    const setting = progress(client).set('main', { level: 2 });
    await until(() => storage.waiting().length === 1);
    ok(await client.auth.signOut());
    storage.hold((call) => call === readEarly);
    const signingIn = client.auth.asGuest();
    // The account's copy has been read by then, and what was set before an account has not.
    await until(() => storage.waiting().length === 2);
    expect(storage.waiting()).toEqual([put, readEarly]);
    storage.release(1);
    await setting;
    storage.release();
    ok(await signingIn);
    await until(() => progress(client).get('main')?.['level'] === 2);
    await client.profile.flush();
    expect(await progress(client).load()).toMatchObject([{ value: { level: 2 }, version: 1 }]);
  });

  it("keeps what loses in no other account's snapshots", async () => {
    const storage = createMemoryStorage();
    const [other, client] = [await world.player(), await world.player({ storage })];
    ok(await client.auth.withName('ada', 'correct horse'));
    ok(await other.auth.signOut());
    ok(await other.auth.withName('ada', 'correct horse'));
    await progress(other).set('main', { level: 1 });
    await other.profile.flush();
    let decide = (_: { level: number }): void => {};
    const asked = new Promise<void>((met) => {
      const onConflict = () => {
        met();
        return new Promise<{ level: number }>((resolve) => {
          decide = resolve;
        });
      };
      client.profile.collection('progress', { onConflict });
    });
    await progress(client).set('main', { level: 2 });
    const flushing = client.profile.flush();
    await asked;
    ok(await client.auth.signOut());
    ok(await client.auth.withName('bob', 'correct horse'));
    decide({ level: 2 });
    await expect(flushing).rejects.toMatchObject({ code: 'aborted' });
    expect(kept()).toEqual([]);
  });
});

describe('a choice in a conflict', () => {
  it.each(['cloud', 'merge'] as const)('keeps what is set meanwhile for who comes out of it: %s', async (choice) => {
    const { second, conflict } = await meetConflict(world);
    world.backend.control.fail({ route: 'resolveConflict', with: 'slow' });
    const asked = world.sent.length;
    const choosing = conflict.resolve(choice);
    await until(() => world.sent.slice(asked).some(({ path }) => path.endsWith('/conflict')));
    await progress(second).set('between', { level: 3 });
    expect(progress(second).get('between')).toEqual({ level: 3 });
    world.backend.control.release();
    ok(await choosing);
    await progress(second).set('main', { level: 9 });
    await second.profile.flush();
    expect(await progress(second).load()).toMatchObject([
      { key: 'between', value: { level: 3 } },
      { key: 'main', value: { level: 9 } },
    ]);
  });

  it('gives what is set meanwhile to nobody else, where who comes out of it is left at once', async () => {
    const storage = createSlowStorage();
    const { second, conflict, owner } = await meetConflict(world, { storage });
    world.backend.control.fail({ route: 'resolveConflict', with: 'slow' });
    const asked = world.sent.length;
    const choosing = conflict.resolve('cloud');
    await until(() => world.sent.slice(asked).some(({ path }) => path.endsWith('/conflict')));
    await progress(second).set('between', { level: 3 });
    storage.hold();
    world.backend.control.release();
    await until(() => second.auth.userId === owner);
    const leaving = second.auth.signOut();
    await quiet();
    storage.release();
    await choosing;
    ok(await leaving);
    ok(await second.auth.withName('eve', 'correct horse'));
    expect(progress(second).get('between')).toBeUndefined();
    ok(await second.auth.signOut());
    ok(await second.auth.withName('ada', 'correct horse'));
    await until(() => progress(second).get('between') !== undefined);
    await second.profile.flush();
    expect(await progress(second).load()).toMatchObject([{ key: 'between', value: { level: 3 } }, { key: 'main' }]);
  });

  it('takes writes again where it could not be carried out', async () => {
    const { second, conflict } = await meetConflict(world);
    world.backend.control.fail({ route: 'resolveConflict', with: 'offline', times: 3 });
    expect(await conflict.resolve('cloud')).toMatchObject({ success: false });
    await progress(second).set('main', { level: 3 });
    expect(progress(second).get('main')).toEqual({ level: 3 });
  });

  it('leaves in sight what was set meanwhile where it is refused, however long the storage takes', async () => {
    const storage = createSlowStorage();
    const { second, conflict } = await meetConflict(world, { storage });
    const rule = (): never => {
      throw new Error('a defect of the game');
    };
    second.profile.collection('progress', { merge: rule });
    world.backend.control.fail({ route: 'readConflictSides', with: 'slow' });
    const asked = world.sent.length;
    const choosing = conflict.resolve('merge');
    await until(() => world.sent.slice(asked).some(({ path }) => path.endsWith('/sides')));
    await progress(second).set('main', { level: 3 });
    storage.hold();
    world.backend.control.release();
    await until(() => world.reported.length > 0);
    await quiet();
    expect(progress(second).get('main')).toEqual({ level: 3 });
    storage.release();
    expect(await choosing).toMatchObject({ success: false, error: { code: 'merge_failed' } });
    expect(progress(second).get('main')).toEqual({ level: 3 });
    await second.profile.flush();
    expect(await progress(second).load()).toMatchObject([{ key: 'main', value: { level: 3 } }]);
  });
});

describe('a set of what is there already', () => {
  it('is kept no sooner than the one before it', async () => {
    const storage = createSlowStorage();
    const client = await world.player({ storage });
    storage.hold();
    let isKept = false;
    void progress(client).set('main', { level: 1 });
    const again = progress(client)
      .set('main', { level: 1 })
      .then(() => {
        isKept = true;
      });
    await quiet();
    expect(isKept).toBe(false);
    storage.release();
    await again;
    expect(storage.values.get(`${keys.entries(client.auth.userId)}progress\nmain`)).toContain('{"level":1}');
  });
});

describe('what was set before there was an account', () => {
  it('comes to it also where the page was closed before it had been moved', async () => {
    const { values, ...storage } = createMemoryStorage();
    offline();
    const closed = world.client({
      storage: {
        ...storage,
        // The page is gone when it is to write the account's copy.
        setItem: (key, value) => (/profile:./.test(key) ? new Promise(() => {}) : values.set(key, value)),
      },
    });
    await closed.init();
    await progress(closed).set('main', { level: 3 });
    world.backend.control.restore();
    void closed.auth.asGuest();
    await until(() => closed.auth.userId !== null);
    await quiet();
    closed.dispose();
    const client = await world.player({ storage });
    expect(client.auth.userId).not.toBeNull();
    expect(progress(client).get('main')).toEqual({ level: 3 });
    await client.profile.flush();
    expect(await progress(client).load()).toEqual([{ key: 'main', value: { level: 3 }, version: 0 }]);
  });

  it('takes nothing away that the account has not sent yet', async () => {
    const storage = createMemoryStorage();
    const options = { merge: { coins: 'sum' } } as const;
    const before = await world.player({ storage });
    offline();
    await before.profile.collection('progress', options).set('main', { coins: 5 });
    ok(await before.auth.signOut());
    before.dispose();
    const client = world.client({ storage });
    await client.init();
    const seen: unknown[] = [];
    client.profile.collection('progress', options).onChange(({ value }) => seen.push(value['coins']));
    await progress(client).set('main', { coins: 2 });
    world.backend.control.restore();
    ok(await client.auth.asGuest());
    await client.profile.flush();
    await quiet();
    await client.profile.flush();
    expect((await progress(client).load())[0]?.value).toEqual({ coins: 7 });
    // Each value that is shown is told of, and none is shown without what this page has set.
    expect(seen).toEqual([2, 7]);
  });

  it('is counted on from, where the device has counted for the account before', async () => {
    const storage = createMemoryStorage();
    const options = { merge: { coins: 'sum' } } as const;
    const before = await world.player({ storage });
    await before.profile.collection('progress', options).set('main', { coins: 5 });
    await before.profile.flush();
    ok(await before.auth.signOut());
    before.dispose();
    offline();
    const client = world.client({ storage });
    await client.init();
    await client.profile.collection('progress', options).set('main', { coins: 2 });
    world.backend.control.restore();
    world.backend.control.fail({ route: 'updateEntry', with: 'slow' });
    ok(await client.auth.asGuest());
    expect(client.auth.userId).not.toBeNull();
    await progress(client).update('main', (value) => ({ ...value, coins: Number(value?.['coins']) + 1 }));
    world.backend.control.release();
    await client.profile.flush();
    expect((await progress(client).load())[0]?.value).toEqual({ coins: 8 });
  });

  it('is no change that a listener hears of again', async () => {
    offline();
    const client = world.client();
    await client.init();
    const changes: unknown[] = [];
    progress(client).onChange(({ value, by }) => changes.push([value, by]));
    await progress(client).set('main', { level: 3 });
    world.backend.control.restore();
    ok(await client.auth.asGuest());
    await client.profile.flush();
    expect(changes).toEqual([[{ level: 3 }, 'game']]);
  });
});

describe('an entry that waits for the game', () => {
  /** Two devices of one account have written, and the second one's merge throws. */
  async function stuck(): Promise<Client> {
    const [one, two] = [await world.player(), await world.player()];
    ok(await one.auth.withName('ada', 'correct horse'));
    ok(await two.auth.signOut());
    ok(await two.auth.withName('ada', 'correct horse'));
    await progress(one).set('main', { coins: 1 });
    await one.profile.flush();
    const merge = (): never => {
      throw new Error('a bug');
    };
    await two.profile.collection('progress', { merge }).set('main', { coins: 2 });
    await expect(two.profile.flush()).rejects.toMatchObject({ code: 'entry_conflict' });
    return two;
  }

  it('goes on once the game has declared its rules anew', async () => {
    const client = await stuck();
    expect(client.profile.status).toBe('conflict');
    client.profile.collection('progress', { merge: { coins: 'max' } });
    await client.profile.flush();
    expect(progress(client).get('main')).toEqual({ coins: 2 });
    expect(client.profile.status).toBe('synced');
  });

  it('is not looked after all the time meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await stuck();
    await quiet();
    // Those that wait for new tokens.
    expect(vi.getTimerCount()).toBe(2);
  });
});

describe('a sign-out while the client starts', () => {
  it('holds, whatever another tab does meanwhile', async () => {
    const storage = createSlowStorage();
    const [tab] = [await world.player({ storage })];
    storage.hold();
    const client = world.client({ storage });
    void client.init();
    const leaving = client.auth.signOut();
    await quiet();
    void progress(tab).set('main', { level: 1 });
    storage.release();
    ok(await leaving);
    await quiet();
    expect(client.auth.userId).toBeNull();
    expect(client.auth.state).toBe('signedOut');
  });
});
