import { describe, expect, it, vi } from 'vitest';
import { createConcurrencyLimit } from '../../src/backend/concurrency-limit.js';
import { lineOf } from '../../src/backend/household.js';

/** Tasks by name: each starts when its turn comes, and ends when the test says so. */
function tasks(options: Parameters<typeof createConcurrencyLimit>[0]) {
  const limit = createConcurrencyLimit(options);
  const running = new Map<string, () => void>();
  const started: string[] = [];
  const ended = new Map<string, Promise<string>>();
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    started,
    ended: (name: string) => ended.get(name),
    async ask(name: string, address?: string, signal?: AbortSignal) {
      const run = limit({ line: lineOf(address), signal }, async () => {
        started.push(name);
        await new Promise<void>((resolve) => running.set(name, resolve));
        return 'done';
      });
      ended.set(
        name,
        run.catch(({ code, details }) => [code, details.limitName].filter(Boolean).join(': ')),
      );
      await settle();
    },
    async end(name: string) {
      running.get(name)?.();
      running.delete(name);
      await settle();
    },
  };
}

describe('a concurrency limit', () => {
  it('runs so many at once, and the others when one ends', async () => {
    const { ask, end, started, ended } = tasks({ atOnce: 2, waiting: 5 });
    for (const name of ['a', 'b', 'c', 'd']) await ask(name);
    expect(started).toEqual(['a', 'b']);
    await end('b');
    expect(started).toEqual(['a', 'b', 'c']);
    expect(await ended('b')).toBe('done');
    for (const name of ['a', 'c', 'd']) await end(name);
    await ask('e');
    await ask('f');
    expect(started).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('gives the place of a task that goes on without its turn to one other, and to none more when it ends', async () => {
    const limit = createConcurrencyLimit({ atOnce: 1, waiting: 5 });
    const who = { line: undefined };
    let end = (): void => {};
    const first = limit(who, (endTurn) => {
      endTurn();
      endTurn();
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    const second = limit(who, () => new Promise<void>(() => {}));
    second.catch(() => {});
    expect(limit.load()).toEqual({ running: 1, waiting: 0 });
    end();
    await first;
    expect(limit.load()).toEqual({ running: 1, waiting: 0 });
  });

  it('lets addresses take turns, whoever has more tasks', async () => {
    const { ask, end, started } = tasks({ atOnce: 1, waiting: 10 });
    for (const name of ['x1', 'x2', 'x3', 'x4']) await ask(name, '192.0.2.1');
    await ask('y1', '192.0.2.2');
    await ask('z1', '192.0.2.3');
    for (const name of ['x1', 'x2', 'y1', 'z1', 'x3']) await end(name);
    expect(started).toEqual(['x1', 'x2', 'y1', 'z1', 'x3', 'x4']);
  });

  it('gives one address only some of the places, and a household of IPv6 is one', async () => {
    const { ask, end, started } = tasks({ atOnce: 3, atOncePerLine: 2, waiting: 10 });
    for (const name of ['x1', 'x2', 'x3']) await ask(name, `2001:db8::${name.slice(1)}`);
    await ask('y1', '192.0.2.2');
    expect(started).toEqual(['x1', 'x2', 'y1']);
    await end('y1');
    expect(started).toEqual(['x1', 'x2', 'y1']);
    await end('x1');
    expect(started).toEqual(['x1', 'x2', 'y1', 'x3']);
    for (const name of ['u1', 'u2', 'u3']) await ask(name);
    await end('x2');
    await end('x3');
    expect(started.slice(4)).toEqual(['u1', 'u2', 'u3']);
  });

  it('refuses the last of the longest line where too many wait', async () => {
    const { ask, end, started, ended } = tasks({ atOnce: 1, waiting: 3 });
    for (const name of ['x1', 'x2', 'x3', 'x4', 'x5']) await ask(name, '192.0.2.1');
    expect(await ended('x5')).toBe('unavailable');
    await ask('y1', '192.0.2.2');
    expect(await ended('x4')).toBe('unavailable');
    // Both have as many now: the one who comes is refused.
    await ask('y2', '192.0.2.2');
    expect(await ended('y2')).toBe('unavailable');
    for (const name of ['x1', 'x2', 'y1', 'x3']) await end(name);
    expect(started).toEqual(['x1', 'x2', 'y1', 'x3']);
  });

  it('runs nothing for whoever has left, and gives the place to another', async () => {
    const { ask, end, started, ended } = tasks({ atOnce: 1, waiting: 1, names: { waiting: 'checksWaiting' } });
    const leave = new AbortController();
    await ask('a', '192.0.2.1');
    await ask('b', '192.0.2.1', leave.signal);
    leave.abort();
    expect(await ended('b')).toBe('unavailable');
    await ask('gone', '192.0.2.1', leave.signal);
    expect(await ended('gone')).toBe('unavailable');
    await ask('c', '192.0.2.1');
    await end('a');
    expect(started).toEqual(['a', 'c']);
    await end('c');
    expect(await ended('c')).toBe('done');
  });

  it('refuses whoever has waited for too long, and nobody whose turn has come', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const names = { waiting: 'checksWaiting', waitMs: 'wholeReadsWaitMs' } as const;
      const { ask, end, started, ended } = tasks({ atOnce: 1, waiting: 5, waitMs: 10_000, names });
      await ask('a');
      await ask('b');
      vi.advanceTimersByTime(9_999);
      await end('a');
      await ask('c');
      vi.advanceTimersByTime(9_999);
      expect(started).toEqual(['a', 'b']);
      vi.advanceTimersByTime(1);
      expect(await ended('c')).toBe('unavailable: wholeReadsWaitMs');
      await end('b');
      expect([await ended('b'), started]).toEqual(['done', ['a', 'b']]);
      await ask('d');
      expect(started).toEqual(['a', 'b', 'd']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('goes on after a task that fails', async () => {
    const limit = createConcurrencyLimit({ atOnce: 1, waiting: 1 });
    const fail = limit({ line: undefined }, () => Promise.reject(new Error('broken')));
    const next = limit({ line: undefined }, async () => 'done');
    await expect(fail).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });
});
