import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTimer } from '../../src/http/timers.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a timer', () => {
  it('rings once, after its time, also beyond 2^31 ms', () => {
    const ring = vi.fn();
    startTimer(2 ** 32, ring);
    vi.advanceTimersByTime(2 ** 32 - 1);
    expect(ring).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(ring).toHaveBeenCalledTimes(1);
  });

  it('never rings once it is stopped, in any part of its time', () => {
    const ring = vi.fn();
    const stop = startTimer(2 ** 32, ring);
    vi.advanceTimersByTime(2 ** 31 + 5);
    stop();
    vi.advanceTimersByTime(2 ** 33);
    expect(ring).not.toHaveBeenCalled();
  });
});
