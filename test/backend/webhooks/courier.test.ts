import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startCourier } from '../../../src/backend/webhooks/courier.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('delivers every second, never twice at once, and waits for what has begun when it is to end', async () => {
  const rounds: (() => void)[] = [];
  let ended = false;
  const courier = startCourier({
    games: () => ['game'],
    deliver: () => new Promise<void>((resolve) => rounds.push(resolve)),
    failed: () => {},
  });
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
  const courier = startCourier({
    games: () => ['game', 'another'],
    deliver: async () => {
      rounds += 1;
      throw new Error('the store is gone');
    },
    failed: (error) => void failures.push(error),
  });
  await vi.advanceTimersByTimeAsync(30_000);
  expect([rounds, failures.length]).toEqual([2, 1]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([rounds, failures.length]).toEqual([4, 2]);
  await courier.end();
});

it('goes to each game by itself, and follows which games there are', async () => {
  const rounds: string[] = [];
  let games = ['silent', 'quick'];
  const ends: (() => void)[] = [];
  const courier = startCourier({
    games: () => games,
    deliver: (game) => {
      rounds.push(game);
      return game === 'silent' ? new Promise<void>((resolve) => ends.push(resolve)) : Promise.resolve();
    },
    failed: () => {},
  });
  await vi.advanceTimersByTimeAsync(3_000);
  expect(rounds).toEqual(['silent', 'quick', 'quick', 'quick']);
  games = ['new'];
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(rounds.slice(4)).toEqual(['new', 'new']);
  await courier.end();
});
