import { afterEach, describe, expect, it, vi } from 'vitest';
import { withLock } from '../../../src/client/platform/locks.js';
import { holdTime, pass, quiet } from '../world.js';

/** A browser's Web Locks for one test. */
function stubLocks(request: (name: string, options: LockOptions, task: () => Promise<unknown>) => unknown): void {
  vi.stubGlobal('navigator', { locks: { request } });
}

/** Runs two tasks under one name, and says in which order they began and ended. */
async function runTwo(): Promise<string[]> {
  const order: string[] = [];
  const task = (name: string) => async () => {
    order.push(`${name} begins`);
    await new Promise(setImmediate);
    order.push(`${name} ends`);
    return name;
  };
  expect(await Promise.all([withLock('lock', task('one')), withLock('lock', task('two'))])).toEqual(['one', 'two']);
  return order;
}

const oneByOne = ['one begins', 'one ends', 'two begins', 'two ends'];

describe('a lock', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  it('lets one task run at a time where the platform has no locks', async () => {
    vi.stubGlobal('navigator', {});
    expect(await runTwo()).toEqual(oneByOne);
  });

  it('lets one task run at a time where the browser denies locks, at once or later', async () => {
    stubLocks(() => {
      throw new DOMException('denied', 'SecurityError');
    });
    expect(await runTwo()).toEqual(oneByOne);
    stubLocks(() => Promise.reject(new DOMException('denied', 'SecurityError')));
    expect(await runTwo()).toEqual(oneByOne);
  });

  it('gives what the task gives, or fails as it fails, also where the lock is stolen meanwhile', async () => {
    stubLocks(async (_, __, task) => {
      void task();
      throw new DOMException('stolen', 'AbortError');
    });
    expect(await withLock('lock', async () => 'done')).toBe('done');
    stubLocks((_, __, task) => task());
    await expect(withLock('lock', () => Promise.reject(new Error('own')))).rejects.toThrow('own');
  });

  it('is waited for 10 s by a task that can do without it, and as long as it takes by one that cannot', async () => {
    holdTime();
    stubLocks(
      (_, { signal }) =>
        new Promise((__, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
        }),
    );
    const ran: string[] = [];
    void withLock('lock', async () => void ran.push('without'));
    void withLock('lock', async () => void ran.push('needed'), { isNeeded: true });
    await pass(9_000);
    expect(ran).toEqual([]);
    await pass(60_000);
    await quiet();
    expect(ran).toEqual(['without']);
  });
});
