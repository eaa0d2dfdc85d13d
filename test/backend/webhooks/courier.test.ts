import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startCourier } from '../../../src/backend/webhooks/courier.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('delivers every second, never twice at once, and waits for what has begun when it is to end', async () => {
  const rounds: (() => void)[] = [];
  let ended = false;
  const courier = startCourier(
    () => new Promise<void>((resolve) => rounds.push(resolve)),
    () => {},
  );
  await vi.advanceTimersByTimeAsync(5_000);
  expect(rounds).toHaveLength(1);
  rounds[0]?.();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(rounds).toHaveLength(2);
  const end = courier.end().then(() => {
    ended = true;
  });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(ended).toBe(false);
  rounds[1]?.();
  await end;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(rounds).toHaveLength(2);
});

it('tells of a failure, and goes on later', async () => {
  const failures: unknown[] = [];
  let rounds = 0;
  const courier = startCourier(
    async () => {
      rounds += 1;
      throw new Error('the store is gone');
    },
    (error) => void failures.push(error),
  );
  await vi.advanceTimersByTimeAsync(30_000);
  expect([rounds, failures.length]).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(rounds).toBe(2);
  await courier.end();
});
