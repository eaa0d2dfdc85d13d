import { describe, expect, it } from 'vitest';
import { createRateTable } from '../../src/backend/rate-table.js';

const minute = 60_000;

describe('a rate table', () => {
  it('allows so many at once, and another one for each share of the window that has gone by', () => {
    const { take, look } = createRateTable({ tries: 3, windowMs: minute });
    const start = Date.UTC(2026, 0, 15);
    expect([0, 1, 2, 3].map(() => take('a', start))).toEqual([0, 0, 0, 20_000]);
    expect([take('a', start + 19_999), look('a', start + 20_000), take('a', start + 20_000)]).toEqual([1, 0, 0]);
    expect(take('a', start + 20_000)).toBe(20_000);
    expect(take('b', start)).toBe(0);
    expect([0, 1, 2, 3].map(() => take('a', start + 2 * minute))).toEqual([0, 0, 0, 20_000]);
  });

  it('counts nothing for a look, and nothing for what it refuses', () => {
    const { take, look } = createRateTable({ tries: 1, windowMs: minute });
    for (let n = 0; n < 5; n += 1) expect(look('a', 0)).toBe(0);
    expect(take('a', 0)).toBe(0);
    for (let n = 0; n < 5; n += 1) expect([look('a', 1), take('a', 1)]).toEqual([minute - 1, minute - 1]);
    expect(take('a', minute)).toBe(0);
  });

  it('makes nobody wait for a clock that was ahead before, nor longer than a window for one that was a little', () => {
    const { take, look } = createRateTable({ tries: 2, windowMs: minute });
    for (let n = 0; n < 3; n += 1) take('a', 365 * 24 * 60 * minute);
    expect([look('a', 0), take('a', 0), take('a', 0), take('a', 0)]).toEqual([0, 0, 0, minute / 2]);
    for (let n = 0; n < 3; n += 1) take('b', 2 * minute);
    expect(take('b', minute)).toBeLessThanOrEqual(minute);
    expect(take('b', 2 * minute)).toBe(0);
  });

  it('charges a key for more than it was allowed, which it gives back share by share, in two windows at most', () => {
    const { take, charge } = createRateTable({ tries: 60, windowMs: minute });
    expect(take('a', 0)).toBe(0);
    charge('a', 69, 0);
    expect(take('a', 0)).toBe(11_000);
    expect(take('a', 10_999)).toBe(1);
    expect(take('a', 11_000)).toBe(0);
    expect(take('b', 0)).toBe(0);
    charge('a', 1_000_000, 11_000);
    expect(take('a', 11_000)).toBe(minute);
    expect(take('a', 11_000 + minute)).toBe(0);
  });

  it.each([7, 3_000, 60_000, 120_000])('allows exactly %i, whatever a share comes to', (tries) => {
    const { take } = createRateTable({ tries, windowMs: minute });
    const now = 1_893_456_000_123;
    for (let n = 0; n < tries; n += 1) if (take('a', now) !== 0) expect(n).toBe(tries);
    expect(take('a', now)).toBeGreaterThan(0);
  });

  it('remembers only so many, and forgets those that have been still for longest', () => {
    const { take } = createRateTable({ tries: 1, windowMs: minute }, 100);
    take('old', 0);
    for (let n = 0; n < 200; n += 1) {
      take(`flood-${n}`, 1);
      take('busy', 1);
    }
    expect(take('flood-199', 2)).toBeGreaterThan(0);
    expect(take('old', 2)).toBe(0);
  });

  it('still knows whoever was there when it turned its page', () => {
    const { take } = createRateTable({ tries: 2, windowMs: minute }, 100);
    take('a', minute - 1);
    take('a', minute - 1);
    take('other', minute);
    expect(take('a', minute + 1)).toBeGreaterThan(0);
  });
});
