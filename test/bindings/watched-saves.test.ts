import type { Client, ClientConfig } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { partsOf } from '../../src/bindings/client-parts.js';
import { createDerived } from '../../src/bindings/derived.js';
import { watchSave } from '../../src/bindings/watch-save.js';
import { createMemoryStorage, createWorld, holdTime, ok, quiet, until, type World } from '../client/world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => {
  vi.useRealTimers();
  return world.end();
});

const saveOf = (client: Client, key = 'main') =>
  watchSave<{ level: number }, { level: number }>(client, 'progress', key);
const reads = () => world.sent.filter(({ path }) => path.endsWith('/progress')).length;

/** A client whose reads of a collection wait for the test. */
function slowClient(options: Partial<ClientConfig> = {}) {
  const waiting: (() => void)[] = [];
  const { fetch } = world.config();
  const client = world.client({
    ...options,
    fetch: async (request) => {
      if (request.url.includes('/progress?')) await new Promise<void>((resolve) => waiting.push(resolve));
      return (fetch as (request: Request) => Promise<Response>)(request);
    },
  });
  return { client, waiting };
}

/** An account with a name and a save. */
async function addAda(level: number): Promise<void> {
  const ada = await world.player();
  ok(await ada.auth.withName('ada', 'correct horse'));
  await ada.profile.collection('progress').set('main', { level });
  await ada.profile.flush();
}

describe('a save that components watch', () => {
  it.each([undefined, null, {}, 7])('is no save of what is no collection: %j', (none) => {
    expect(() => watchSave(world.client(), none as never, 'main')).toThrow(/^collection must be a name/);
  });

  it('starts the client when somebody watches it, and not before', async () => {
    const client = world.client();
    const save = saveOf(client);
    expect(save.getSnapshot()).toEqual({ value: undefined, status: 'loading' });
    await quiet();
    expect(world.sent).toEqual([]);
    const end = save.subscribe(() => {});
    await until(() => save.getSnapshot().status === 'synced');
    end();
  });

  it('is the same object each time, and so are its snapshots and functions', async () => {
    const client = await world.player();
    const save = saveOf(client);
    save.subscribe(() => {});
    expect(saveOf(client)).toBe(save);
    expect(watchSave(client, client.profile.collection('progress'), 'main')).toBe(save);
    await until(() => save.getSnapshot().status === 'synced');
    expect(save.getSnapshot()).toBe(save.getSnapshot());
    const before = save.getSnapshot();
    await save.set({ level: 1 });
    expect(save.getSnapshot()).not.toBe(before);
    expect(save.getSnapshot()).toBe(save.getSnapshot());
  });

  it('is read once for each account, however many watch it and whatever keys', async () => {
    const client = world.client();
    for (const key of ['one', 'two', 'three', 'one']) saveOf(client, key).subscribe(() => {});
    await until(() => saveOf(client, 'three').getSnapshot().status === 'synced');
    expect(reads()).toBe(1);
    ok(await client.auth.signOut());
    expect(saveOf(client).getSnapshot().status).toBe('synced');
    ok(await client.auth.asGuest());
    await quiet();
    ok(await client.auth.withName('bea', 'correct horse'));
    await quiet();
    expect(saveOf(client, 'two').getSnapshot().status).toBe('synced');
  });

  it('is loading again for another account, until that one has been read', async () => {
    await addAda(7);
    const { client, waiting } = slowClient();
    const save = saveOf(client);
    save.subscribe(() => {});
    await until(() => waiting.length > 0);
    waiting.shift()?.();
    await until(() => save.getSnapshot().status === 'synced');
    ok(await client.auth.signOut());
    const signedIn = client.auth.withName('ada', 'correct horse');
    await until(() => waiting.length > 0);
    expect(save.getSnapshot()).toEqual({ value: undefined, status: 'loading' });
    const release = setInterval(() => waiting.shift()?.(), 1);
    ok(await signedIn);
    await until(() => save.getSnapshot().value?.level === 7);
    clearInterval(release);
  });

  it('takes no answer for the one account that was asked for by a former stay in it', async () => {
    const storage = createMemoryStorage();
    const first = await world.player({ storage });
    first.dispose();
    const { client, waiting } = slowClient({ storage });
    const save = saveOf(client);
    save.subscribe(() => {});
    await until(() => waiting.length === 1);
    ok(await client.auth.signOut());
    const back = client.auth.asGuest();
    await until(() => waiting.length > 1);
    // The first read fails now, for it was of a session that has ended; it is asked for once more in the new one.
    waiting.shift()?.();
    await until(() => waiting.length > 1);
    waiting.pop()?.();
    await quiet();
    expect(save.getSnapshot().status).toBe('loading');
    const release = setInterval(() => waiting.shift()?.(), 1);
    ok(await back);
    await until(() => save.getSnapshot().status === 'synced');
    clearInterval(release);
  });

  it('says so where the service cannot be asked, and asks it again by itself', async () => {
    await addAda(7);
    const client = await world.player();
    ok(await client.auth.signOut());
    ok(await client.auth.withName('ada', 'correct horse'));
    holdTime();
    world.backend.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY, route: 'readCollection' });
    const save = saveOf(client);
    const end = save.subscribe(() => {});
    await until(() => save.getSnapshot().status === 'offline');
    expect(save.getSnapshot().value).toBeUndefined();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(save.getSnapshot().status).toBe('offline');
    world.backend.control.restore();
    await vi.advanceTimersByTimeAsync(1_000);
    await until(() => save.getSnapshot().value?.level === 7);
    expect(save.getSnapshot().status).toBe('synced');
    end();
  });

  it('asks no more once nobody watches it, whatever is under way then', async () => {
    const client = await world.player();
    holdTime();
    let answer = (): void => {};
    const asked: string[] = [];
    const save = watchSave(client, 'progress', 'main');
    const { load } = client.profile.collection('progress');
    Object.assign(client.profile.collection('progress'), {
      load: () => {
        asked.push('load');
        return new Promise((_, reject) => {
          answer = () => reject(new Error('no answer'));
        });
      },
    });
    const end = save.subscribe(() => {});
    await until(() => asked.length === 1);
    end();
    answer();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(asked).toEqual(['load']);
    Object.assign(client.profile.collection('progress'), { load });
  });

  it('is not loading for ever where the service cannot be reached, and is read when watched again', async () => {
    const storage = createMemoryStorage();
    const first = await world.player({ storage });
    first.dispose();
    world.backend.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });
    const client = world.client({ storage });
    const save = saveOf(client);
    const end = save.subscribe(() => {});
    await until(() => save.getSnapshot().status === 'offline');
    end();
    world.backend.control.restore();
    const before = reads();
    const again = save.subscribe(() => {});
    await until(() => reads() > before);
    again();
    await quiet();
    save.subscribe(() => {});
    await quiet();
    expect(reads()).toBe(before + 1);
  });

  it('is waited for by all with one promise, which settles where nobody can be signed in', async () => {
    world.backend.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });
    const save = saveOf(world.client());
    const loaded = save.loaded();
    expect(save.loaded()).toBe(loaded);
    await loaded;
    expect(save.getSnapshot()).toEqual({ value: undefined, status: 'synced' });
    await save.loaded();
  });

  it('runs without a network and without an account', async () => {
    const save = saveOf(world.client({ network: 'off' }));
    save.subscribe(() => {});
    await until(() => save.getSnapshot().status === 'synced');
    await save.set({ level: 1 });
    expect(save.getSnapshot().value).toEqual({ level: 1 });
  });

  it('refuses a collection of another client, and a name or key that cannot be stored', async () => {
    const [one, other] = [world.client(), world.client()];
    expect(() => watchSave(one, other.profile.collection('progress'), 'main')).toThrow(TypeError);
    expect(() => watchSave(one, '', 'main')).toThrow(TypeError);
    expect(() => watchSave(one, 'progress', '')).toThrow(TypeError);
  });

  it('gives a copy to those who want to change it', async () => {
    const save = saveOf(await world.player());
    expect(save.read()).toBeUndefined();
    await save.set({ level: 1 });
    const copy = save.read();
    Object.assign(copy as object, { level: 2 });
    expect([save.getSnapshot().value, save.read()]).toEqual([{ level: 1 }, { level: 1 }]);
  });
});

describe('the parts of a client', () => {
  it('are the same objects each time', async () => {
    const client = await world.player();
    expect(partsOf(client)).toBe(partsOf(client));
  });

  it('tell of a conflict when it opens and when it ends', async () => {
    await addAda(7);
    const client = await world.player();
    const told: unknown[] = [];
    const end = partsOf(client).conflict.subscribe((conflict) => void told.push(conflict?.method ?? null));
    const linking = client.auth.withName('ada', 'correct horse');
    await until(() => client.conflict !== null);
    ok(await (client.conflict as NonNullable<Client['conflict']>).resolve('local'));
    ok(await linking);
    expect(told).toEqual([null, 'name', null]);
    end();
    // Without a component that shows it, nobody waits for a choice.
    const other = await world.player();
    partsOf(other).conflict.subscribe(() => {})();
    expect(await other.auth.withName('ada', 'correct horse')).toMatchObject({ error: { code: 'conflict_unhandled' } });
  });
});

describe('a value that is made of others', () => {
  /** One whose changes the test makes, and that counts how often it was begun and ended. */
  function derive() {
    let value = 0;
    let tell = (): void => {};
    const counts = { begun: 0, ended: 0 };
    const watched = createDerived(
      () => value,
      (changed) => {
        tell = changed;
        counts.begun += 1;
        return () => {
          counts.ended += 1;
        };
      },
    );
    const set = (next: number): void => {
      value = next;
      tell();
    };
    return { watched, counts, set };
  }

  it('is listened to from the first listener to the last', () => {
    const { watched, counts } = derive();
    const listener = (): void => {};
    const ends = [watched.subscribe(listener), watched.subscribe(listener)];
    ends[0]?.();
    ends[0]?.();
    expect(counts).toEqual({ begun: 1, ended: 0 });
    ends[1]?.();
    expect(counts).toEqual({ begun: 1, ended: 1 });
    watched.subscribe(listener)();
    expect(counts).toEqual({ begun: 2, ended: 2 });
  });

  it('tells each listener of each value once, and nobody who has ended', () => {
    const { watched, set } = derive();
    const told: string[] = [];
    const end = watched.subscribe((value) => {
      told.push(`one ${value}`);
      if (value === 1) endOther();
    });
    const endOther = watched.subscribe((value) => void told.push(`other ${value}`));
    set(1);
    set(1);
    end();
    set(2);
    expect(told).toEqual(['one 0', 'other 0', 'one 1']);
  });
});
