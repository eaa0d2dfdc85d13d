import { createMemoryStore, type Store } from 'savepoint/backend';
import { createSqliteStore } from 'savepoint/backend/sqlite';
import { describe, expect, it } from 'vitest';
import { createPlatformRegistry } from '../../../src/backend/registry/registry.js';
import { createSealer } from '../../../src/backend/registry/sealing.js';
import { storeWith } from '../../../src/backend/stores/store-with.js';
import { platformDefaults } from '../../../src/protocol/gaps/platforms.js';
import { adminOf, here } from '../../support/operators.js';
import { addWave, createServiceWithPlatforms, secret, signInWithSocial, wave } from '../../support/platforms.js';
import { testStart } from '../../support/service.js';

const { platformsLookMs } = platformDefaults;
const token = `ada:${secret}`;
const random = (size: number) => crypto.getRandomValues(new Uint8Array(size));

/** A store that counts how it is looked at, and is silent or fails while it is told to. */
function watched(store: Store) {
  const state = { looks: 0, reads: 0, mode: 'well' as 'well' | 'silent' | 'fails' };
  const as = async <Result>(answer: () => Promise<Result>): Promise<Result> => {
    if (state.mode === 'silent') return new Promise(() => {});
    if (state.mode === 'fails') throw new Error('the database is gone');
    return answer();
  };
  const own = storeWith(store, {
    readPlatformsRevision: (scope) => {
      state.looks += 1;
      return as(() => store.readPlatformsRevision(scope));
    },
    readPlatforms: (scope) => {
      state.reads += 1;
      return as(() => store.readPlatforms(scope));
    },
  });
  return { store: own, state };
}

/** A registry with a clock of its own. */
function createRegistry(store: Store) {
  const clock = { now: testStart };
  const reported: string[] = [];
  const registry = createPlatformRegistry({
    store,
    presets: [wave],
    sealer: createSealer({ sealingKey: 'A'.repeat(43) }, random),
    rules: { allowPrivateAddresses: false },
    surroundings: {},
    now: () => clock.now,
    report: (message) => reported.push(message),
  });
  const names = async () => (await registry.platforms(here)).map(({ record }) => record.name);
  return { registry, clock, reported, names };
}

describe.each([
  ['in memory', async () => createMemoryStore()],
  ['in a file', async () => createSqliteStore({ file: ':memory:' })],
])('two processes on one store %s', (_, open) => {
  it('take up within 5 s what is registered, switched off and removed at the other one', async () => {
    const store = await open();
    const [one, two] = [createServiceWithPlatforms({ store }), createServiceWithPlatforms({ store })];
    const atTwo = async () => (await signInWithSocial(two, token, 'wave')).status;
    expect(await atTwo()).toBe(400);
    await addWave(one);
    two.backend.control.advance(5_000);
    expect(await atTwo()).toBe(200);
    const kept = { ...here, name: 'wave', preset: 'wave', settings: { app: 'one' } };
    await adminOf(one).savePlatform({ ...kept, isOn: false, version: 1 });
    two.backend.control.advance(5_000);
    expect(await atTwo()).toBe(400);
    await adminOf(one).savePlatform({ ...kept, isOn: true, version: 2 });
    two.backend.control.advance(5_000);
    expect(await atTwo()).toBe(200);
    await adminOf(one).removePlatform({ ...here, name: 'wave', version: 3 });
    two.backend.control.advance(5_000);
    expect(await atTwo()).toBe(400);
  });
});

describe('a registry', () => {
  const filled = async () => {
    const store = createMemoryStore();
    const service = createServiceWithPlatforms({ store });
    await addWave(service);
    const kept = watched(store);
    return { service, ...kept, ...createRegistry(kept.store) };
  };

  it('reads once before the first check, however many come at once, and then looks at a number every three seconds', async () => {
    const { names, clock, state } = await filled();
    expect(await Promise.all([names(), names(), names()])).toEqual([['wave'], ['wave'], ['wave']]);
    expect(state).toMatchObject({ looks: 0, reads: 1 });
    clock.now += platformsLookMs - 1;
    await names();
    expect(state.looks).toBe(0);
    clock.now += 1;
    await Promise.all([names(), names()]);
    await names();
    expect(state).toMatchObject({ looks: 1, reads: 1 });
  });

  it('looks again where the clock was set back', async () => {
    const { names, clock, state } = await filled();
    await names();
    clock.now -= 86_400_000;
    await names();
    expect(state.looks).toBe(1);
  });

  it('keeps what is prepared for a platform that did not change, also where it was only sealed anew', async () => {
    const { registry, clock, service } = await filled();
    const [before] = await registry.platforms(here);
    await addWave(service, { name: 'other' });
    const kept = { name: 'wave', preset: 'wave', settings: { app: 'one' }, version: 1 };
    const { version } = await adminOf(service).savePlatform({ ...here, ...kept });
    clock.now += platformsLookMs;
    const after = (await registry.platforms(here)).find(({ record }) => record.name === 'wave');
    expect(after?.record.sealed).not.toBe(before?.record.sealed);
    expect(after?.check).toBe(before?.check);
    await adminOf(service).savePlatform({ ...here, ...kept, settings: { app: 'two' }, version } as never);
    clock.now += platformsLookMs;
    const changed = (await registry.platforms(here)).find(({ record }) => record.name === 'wave');
    expect(changed?.check).not.toBe(before?.check);
  });

  it('goes on with what it knows where the store fails, and takes up what it missed afterwards', async () => {
    const { names, clock, state, service, reported } = await filled();
    await names();
    await addWave(service, { name: 'other' });
    state.mode = 'fails';
    clock.now += platformsLookMs;
    expect(await names()).toEqual(['wave']);
    expect(await names()).toEqual(['wave']);
    expect([state.looks, reported.length]).toEqual([1, 1]);
    state.mode = 'well';
    clock.now += platformsLookMs;
    expect(await names()).toEqual(['other', 'wave']);
  });

  it('lets nobody wait for longer than a second for a store that is silent', async () => {
    const { names, clock, state } = await filled();
    await names();
    state.mode = 'silent';
    clock.now += platformsLookMs;
    expect(await Promise.all([names(), names()])).toEqual([['wave'], ['wave']]);
    expect(await names()).toEqual(['wave']);
    expect(state.looks).toBe(1);
  });

  it('knows nothing before the store has said something, and asks again the next time', async () => {
    const { names, state } = await filled();
    state.mode = 'fails';
    await expect(names()).rejects.toThrow('gone');
    state.mode = 'well';
    expect(await names()).toEqual(['wave']);
  });

  it('is not undone by an answer that comes late', async () => {
    const store = createMemoryStore();
    await addWave(createServiceWithPlatforms({ store }));
    const late: (() => void)[] = [];
    const state = { isSlow: false };
    const slow = storeWith(store, {
      async readPlatforms(scope) {
        const answer = await store.readPlatforms(scope);
        if (state.isSlow) await new Promise<void>((resolve) => late.push(resolve));
        return answer;
      },
    });
    const { registry } = createRegistry(slow);
    await registry.platforms(here);
    state.isSlow = true;
    const first = registry.latest(here);
    while (late.length === 0) await new Promise(setImmediate);
    state.isSlow = false;
    await addWave(createServiceWithPlatforms({ store }), { name: 'other' });
    await registry.latest(here);
    late[0]?.();
    await first;
    expect((await registry.platforms(here)).map(({ record }) => record.name)).toEqual(['other', 'wave']);
  });
});
