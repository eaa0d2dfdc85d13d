import { describe, expect, it } from 'vitest';
import { backOff } from '../../../src/client/platform/back-off.js';
import { NoAnswerError, ServiceError } from '../../../src/errors.js';

const bounds = { minMs: 1_000, maxMs: 60_000 };
const offline = new NoAnswerError('network', 'The service could not be reached.');
const busy = (retryAfterMs: number): ServiceError =>
  new ServiceError({ status: 429, code: 'rate_limited', title: 'Too many requests.', retryAfterMs });

describe('the pause between rounds', () => {
  it('doubles with each failure, up to the most', () => {
    const longest = [1, 2, 3, 6, 7, 40].map((failures) => backOff(failures, offline, bounds, () => 1));
    expect(longest).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000]);
  });

  it('is shortened by up to a half at random', () => {
    expect(backOff(3, offline, bounds, () => 0)).toBe(2_000);
    expect(backOff(3, offline, bounds, () => 0.5)).toBe(3_000);
  });

  it('is never shorter than what the service has asked for', () => {
    expect(backOff(1, busy(7_000), bounds, () => 0)).toBe(7_000);
    expect(backOff(1, busy(7_000), bounds, () => 1)).toBe(8_000);
    expect(backOff(9, busy(0), bounds, () => 0.5)).toBe(30_000);
  });
});
