import type { Client } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMemoryStorage, createWorld, meetConflict, ok, quiet, until, type World } from '../world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.end());

const progress = (client: Client) => client.profile.collection('progress');
const writes = (): { version: number; value: unknown }[] =>
  world.sent
    .filter(({ path }) => path.endsWith('/progress/main'))
    .map(({ body }) => JSON.parse(body) as { version: number; value: unknown });

/** Two devices of one account: each has a storage of its own. */
async function twoDevices(): Promise<[Client, Client]> {
  const [one, two] = [await world.player(), await world.player()];
  ok(await one.auth.withName('ada', 'correct horse'));
  ok(await two.auth.signOut());
  ok(await two.auth.withName('ada', 'correct horse'));
  return [one, two];
}

async function save(client: Client, value: { [field: string]: unknown }): Promise<void> {
  await progress(client).set('main', value);
  await client.profile.flush();
}

describe('a collection', () => {
  it('is empty on a device until it is loaded, and then answers from what was loaded', async () => {
    const [one, two] = await twoDevices();
    await save(one, { level: 1 });
    expect(progress(two).get('main')).toBeUndefined();
    expect(progress(two).entries()).toEqual([]);
    expect(await progress(two).load()).toEqual([{ key: 'main', value: { level: 1 }, version: 0 }]);
    expect(progress(two).get('main')).toEqual({ level: 1 });
  });

  it('is the same one for the same name', async () => {
    const client = await world.player();
    expect(progress(client)).toBe(progress(client));
  });

  it('gives copies, and keeps none of what it was given', async () => {
    const client = await world.player();
    const value = { items: ['sword'] };
    const keeping = progress(client).set('main', value);
    value.items.push('shield');
    await keeping;
    (progress(client).get('main') as typeof value).items.push('bow');
    (progress(client).entries()[0] as unknown as { value: typeof value }).value.items.push('axe');
    expect(progress(client).get('main')).toEqual({ items: ['sword'] });
  });

  it('orders entries by key', async () => {
    const client = await world.player();
    await progress(client).set('b', {});
    await progress(client).set('a', {});
    expect(
      progress(client)
        .entries()
        .map(({ key }) => key),
    ).toEqual(['a', 'b']);
  });

  it('keeps entries apart whose collection and key read the same together', async () => {
    const client = await world.player();
    await client.profile.collection('a').set('bc', { of: 'a' });
    await client.profile.collection('ab').set('c', { of: 'ab' });
    await client.profile.flush();
    expect(await client.profile.collection('a').load()).toEqual([{ key: 'bc', value: { of: 'a' }, version: 0 }]);
    expect(await client.profile.collection('ab').load()).toEqual([{ key: 'c', value: { of: 'ab' }, version: 0 }]);
  });

  it('takes names and members that JavaScript has a meaning for', async () => {
    const client = await world.player();
    const value = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as { [field: string]: unknown };
    await client.profile.collection('__proto__').set('__proto__', value);
    await client.profile.flush();
    const [entry] = await client.profile.collection('__proto__').load();
    expect(JSON.stringify(entry)).toBe('{"key":"__proto__","value":{"__proto__":{"a":1},"constructor":2},"version":0}');
  });

  it.each(['', '.', '..', 'a\u0000', '\ud800', 'x'.repeat(129)])(
    'throws TypeError for the name or key %j',
    async (name) => {
      const client = await world.player();
      const before = world.sent.length;
      expect(() => client.profile.collection(name)).toThrow(TypeError);
      expect(() => progress(client).set(name, {})).toThrow(TypeError);
      expect(() => progress(client).update(name, () => ({}))).toThrow(TypeError);
      expect(world.sent).toHaveLength(before);
    },
  );

  it.each([[1], [null], ['text'], [[1]], [{ a: Number.NaN }], [{ a: 1n }], [new Date(0)]])(
    'throws TypeError for the value %o',
    async (value) => {
      const client = await world.player();
      expect(() => progress(client).set('main', value as never)).toThrow(TypeError);
      expect(progress(client).get('main')).toBeUndefined();
    },
  );

  it('rejects where nobody is authenticated', async () => {
    const client = await world.player();
    ok(await client.auth.signOut());
    await expect(progress(client).load()).rejects.toMatchObject({ code: 'not_authenticated' });
    await expect(progress(client).set('main', {})).rejects.toMatchObject({ code: 'not_authenticated' });
    await expect(progress(client).update('main', () => ({}))).rejects.toMatchObject({ code: 'not_authenticated' });
  });

  it('shows nothing after a sign-out', async () => {
    const client = await world.player();
    await progress(client).set('main', { level: 1 });
    ok(await client.auth.signOut());
    expect(progress(client).get('main')).toBeUndefined();
    expect(progress(client).entries()).toEqual([]);
  });
});

describe('set', () => {
  it('is there at once, and at the service in the background', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const client = await world.player();
      const kept = progress(client).set('main', { level: 1 });
      expect(progress(client).get('main')).toEqual({ level: 1 });
      expect(client.profile.status).toBe('saving');
      await kept;
      expect(writes()).toEqual([]);
      await vi.advanceTimersByTimeAsync(200);
      await until(() => client.profile.status === 'synced');
      expect(writes()).toEqual([{ version: -1, value: { level: 1 } }]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('creates by -1, and then writes on the version that it knows', async () => {
    const client = await world.player();
    await save(client, { level: 1 });
    await save(client, { level: 2 });
    expect(writes().map(({ version }) => version)).toEqual([-1, 0]);
    expect(progress(client).entries()).toEqual([{ key: 'main', value: { level: 2 }, version: 1 }]);
  });

  it('sends once what was set often in the meantime', async () => {
    const client = await world.player();
    for (let level = 1; level <= 50; level += 1) void progress(client).set('main', { level });
    await client.profile.flush();
    expect(writes()).toEqual([{ version: -1, value: { level: 50 } }]);
  });

  it('sends nothing where nothing has changed', async () => {
    const client = await world.player();
    await save(client, { level: 1, name: 'a' });
    await save(client, { name: 'a', level: 1 });
    expect(writes()).toHaveLength(1);
  });

  it('sends the oldest first', async () => {
    const client = await world.player();
    for (const key of ['b', 'c', 'a']) await progress(client).set(key, {});
    await progress(client).set('b', { again: true });
    await client.profile.flush();
    const keys = world.sent.filter(({ path }) => path.includes('/progress/')).map(({ path }) => path.slice(-1));
    expect(keys).toEqual(['b', 'c', 'a']);
  });

  it('never overwrites what another device wrote meanwhile: that wins, and this one is kept as a snapshot', async () => {
    const [one, two] = await twoDevices();
    await save(one, { level: 1 });
    await progress(two).load();
    await save(one, { level: 2 });
    await save(two, { level: 9 });
    expect(progress(two).get('main')).toEqual({ level: 2 });
    expect(await progress(one).load()).toEqual([{ key: 'main', value: { level: 2 }, version: 1 }]);
    const kept = world.sent.filter(({ path }) => path.endsWith('/snapshots')).map(({ body }) => JSON.parse(body));
    expect(kept).toMatchObject([{ collection: 'progress', key: 'main', value: { level: 9 } }]);
  });

  it('never overwrites what another device created meanwhile', async () => {
    const [one, two] = await twoDevices();
    await save(one, { level: 7 });
    await save(two, { level: 1 });
    expect(progress(two).get('main')).toEqual({ level: 7 });
  });

  it.each([
    ['created', undefined],
    ['written', { level: 1 }],
  ])('is %s once where the answer is lost', async (_, before) => {
    const client = await world.player();
    if (before !== undefined) await save(client, before);
    world.backend.control.fail({ route: 'updateEntry', with: 'lost-answer' });
    await save(client, { level: 2 });
    const version = before === undefined ? 0 : 1;
    expect(await progress(client).load()).toEqual([{ key: 'main', value: { level: 2 }, version }]);
  });

  it('is known for its own after answers that never came, whatever was set since', async () => {
    const client = await world.player();
    await save(client, { level: 1 });
    world.backend.control.fail({ route: 'updateEntry', with: 'lost-answer', times: 3 });
    await expect(save(client, { level: 2 })).rejects.toMatchObject({ code: 'network' });
    await save(client, { level: 3 });
    expect(await progress(client).load()).toEqual([{ key: 'main', value: { level: 3 }, version: 2 }]);
    expect(world.sent.filter(({ path }) => path.endsWith('/snapshots'))).toEqual([]);
  });

  it('stays, and is sent later, where the service cannot be reached', async () => {
    const client = await world.player();
    await save(client, { level: 1 });
    world.backend.control.fail({ with: 'offline', times: 3 });
    await expect(save(client, { level: 2 })).rejects.toMatchObject({ code: 'network' });
    expect(progress(client).get('main')).toEqual({ level: 2 });
    expect(client.profile.status).toBe('offline');
    await client.profile.flush();
    expect(client.profile.status).toBe('synced');
    expect(await progress(client).load()).toEqual([{ key: 'main', value: { level: 2 }, version: 1 }]);
  });

  it('is never sent for another account than the one that it was set in', async () => {
    const client = await world.player();
    await save(client, { level: 1 });
    world.backend.control.fail({ route: 'updateEntry', with: 'slow' });
    await progress(client).set('main', { level: 2 });
    const sending = client.profile.flush();
    await until(() => writes().length === 2);
    await progress(client).set('main', { level: 3 });
    ok(await client.auth.signOut());
    ok(await client.auth.withName('ada', 'correct horse'));
    world.backend.control.release();
    await Promise.allSettled([sending]);
    await client.profile.flush();
    expect(await progress(client).load()).toEqual([]);
    ok(await client.auth.signOut());
    ok(await client.auth.asGuest());
    await client.profile.flush();
    expect((await progress(client).load())[0]?.value).toEqual({ level: 3 });
  });

  it('leaves what the service refuses unsent, says so, and sends the others', async () => {
    const client = await world.player();
    const statuses: string[] = [];
    client.events.on('syncChanged', ({ status }) => statuses.push(status));
    world.backend.control.fail({ route: 'updateEntry', with: { status: 413, code: 'too_large' } });
    await progress(client).set('first', {});
    await progress(client).set('second', {});
    await expect(client.profile.flush()).rejects.toMatchObject({ code: 'too_large' });
    expect(client.profile.status).toBe('conflict');
    await until(() => world.sent.filter(({ path }) => path.endsWith('/second')).length === 1);
    await progress(client).set('first', { smaller: true });
    await client.profile.flush();
    expect(client.profile.status).toBe('synced');
    expect(statuses).toEqual(['saving', 'conflict', 'saving', 'synced']);
  });
});

describe('flush', () => {
  it('can be aborted, and loses nothing by it', async () => {
    const client = await world.player();
    const stop = new AbortController();
    world.backend.control.fail({ route: 'updateEntry', with: 'slow' });
    await progress(client).set('main', {});
    const flushing = client.profile.flush({ signal: stop.signal });
    await until(() => writes().length === 1);
    stop.abort();
    await expect(flushing).rejects.toMatchObject({ code: 'aborted' });
    world.backend.control.release();
    await client.profile.flush();
    expect(await progress(client).load()).toHaveLength(1);
  });

  it('settles after dispose', async () => {
    const client = await world.player();
    await progress(client).set('main', {});
    client.dispose();
    await expect(client.profile.flush()).rejects.toMatchObject({ code: 'aborted' });
  });

  it('waits for its own collection only', async () => {
    const client = await world.player();
    world.backend.control.fail({ route: 'updateEntry', with: { status: 413 } });
    await progress(client).set('main', {});
    await client.profile.collection('other').set('main', {});
    await client.profile.collection('other').flush();
    expect(client.profile.collection('other').status).toBe('synced');
    expect(progress(client).status).toBe('conflict');
  });
});

describe('update', () => {
  const plusOne = (value: { [key: string]: unknown } | undefined) => ({ coins: Number(value?.['coins'] ?? 0) + 1 });

  it('changes again with the fresh value where another device was faster', async () => {
    const [one, two] = await twoDevices();
    await progress(one).update('main', plusOne);
    await one.profile.flush();
    await progress(two).load();
    await progress(one).update('main', plusOne);
    await one.profile.flush();
    expect(await progress(two).update('main', plusOne)).toEqual({ coins: 2 });
    await progress(two).update('main', plusOne);
    await two.profile.flush();
    expect(progress(two).entries()).toEqual([{ key: 'main', value: { coins: 4 }, version: 2 }]);
  });

  it('loses no update of many', async () => {
    const [one, two] = await twoDevices();
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(
        [one, two].map(async (client) => {
          await progress(client).update('main', plusOne);
          await client.profile.flush();
        }),
      );
    }
    expect((await progress(one).load())[0]?.value).toEqual({ coins: 20 });
  });

  it('says so where the change sets the entry itself, and keeps what that has set', async () => {
    const { profile } = await world.player();
    const progress = profile.collection('progress');
    await progress.set('main', { coins: 1 });
    const changed = progress.update('main', (save) => {
      void progress.update('main', (inner) => ({ coins: Number(inner?.['coins']) + 10 }));
      return { coins: Number(save?.['coins']) + 1 };
    });
    await expect(changed).rejects.toThrow(new TypeError('change must not set the entry that it changes'));
    expect(progress.get('main')).toEqual({ coins: 11 });
  });

  it("changes nothing where the game's own change throws", async () => {
    const client = await world.player();
    const mistake = new Error('a bug');
    const change = (): never => {
      throw mistake;
    };
    await expect(progress(client).update('main', change)).rejects.toBe(mistake);
    expect(progress(client).get('main')).toBeUndefined();
    expect(await progress(client).load()).toEqual([]);
  });

  it('gives up in the end, with the mismatch', async () => {
    const client = await world.player();
    await save(client, { coins: 0 });
    world.backend.control.fail({
      route: 'updateEntry',
      times: Number.POSITIVE_INFINITY,
      with: { status: 409, code: 'version_mismatch' },
    });
    await progress(client).update('main', plusOne);
    await expect(client.profile.flush()).rejects.toMatchObject({ code: 'version_mismatch' });
    expect(writes().length).toBeLessThan(5);
    expect(progress(client).get('main')).toEqual({ coins: 1 });
  });
});

describe('a switch of account', () => {
  it('shows what the other account has, before initialized is raised', async () => {
    const { second, conflict } = await meetConflict(world);
    await progress(second).load();
    const seen: unknown[] = [];
    second.events.on('initialized', () => seen.push(progress(second).get('main')));
    await conflict.resolve('cloud');
    expect(seen).toEqual([{ level: 7 }]);
  });

  it('shows nothing of the account before, also where the reload fails', async () => {
    const { second, conflict, owner } = await meetConflict(world);
    await progress(second).load();
    world.backend.control.fail({ route: 'readCollection', with: 'offline', times: 3 });
    expect(ok(await conflict.resolve('cloud')).userId).toBe(owner);
    expect(progress(second).get('main')).toBeUndefined();
    await progress(second).load();
    await save(second, { level: 8 });
    expect(progress(second).entries()).toMatchObject([{ version: 1 }]);
  });

  it('lets no value of the account before land in the other one, and none be seen there', async () => {
    const { second, conflict, first } = await meetConflict(world);
    await progress(second).load();
    world.backend.control.fail({ route: 'readCollection', with: 'slow' });
    const choice = conflict.resolve('cloud');
    await until(() => second.auth.userId === first.auth.userId);
    expect(progress(second).get('main')).toBeUndefined();
    const autosave = progress(second).set('main', { level: 2 });
    await expect(autosave).rejects.toMatchObject({ code: 'aborted' });
    world.backend.control.release();
    ok(await choice);
    expect(progress(second).get('main')).toEqual({ level: 7 });
    await save(second, { level: 8 });
    expect(progress(second).entries()).toMatchObject([{ version: 1 }]);
  });

  it('raises no initialized for an account that was signed out while it was loading', async () => {
    const { second, conflict, first, events } = await meetConflict(world);
    await progress(second).load();
    world.backend.control.fail({ route: 'readCollection', with: 'slow' });
    void conflict.resolve('cloud');
    await until(() => second.auth.userId === first.auth.userId);
    ok(await second.auth.signOut());
    world.backend.control.release();
    await quiet();
    expect(events.filter(([name]) => name === 'initialized')).toEqual([]);
    expect(second.auth.state).toBe('signedOut');
  });

  it("lets no late answer for the account before be taken for the other one's", async () => {
    const client = await world.player();
    await save(client, { level: 1 });
    world.backend.control.fail({ route: 'readCollection', with: 'slow' });
    const loading = progress(client).load();
    const asked = world.sent.length;
    await until(() => world.sent.length > asked);
    ok(await client.auth.signOut());
    ok(await client.auth.withName('ada', 'correct horse'));
    world.backend.control.release();
    await expect(loading).rejects.toMatchObject({
      code: expect.stringMatching(/aborted|not_authenticated|unauthorized/),
    });
    expect(progress(client).entries()).toEqual([]);
  });

  it('has the own copy of each account, also without a network', async () => {
    const client = await world.player();
    await save(client, { level: 1 });
    ok(await client.auth.signOut());
    ok(await client.auth.withName('ada', 'correct horse'));
    await save(client, { level: 5 });
    ok(await client.auth.signOut());
    ok(await client.auth.asGuest());
    expect(progress(client).get('main')).toEqual({ level: 1 });
  });
});

describe('a start without a network', () => {
  it('takes saves, keeps them, and gives them to the first account that comes', async () => {
    const storage = createMemoryStorage();
    world.backend.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });
    const before = world.client({ storage });
    expect(await before.init()).toMatchObject({ success: false, error: { code: 'network' } });
    await progress(before).set('main', { level: 3 });
    await expect(before.profile.flush()).rejects.toMatchObject({ code: 'not_authenticated' });
    expect(before.profile.status).toBe('offline');
    before.dispose();
    const later = world.client({ storage });
    await later.init();
    expect(progress(later).get('main')).toEqual({ level: 3 });
    world.backend.control.restore();
    ok(await later.auth.asGuest());
    expect(progress(later).get('main')).toEqual({ level: 3 });
    await later.profile.flush();
    expect(await progress(later).load()).toEqual([{ key: 'main', value: { level: 3 }, version: 0 }]);
  });

  it('ends by itself once there is one again, where something waits to be sent', async () => {
    const client = world.client();
    world.backend.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });
    await client.init();
    await progress(client).set('main', { level: 3 });
    await expect(client.profile.flush()).rejects.toMatchObject({ code: 'not_authenticated' });
    world.backend.control.restore();
    await client.profile.flush();
    expect(client.auth.state).toBe('guest');
    expect(await progress(client).load()).toEqual([{ key: 'main', value: { level: 3 }, version: 0 }]);
  });
});
