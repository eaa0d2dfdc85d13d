import type { Client, SyncStatus } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { composeClient } from '../../../src/client/create-client.js';
import { homeKeys } from '../../../src/client/storage/home-keys.js';
import { createMemoryStorage, createWorld, holdTime, ok, pass, quiet, until, type World } from '../world.js';

let world: World;
beforeEach(() => {
  holdTime();
  world = createWorld();
});
afterEach(() => {
  world.end();
  vi.useRealTimers();
});

const progress = (client: Client) => client.profile.collection('progress');
const writes = () => world.sent.filter(({ path }) => path.includes('/progress/'));
const offline = (): void => world.backend.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });

/** A client whose page can come back to life. */
async function wakeable(): Promise<{ client: Client; wake(): void }> {
  let wake = (): void => {};
  const client = composeClient(world.config(), {
    ...world.platform,
    tabs: () => ({
      listen: (handlers) => {
        wake = handlers.wake;
      },
      notify: () => {},
      pause: () => {},
      close: () => {},
    }),
  });
  await client.init();
  return { client, wake: () => wake() };
}

describe('the outbox', () => {
  it('tries again later and later, and then goes on as before', async () => {
    const client = await world.player();
    offline();
    await progress(client).set('main', { level: 1 });
    const times: number[] = [];
    const start = Date.now();
    let seen = 0;
    while (Date.now() - start < 400_000) {
      await pass(500);
      if (writes().length > seen) times.push(Date.now() - start);
      seen = writes().length;
    }
    const pauses = times.slice(1).map((time, index) => time - (times[index] as number));
    expect(pauses.slice(0, 3)).toEqual([...pauses.slice(0, 3)].sort((left, right) => left - right));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(60_500);
    expect(pauses.length).toBeLessThan(16);
    world.backend.control.restore();
    await pass(61_000);
    expect(client.profile.status).toBe('synced');
    expect((await progress(client).load())[0]?.value).toEqual({ level: 1 });
  });

  it('tries again in time where the clock of the device is put back', async () => {
    const client = await world.player();
    world.backend.control.fail({ route: 'updateEntry', with: { status: 500 }, times: Number.POSITIVE_INFINITY });
    await progress(client).set('main', { level: 1 });
    await pass(5_000);
    world.backend.control.restore();
    vi.setSystemTime(Date.now() - 3_600_000);
    await pass(61_000);
    expect(client.profile.status).toBe('synced');
  });

  it('tries at once where the page comes back to life, or the network does', async () => {
    const { client, wake } = await wakeable();
    offline();
    await progress(client).set('main', { level: 1 });
    await pass(5_000);
    expect(client.profile.status).toBe('offline');
    world.backend.control.restore();
    wake();
    await quiet();
    expect(client.profile.status).toBe('synced');
    client.dispose();
  });

  it.each([40, 3_600])('waits as long as the service asks for: %i s', async (retryAfter) => {
    const client = await world.player();
    await progress(client).set('main', { level: 1 });
    world.backend.control.fail({ route: 'updateEntry', with: { status: 503, retryAfter } });
    await expect(client.profile.flush()).rejects.toMatchObject({ code: 'unavailable' });
    const asked = writes().length;
    await pass((retryAfter - 1) * 1_000);
    expect(writes()).toHaveLength(asked);
    await pass(5_000);
    expect(client.profile.status).toBe('synced');
  });

  it('says how the saves stand, each time that changes', async () => {
    const client = await world.player();
    const statuses: SyncStatus[] = [];
    client.events.on('syncChanged', ({ status, previous }) => {
      expect(previous).toBe(statuses.at(-1) ?? 'synced');
      statuses.push(status);
    });
    offline();
    for (const key of ['a', 'b', 'c']) void progress(client).set(key, {});
    await pass(300);
    world.backend.control.restore();
    await pass(3_000);
    await progress(client).set('a', { again: true });
    await pass(300);
    expect(statuses).toEqual(['saving', 'offline', 'saving', 'synced', 'saving', 'synced']);
    expect(client.profile.status).toBe('synced');
  });

  it('says how the saves of a collection stand, though another one has trouble all the while', async () => {
    const client = await world.player();
    world.backend.control.fail({ route: 'updateEntry', with: { status: 413, code: 'too_large' } });
    await progress(client).set('main', { level: 1 });
    await pass(1_000);
    expect(client.profile.status).toBe('conflict');
    const told: SyncStatus[] = [];
    const settings = client.profile.collection('settings');
    const end = settings.watchStatus().subscribe((status) => void told.push(status));
    expect(settings.watchStatus()).toBe(settings.watchStatus());
    await settings.set('main', { volume: 1 });
    await pass(1_000);
    expect(told).toEqual(['synced', 'saving', 'synced']);
    expect(client.profile.status).toBe('conflict');
    end();
    await settings.set('main', { volume: 2 });
    await pass(1_000);
    expect(told).toHaveLength(3);
  });

  it('keeps for an account what it had not sent at the sign-out, and says how much', async () => {
    const storage = createMemoryStorage();
    const client = await world.player({ storage });
    offline();
    await progress(client).set('one', { level: 1 });
    await progress(client).set('two', { level: 2 });
    expect(ok(await client.auth.signOut())).toMatchObject({ unsent: 2 });
    world.backend.control.restore();
    ok(await client.auth.withName('ada', 'correct horse'));
    await client.profile.flush();
    expect(await progress(client).load()).toEqual([]);
    ok(await client.auth.signOut());
    ok(await client.auth.asGuest());
    await client.profile.flush();
    expect(await progress(client).load()).toHaveLength(2);
  });

  it('takes in what waited for an entry, once that is sent', async () => {
    const storage = createMemoryStorage();
    const first = await world.player({ storage });
    offline();
    await progress(first).update('main', () => ({ coins: 2 }));
    first.dispose();
    // A page that is gone had updated the entry before it knew who plays.
    const key = homeKeys(world.service.gameId, 0).entries(null);
    const local = { id: 'early', value: { coins: 1 }, isUpdate: true };
    storage.values.set(key, JSON.stringify(['progress\nmain']));
    storage.values.set(`${key}progress\nmain`, JSON.stringify({ version: -1, local, by: 'gone', since: 0 }));
    world.backend.control.restore();
    const next = world.client({ storage });
    next.profile.collection<{ coins: number }>('progress', {
      onConflict: (sides) => ({ coins: sides.local.coins + sides.cloud.coins }),
    });
    ok(await next.init());
    // One write after the other, and what the merge of both has made.
    for (let round = 0; round < 6; round += 1) await pass(1_000);
    expect(progress(next).get('main')).toEqual({ coins: 3 });
    expect((await progress(next).load())[0]?.value).toEqual({ coins: 3 });
  });

  it('sends nothing more after dispose, and the next client does', async () => {
    const storage = createMemoryStorage();
    const client = await world.player({ storage });
    await progress(client).set('main', { level: 1 });
    client.dispose();
    await pass(60_000);
    expect(writes()).toEqual([]);
    const next = await world.player({ storage });
    await until(() => next.profile.status === 'synced');
    expect(writes()).toHaveLength(1);
  });

  it('forgets the trouble with an entry that another tab has sent, and has nothing more to do', async () => {
    const storage = createMemoryStorage();
    const [failing, sending] = [await world.player({ storage }), await world.player({ storage })];
    world.backend.control.fail({ route: 'updateEntry', with: { status: 500 }, times: Number.POSITIVE_INFINITY });
    await progress(failing).set('main', { level: 1 });
    await expect(failing.profile.flush()).rejects.toMatchObject({ code: 'internal' });
    expect(progress(failing).held()).toHaveLength(1);
    world.backend.control.restore();
    await sending.profile.flush();
    await pass(120_000);
    expect(progress(failing).held()).toEqual([]);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await quiet();
    expect(timers).not.toHaveBeenCalled();
  });
});
