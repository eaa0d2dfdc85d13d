import { ServiceError } from '../../errors.js';

/**
 * The pause before the next round, in ms, after so many rounds (1 or more) that failed in a row. The pause doubles
 * with each failure, from `minMs` up to `maxMs`, and is then shortened by up to a half at random, so that players
 * whom one failure has hit do not all come back at once. Where the service has said how long to wait (Retry-After),
 * that is the least, and the jitter only adds to it.
 */
export function backOff(
  failures: number,
  error: unknown,
  { minMs, maxMs }: { minMs: number; maxMs: number },
  random: () => number,
): number {
  const doubledMs = Math.min(maxMs, minMs * 2 ** (failures - 1));
  const askedMs = error instanceof ServiceError ? error.retryAfterMs : undefined;
  return askedMs === undefined ? doubledMs * (0.5 + random() / 2) : askedMs + doubledMs * random();
}
