import { describe, expect, it } from 'vitest';
import { createWatched, deepFreeze } from '../../src/client/watched.js';

/** A value that is watched, and changed by the test. */
function watch<T>(first: T) {
  let value = first;
  const reported: unknown[] = [];
  const { watched, changed } = createWatched(
    () => value,
    (error) => void reported.push(error),
  );
  return {
    watched,
    changed,
    reported,
    /** Changes it, and tells nobody yet. */
    put(next: T): void {
      value = next;
    },
    set(next: T): void {
      value = next;
      changed();
    },
  };
}

/** What React's `useSyncExternalStore` does: a component that is rendered again where the snapshot is another one. */
function mount<T>({ subscribe, getSnapshot }: { subscribe(tell: () => void): () => void; getSnapshot(): T }) {
  const rendered: T[] = [getSnapshot()];
  const check = (): void => {
    const snapshot = getSnapshot();
    if (!Object.is(snapshot, getSnapshot())) throw new Error('the snapshot is another one at each call');
    if (!Object.is(snapshot, rendered.at(-1))) rendered.push(snapshot);
  };
  const unmount = subscribe(check);
  check();
  return { rendered, unmount };
}

describe('a watched value', () => {
  it('gives the same snapshot until it changes', () => {
    const { watched, put } = watch({ coins: 1 });
    const first = watched.getSnapshot();
    expect(watched.getSnapshot()).toBe(first);
    put({ coins: 2 });
    expect(watched.getSnapshot()).toEqual({ coins: 2 });
  });

  it('tells a listener at once, and at each change', () => {
    const { watched, set } = watch('a');
    const told: string[] = [];
    watched.subscribe((snapshot) => void told.push(snapshot));
    expect(told).toEqual(['a']);
    set('b');
    set('c');
    expect(told).toEqual(['a', 'b', 'c']);
  });

  it('tells nobody of what is not another value', () => {
    const { watched, set, changed } = watch('a');
    const told: string[] = [];
    watched.subscribe((snapshot) => void told.push(snapshot));
    changed();
    set('a');
    expect(told).toEqual(['a']);
    set('b');
    set('a');
    expect(told).toEqual(['a', 'b', 'a']);
  });

  it('tells nobody whose subscription has ended, and ends only that one', () => {
    const { watched, set } = watch('a');
    const told: string[] = [];
    const listener = (snapshot: string): void => void told.push(snapshot);
    const [end] = [watched.subscribe(listener), watched.subscribe(listener)];
    end();
    end();
    set('b');
    expect(told).toEqual(['a', 'a', 'b']);
  });

  it('can be handed on function by function', () => {
    const { watched, set } = watch('a');
    const { subscribe, getSnapshot } = watched;
    const told: string[] = [];
    const end = subscribe((snapshot) => void told.push(snapshot));
    set('b');
    end();
    expect([told, getSnapshot()]).toEqual([['a', 'b'], 'b']);
  });

  it('refuses a listener that is no function', () => {
    expect(() => watch('a').watched.subscribe(undefined as never)).toThrow(
      new TypeError('listener must be a function'),
    );
  });

  it('reports what a listener throws or rejects with, and tells the others all the same', async () => {
    const { watched, set, reported } = watch('a');
    const told: string[] = [];
    watched.subscribe(() => {
      throw new Error('thrown');
    });
    watched.subscribe(() => Promise.reject(new Error('rejected')));
    watched.subscribe((snapshot) => void told.push(snapshot));
    set('b');
    await Promise.resolve();
    await Promise.resolve();
    expect(told).toEqual(['a', 'b']);
    expect(reported.map((error) => (error as Error).message).sort()).toEqual([
      'rejected',
      'rejected',
      'thrown',
      'thrown',
    ]);
  });

  it('tells every listener of a change, though another subscribes before it is told', () => {
    const { watched, put, changed } = watch('a');
    const told: string[] = [];
    watched.subscribe((snapshot) => void told.push(`one ${snapshot}`));
    put('b');
    watched.subscribe((snapshot) => void told.push(`other ${snapshot}`));
    changed();
    expect(told).toEqual(['one a', 'other b', 'one b']);
  });

  it('tells no listener a value last that is not the last one, though another changes it', () => {
    const { watched, set } = watch(0);
    const told: number[] = [];
    watched.subscribe((snapshot) => {
      if (snapshot === 1) set(2);
    });
    watched.subscribe((snapshot) => void told.push(snapshot));
    set(1);
    expect(told).toEqual([0, 2]);
  });

  it('tells nobody who ends while the others are told', () => {
    const { watched, set } = watch('a');
    const told: string[] = [];
    let endOther = (): void => {};
    watched.subscribe(() => endOther());
    endOther = watched.subscribe((snapshot) => void told.push(snapshot));
    set('b');
    expect(told).toEqual(['a']);
  });

  it('renders a component of React once for each value', () => {
    const { watched, set, put } = watch<{ coins: number } | undefined>(undefined);
    const { rendered, unmount } = mount(watched);
    expect(rendered).toEqual([undefined]);
    set({ coins: 1 });
    set({ coins: 2 });
    put({ coins: 3 });
    const late = mount(watched);
    expect(late.rendered).toEqual([{ coins: 3 }]);
    unmount();
    set({ coins: 4 });
    expect(rendered).toEqual([undefined, { coins: 1 }, { coins: 2 }]);
    expect(late.rendered).toEqual([{ coins: 3 }, { coins: 4 }]);
  });
});

describe('deepFreeze', () => {
  it('freezes a value through and through, and gives the same object', () => {
    const value = { level: 1, stats: { kills: [{ n: 1 }] }, none: null };
    expect(deepFreeze(value)).toBe(value);
    expect(Object.isFrozen(value)).toBe(true);
    expect(() => {
      value.stats.kills.push({ n: 2 });
    }).toThrow(TypeError);
    expect(() => {
      (value.stats.kills[0] as { n: number }).n = 2;
    }).toThrow(TypeError);
  });

  it('gives what is no object as it is', () => {
    for (const value of [undefined, null, 1, 'text', true]) expect(deepFreeze(value)).toBe(value);
  });

  it('freezes what is in an object that a schema has frozen', () => {
    const value = Object.freeze({ stats: { kills: 1 } });
    deepFreeze(value);
    expect(Object.isFrozen(value.stats)).toBe(true);
  });

  it('takes what a schema may make: a circle, and bytes', () => {
    const value: { bytes: Uint8Array; self?: unknown } = { bytes: new Uint8Array([1]) };
    value.self = value;
    expect(deepFreeze(value)).toBe(value);
    expect(Object.isFrozen(value)).toBe(true);
  });
});
