import { describe, expect, it, vi } from 'vitest';
import { createOperationQueue, type Operation } from '../../../src/client/auth/operation-queue.js';
import { NoAnswerError } from '../../../src/errors.js';
import { holdTime, quiet } from '../world.js';

const cancelled = new NoAnswerError('aborted', 'cancelled');

function deferred() {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe('operations', () => {
  it('start at once where nothing else runs, and leave before their call settles', async () => {
    const { run } = createOperationQueue(1_000);
    let started = false;
    const first = run(async () => {
      started = true;
    });
    expect(started).toBe(true);
    await first;
    let next = false;
    void run(async () => {
      next = true;
    });
    expect(next).toBe(true);
  });

  it('let an answer change nothing that comes after a cancel', async () => {
    const { run, cancelAll } = createOperationQueue(1_000);
    const answer = deferred();
    let changed = false;
    const call = run(async ({ stopDeadline }: Operation) => {
      await answer.promise;
      stopDeadline();
      changed = true;
    });
    cancelAll(cancelled);
    await expect(call).rejects.toBe(cancelled);
    answer.resolve();
    await quiet();
    expect(changed).toBe(false);
  });

  it('go on with the next one when one fails', async () => {
    const { run } = createOperationQueue(1_000);
    const first = run(() => Promise.reject(new Error('no')));
    const second = run(async () => 'yes');
    await expect(first).rejects.toThrow('no');
    expect(await second).toBe('yes');
  });

  it('have a deadline each, from their own turn on, that stands still once they stop it', async () => {
    holdTime();
    try {
      const { run } = createOperationQueue(1_000);
      const held = deferred();
      const first = run(async ({ stopDeadline }) => {
        stopDeadline();
        await held.promise;
      });
      const second = run(() => new Promise(() => {}));
      const failure = expect(second).rejects.toMatchObject({ code: 'timeout' });
      await vi.advanceTimersByTimeAsync(5_000);
      held.resolve();
      await first;
      await vi.advanceTimersByTimeAsync(1_000);
      await failure;
    } finally {
      vi.useRealTimers();
    }
  });
});
