import type { Client, StoragePort } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMemoryStorage, createWorld, holdTime, ok, pass, quiet, type World } from '../world.js';

/** What random attacks on the public interface have found, each as its smallest case. */

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

/** A storage that takes its time, so that other things happen between any two of its answers. */
function createTurningStorage(): StoragePort {
  const { values } = createMemoryStorage();
  const answer = async <T>(act: () => T): Promise<T> => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return act();
  };
  return {
    getItem: (key) => answer(() => values.get(key)),
    setItem: (key, value) => answer(() => void values.set(key, value)),
    removeItem: (key) => answer(() => void values.delete(key)),
  };
}

describe('what is set before there is an account', () => {
  it('holds up no sign-in that is called while the first one is still under way', async () => {
    world.backend.control.fail({ with: 'slow' });
    const client = world.client();
    const ready = client.init();
    await progress(client).set('main', { level: 1 });
    const linked = client.auth.withName('ada', 'correct horse');
    // The round that sends it begins meanwhile.
    await pass(1_000);
    world.backend.control.release();
    await ready;
    await quiet();
    expect(client.auth.state).toBe('linked');
    ok(await linked);
    await client.profile.flush();
    expect(progress(client).entries()).toEqual([{ key: 'main', value: { level: 1 }, version: 0 }]);
  });

  it('is seen, and goes before what is set later, while an account takes it over', async () => {
    for (let turns = 0; turns < 60; turns += 1) {
      const client = world.client({ storage: createTurningStorage() });
      const ready = client.init();
      await progress(client).set('main', { level: 1 });
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect([turns, progress(client).get('main')]).toEqual([turns, { level: 1 }]);
      await progress(client).set('main', { level: 2 });
      await ready;
      await client.profile.flush();
      await progress(client).load();
      expect([turns, progress(client).get('main')]).toEqual([turns, { level: 2 }]);
      client.dispose();
    }
  });

  it('is never said to be synced before the service has it', async () => {
    let isSaved = false;
    const fetch = async (request: Request): Promise<Response> => {
      const answer = await world.backend.fetch(request);
      isSaved ||= request.method !== 'GET' && request.url.includes('/progress/');
      return answer;
    };
    const client = world.client({ storage: createTurningStorage(), fetch });
    const ready = client.init();
    await progress(client).set('main', { level: 1 });
    const told = new Set<string>();
    for (let turn = 0; turn < 400; turn += 1) {
      if (!isSaved) told.add(client.profile.status);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await ready;
    await client.profile.flush();
    expect([isSaved, told.has('synced')]).toEqual([true, false]);
  });

  /** A storage that takes nothing of some entries until it is let. */
  function createFullStorage(refused: string[]) {
    const { values: _, ...storage } = createMemoryStorage();
    const setItem = (key: string, value: string): unknown => {
      if (refused.some((name) => key.endsWith(name))) throw new Error('full');
      return storage.setItem(key, value);
    };
    return { ...storage, setItem } as StoragePort;
  }

  it('is seen in no other account than the one that came, though the device could not store it', async () => {
    const refused = ['main'];
    const client = world.client({ storage: createFullStorage(refused) });
    const ready = client.init();
    void progress(client).set('main', { level: 1 });
    await ready;
    await pass(500);
    expect(progress(client).get('main')).toEqual({ level: 1 });
    await client.account.delete();
    await pass(500);
    expect([progress(client).get('main'), progress(client).entries()]).toEqual([undefined, []]);
    ok(await client.auth.withName('bob', 'correct horse'));
    expect(progress(client).get('main')).toBeUndefined();
    refused.pop();
    await pass(30_000);
    await client.profile.flush();
    expect(await progress(client).load()).toEqual([]);
  });

  it('is given to no other account than the one that came, though the device could not store that it is that one’s', async () => {
    const other = await world.player();
    ok(await other.auth.withName('bob', 'correct horse'));
    const refused: string[] = [];
    const client = world.client({ storage: createFullStorage(refused) });
    const ready = client.init();
    await progress(client).set('main', { level: 1 });
    refused.push('main');
    await ready;
    ok(await client.auth.withName('ada', 'correct horse'));
    ok(await client.auth.switchTo({ method: 'name', username: 'bob', password: 'correct horse' }));
    refused.pop();
    await pass(30_000);
    await client.profile.flush();
    expect([progress(client).get('main'), await progress(client).load()]).toEqual([undefined, []]);
    ok(await client.auth.switchTo({ method: 'name', username: 'ada', password: 'correct horse' }));
    await pass(1_000);
    await client.profile.flush();
    expect(await progress(client).load()).toMatchObject([{ value: { level: 1 } }]);
  });

  it('is given to no other account than the one that came, though that was left before the device could store it', async () => {
    const other = await world.player();
    ok(await other.auth.withName('bob', 'correct horse'));
    const refused = ['other', 'main'];
    const client = world.client({ storage: createFullStorage(refused) });
    const ready = client.init();
    void progress(client).set('main', { level: 1 });
    await ready;
    ok(await client.auth.withName('ada', 'correct horse'));
    void progress(client).set('other', { level: 2 });
    await pass(500);
    ok(await client.auth.switchTo({ method: 'name', username: 'bob', password: 'correct horse' }));
    while (refused.length > 0) {
      refused.pop();
      await pass(30_000);
    }
    await client.profile.flush();
    expect(await progress(client).load()).toEqual([]);
    ok(await client.auth.switchTo({ method: 'name', username: 'ada', password: 'correct horse' }));
    await pass(1_000);
    await client.profile.flush();
    expect(await progress(client).load()).toMatchObject([{ value: { level: 1 } }, { value: { level: 2 } }]);
  });
});
