import type { Client } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStorage, createWorld, meetConflict, ok, quiet, until, type World } from './world.js';

let world: World;
let storage: ReturnType<typeof createMemoryStorage>;
beforeEach(() => {
  world = createWorld();
  storage = createMemoryStorage();
});
afterEach(() => world.end());

const progress = (client: Client) => client.profile.collection('progress');
const writes = (): { version: number }[] =>
  world.sent
    .filter(({ path }) => path.endsWith('/progress/main'))
    .map(({ body }) => JSON.parse(body) as { version: number });

/** Two clients of one account. */
async function twoDevices(): Promise<[Client, Client]> {
  return [await world.player({ storage }), await world.player({ storage })];
}

describe('a collection', () => {
  it('is empty until it is loaded, and then answers from what was loaded', async () => {
    const [one, two] = await twoDevices();
    await progress(one).set('main', { level: 1 });
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
    await progress(client).set('main', value);
    value.items.push('shield');
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
    },
  );

  it('rejects where nobody is authenticated', async () => {
    const client = await world.player();
    ok(await client.auth.signOut());
    await expect(progress(client).load()).rejects.toMatchObject({ code: 'not_authenticated' });
    await expect(progress(client).set('main', {})).rejects.toMatchObject({ code: 'not_authenticated' });
    await expect(progress(client).update('main', () => ({}))).rejects.toMatchObject({ code: 'not_authenticated' });
  });

  it('is emptied by a sign-out', async () => {
    const client = await world.player();
    await progress(client).set('main', { level: 1 });
    ok(await client.auth.signOut());
    expect(progress(client).get('main')).toBeUndefined();
  });
});

describe('set', () => {
  it('loads first, creates by -1, and then writes on the version that it knows', async () => {
    const client = await world.player();
    expect(await progress(client).set('main', { level: 1 })).toEqual({ key: 'main', value: { level: 1 }, version: 0 });
    expect(await progress(client).set('main', { level: 2 })).toMatchObject({ version: 1 });
    expect(writes().map(({ version }) => version)).toEqual([-1, 0]);
    expect(world.sent.filter(({ path }) => path.endsWith('/progress'))).toHaveLength(1);
  });

  it('never overwrites what another device wrote meanwhile', async () => {
    const [one, two] = await twoDevices();
    await progress(one).set('main', { level: 1 });
    await progress(two).load();
    await progress(one).set('main', { level: 2 });
    await expect(progress(two).set('main', { level: 9 })).rejects.toMatchObject({
      code: 'version_mismatch',
      currentVersion: 1,
      currentValue: { level: 2 },
    });
    expect((await progress(one).load())[0]?.value).toEqual({ level: 2 });
    await progress(two).load();
    expect(await progress(two).set('main', { level: 9 })).toMatchObject({ version: 2 });
  });

  it('never overwrites what another device created meanwhile', async () => {
    const [one, two] = await twoDevices();
    await progress(two).load();
    await progress(one).set('main', { level: 7 });
    await expect(progress(two).set('main', { level: 1 })).rejects.toMatchObject({ code: 'version_mismatch' });
    expect(await progress(two).update('main', (save) => ({ ...save, coins: 3 }))).toEqual({
      key: 'main',
      value: { level: 7, coins: 3 },
      version: 1,
    });
  });

  it('creates once where the answer is lost', async () => {
    const client = await world.player();
    world.backend.control.fail({ route: 'playerEntry', with: 'lost-answer' });
    expect(await progress(client).set('main', { level: 1 })).toMatchObject({ version: 0 });
    expect(await progress(client).load()).toEqual([{ key: 'main', value: { level: 1 }, version: 0 }]);
  });

  it('goes in turn with other writes of this client', async () => {
    const client = await world.player();
    const results = await Promise.all([1, 2, 3].map((level) => progress(client).set('main', { level })));
    expect(results.map(({ version }) => version)).toEqual([0, 1, 2]);
  });

  it('is not doubled by a lost answer', async () => {
    const client = await world.player();
    await progress(client).set('main', { level: 1 });
    world.backend.control.fail({ route: 'playerEntry', with: 'lost-answer' });
    expect(await progress(client).set('main', { level: 2 })).toMatchObject({ version: 1 });
    expect(await progress(client).load()).toEqual([{ key: 'main', value: { level: 2 }, version: 1 }]);
  });

  it('leaves what is known as it was where it fails', async () => {
    const client = await world.player();
    await progress(client).set('main', { level: 1 });
    world.backend.control.fail({ with: 'offline', times: 3 });
    await expect(progress(client).set('main', { level: 2 })).rejects.toMatchObject({ code: 'network' });
    expect(progress(client).get('main')).toEqual({ level: 1 });
    expect(await progress(client).set('main', { level: 3 })).toMatchObject({ version: 1 });
  });

  it('is never sent for another account than the one it was asked for', async () => {
    const client = await world.player();
    const guestId = client.auth.userId;
    await progress(client).set('main', { level: 1 });
    world.backend.control.fail({ route: 'playerEntry', with: 'slow' });
    const running = progress(client).set('main', { level: 2 });
    const waiting = progress(client).set('main', { level: 3 });
    await until(() => writes().length === 2);
    ok(await client.auth.signOut());
    ok(await client.auth.withName('ada', 'correct horse'));
    world.backend.control.release();
    await Promise.allSettled([running]);
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    expect(client.auth.userId).not.toBe(guestId);
    expect(await progress(client).load()).toEqual([]);
  });

  it('can be aborted', async () => {
    const client = await world.player();
    const stop = new AbortController();
    world.backend.control.fail({ route: 'playerCollection', with: 'slow' });
    const running = progress(client).set('main', {}, { signal: stop.signal });
    await until(() => world.sent.some(({ path }) => path.endsWith('/progress')));
    stop.abort();
    await expect(running).rejects.toMatchObject({ code: 'aborted' });
    expect(await progress(client).set('main', {})).toMatchObject({ version: 0 });
  });
});

describe('update', () => {
  const plusOne = (value: { [key: string]: unknown } | undefined) => ({ coins: Number(value?.['coins'] ?? 0) + 1 });

  it('changes again with the fresh value where another device was faster', async () => {
    const [one, two] = await twoDevices();
    await progress(one).update('main', plusOne);
    await progress(two).load();
    await progress(one).update('main', plusOne);
    expect(await progress(two).update('main', plusOne)).toEqual({ key: 'main', value: { coins: 3 }, version: 2 });
    expect(progress(two).get('main')).toEqual({ coins: 3 });
  });

  it('loses no update of many', async () => {
    const [one, two] = await twoDevices();
    await progress(one).update('main', plusOne);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => progress(index % 2 ? one : two).update('main', plusOne)),
    );
    expect((await progress(one).load())[0]).toMatchObject({ value: { coins: 21 }, version: 20 });
  });

  it("changes nothing where the game's own change throws", async () => {
    const client = await world.player();
    const mistake = new Error('a bug');
    const change = (): never => {
      throw mistake;
    };
    await expect(progress(client).update('main', change)).rejects.toBe(mistake);
    expect(await progress(client).load()).toEqual([]);
  });

  it('gives up in the end, with the mismatch', async () => {
    const client = await world.player();
    await progress(client).set('main', { coins: 0 });
    world.backend.control.fail({
      route: 'playerEntry',
      times: Number.POSITIVE_INFINITY,
      with: { status: 409, code: 'version_mismatch' },
    });
    await expect(progress(client).update('main', plusOne)).rejects.toMatchObject({ code: 'version_mismatch' });
    expect(writes().length).toBeLessThan(50);
  });
});

describe('a switch of account', () => {
  it('reloads what was loaded, before initialized is raised', async () => {
    const { second, conflict } = await meetConflict(world);
    const seen: unknown[] = [];
    second.events.on('initialized', () => seen.push(progress(second).get('main')));
    await conflict.resolve('cloud');
    expect(seen).toEqual([{ level: 7 }]);
  });

  it('shows nothing of the account before, also where the reload fails', async () => {
    const { second, conflict, owner } = await meetConflict(world);
    world.backend.control.fail({ route: 'playerCollection', with: 'offline', times: 3 });
    expect(ok(await conflict.resolve('cloud')).userId).toBe(owner);
    expect(progress(second).get('main')).toBeUndefined();
    expect(await progress(second).set('main', { level: 8 })).toMatchObject({ version: 1 });
  });

  it('lets no value of the account before land in the other one, and none be seen there', async () => {
    const { second, conflict, first } = await meetConflict(world);
    world.backend.control.fail({ route: 'playerCollection', with: 'slow' });
    const choice = conflict.resolve('cloud');
    await until(() => second.auth.userId === first.auth.userId);
    expect(progress(second).get('main')).toBeUndefined();
    const autosave = progress(second).set('main', { level: 2 });
    await expect(autosave).rejects.toMatchObject({ code: 'aborted' });
    world.backend.control.release();
    ok(await choice);
    expect(progress(second).get('main')).toEqual({ level: 7 });
    expect(await progress(second).set('main', { level: 8 })).toMatchObject({ version: 1 });
  });

  it('raises no initialized for an account that was signed out while it was loading', async () => {
    const { second, conflict, first, events } = await meetConflict(world);
    world.backend.control.fail({ route: 'playerCollection', with: 'slow' });
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
    await progress(client).set('main', { level: 1 });
    world.backend.control.fail({ route: 'playerCollection', with: 'slow' });
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

  it('loads again what was loaded before a sign-out', async () => {
    const client = await world.player();
    await progress(client).set('main', { level: 1 });
    ok(await client.auth.signOut());
    ok(await client.auth.asGuest());
    expect(progress(client).get('main')).toEqual({ level: 1 });
  });
});
