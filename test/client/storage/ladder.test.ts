import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLadder } from '../../../src/client/storage/ladder.js';
import { rungsFor } from '../../../src/client/storage/rungs.js';
import type { Rung, StorageName } from '../../../src/client/storage/storage-port.js';
import { createMemoryStorage, createWorld, ok, record, type World } from '../world.js';

const key = 'savepoint:session';
const full = (): never => {
  throw new DOMException('full', 'QuotaExceededError');
};

/** A storage whose parts can be made to fail. */
function createFailing(values = new Map<string, string>()) {
  const inner = createMemoryStorage(values);
  return {
    ...inner,
    getItem: vi.fn(inner.getItem),
    setItem: vi.fn(inner.setItem),
    removeItem: vi.fn(inner.removeItem),
  };
}

/** One after the other, as a platform's lock does it. */
let queue: Promise<unknown> = Promise.resolve();
function lock<T>(_: string, task: () => Promise<T>): Promise<T> {
  const mine = queue.then(task, task);
  queue = mine;
  return mine;
}

type Failing = ReturnType<typeof createFailing>;

function createSteps(upper: Failing | (() => never), lower?: Failing) {
  const steps: { from: StorageName; to: StorageName }[] = [];
  const memory = createMemoryStorage();
  const rungs: Rung[] = [
    { name: 'localStorage', open: typeof upper === 'function' ? upper : () => upper },
    ...(lower === undefined ? [] : [{ name: 'indexedDB', open: () => Promise.resolve(lower) } as Rung]),
    { name: 'memory', open: () => memory },
  ];
  return { steps, memory, open: () => createLadder(rungs, lock, (step) => void steps.push(step)) };
}

describe('the ladder', () => {
  it('stands on the first rung that takes a write, and leaves no trace of the probe', async () => {
    const upper = createFailing();
    const { open, steps } = createSteps(upper);
    await open().setItem(key, 'a');
    expect([...upper.values]).toEqual([[key, 'a']]);
    expect(steps).toEqual([]);
  });

  it('steps over a rung that cannot even be reached, and says so once', async () => {
    const lower = createFailing();
    const { open, steps } = createSteps(full, lower);
    const ladder = open();
    await Promise.all([ladder.setItem(key, 'a'), ladder.getItem(key)]);
    expect(await ladder.getItem(key)).toBe('a');
    expect(lower.values.get(key)).toBe('a');
    expect(steps).toEqual([{ from: 'localStorage', to: 'indexedDB' }]);
  });

  it('steps down at a write that fails later, with what it knows, and leaves nothing stale behind', async () => {
    const upper = createFailing();
    const lower = createFailing();
    const { open, steps } = createSteps(upper, lower);
    const ladder = open();
    await ladder.setItem(key, 'old');
    upper.setItem.mockImplementation(full);
    await ladder.setItem(key, 'new');
    expect(await ladder.getItem(key)).toBe('new');
    expect(lower.values.get(key)).toBe('new');
    expect(upper.values.size).toBe(0);
    expect(steps).toEqual([{ from: 'localStorage', to: 'indexedDB' }]);
  });

  it('keeps what a storage holds that is full from the start', async () => {
    const upper = createFailing(new Map([[key, 'kept']]));
    upper.setItem.mockImplementation(full);
    const lower = createFailing();
    const { open } = createSteps(upper, lower);
    expect(await open().getItem(key)).toBe('kept');
    expect(lower.values.get(key)).toBe('kept');
  });

  it('finds after a restart what it had put lower, and brings it back up', async () => {
    const upper = createFailing();
    const lower = createFailing(new Map([[key, 'from below']]));
    const { open } = createSteps(upper, lower);
    expect(await open().getItem(key)).toBe('from below');
    expect(upper.values.get(key)).toBe('from below');
    expect(lower.values.size).toBe(0);
  });

  it('goes on in memory where nothing else works', async () => {
    const lower = createFailing();
    lower.setItem.mockImplementation(full);
    const { open, steps, memory } = createSteps(full, lower);
    const ladder = open();
    await ladder.setItem(key, 'a');
    expect(await ladder.getItem(key)).toBe('a');
    expect(memory.values.get(key)).toBe('a');
    expect(steps).toEqual([{ from: 'localStorage', to: 'memory' }]);
  });

  it('gives what it knows where a read fails later', async () => {
    const upper = createFailing();
    const { open, steps } = createSteps(upper);
    const ladder = open();
    await ladder.setItem(key, 'a');
    upper.getItem.mockImplementation(full);
    expect(await ladder.getItem(key)).toBe('a');
    expect(steps).toEqual([{ from: 'localStorage', to: 'memory' }]);
  });

  it('does not wait for a storage that never answers', async () => {
    vi.useFakeTimers();
    try {
      const upper = createFailing();
      upper.setItem.mockImplementation(() => new Promise(() => {}) as never);
      const { open, steps } = createSteps(upper);
      const writing = open().setItem(key, 'a');
      await vi.advanceTimersByTimeAsync(5_000);
      await writing;
      expect(steps).toEqual([{ from: 'localStorage', to: 'memory' }]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the rungs', () => {
  it('are memory alone in Node, whatever localStorage Node has', () => {
    vi.stubGlobal('localStorage', createMemoryStorage());
    expect(rungsFor(undefined, 'localStorage').map(({ name }) => name)).toEqual(['memory']);
    vi.unstubAllGlobals();
  });

  it('are the given storage and memory, never a storage that could belong to another player', () => {
    expect(rungsFor(createMemoryStorage(), 'indexedDB').map(({ name }) => name)).toEqual(['custom', 'memory']);
  });
});

describe('a client whose storage fails', () => {
  let world: World;
  beforeEach(() => {
    world = createWorld();
  });
  afterEach(() => world.end());

  it('goes on, and raises storageDegraded', async () => {
    const storage = createFailing();
    const client = world.client({ storage });
    const events = record(client, 'storageDegraded');
    await client.init();
    storage.setItem.mockImplementation(full);
    expect(ok(await client.auth.withName('ada', 'correct horse')).userId).toBe(client.auth.userId);
    expect(events).toEqual([['storageDegraded', { from: 'custom', to: 'memory' }]]);
    expect(client.auth.state).toBe('linked');
  });

  it('starts where every access throws', async () => {
    const client = world.client({ storage: { getItem: full, setItem: full, removeItem: full } });
    expect(ok(await client.init()).userId).toBeTruthy();
  });

  it('works with one that answers later', async () => {
    const values = new Map<string, string>();
    const storage = {
      getItem: async (name: string) => values.get(name),
      setItem: async (name: string, value: string) => void values.set(name, value),
      removeItem: async (name: string) => void values.delete(name),
    };
    const [one, two] = await Promise.all([world.player({ storage }), world.player({ storage })]);
    expect(one.auth.userId).toBe(two.auth.userId);
  });
});
