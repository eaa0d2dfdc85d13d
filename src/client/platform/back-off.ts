import { ServiceError } from '../../errors.js';

/** How long is waited after so many failures in a row, in ms: the service's own word, or a back-off; both with jitter. */
export function pauseAfter(
  failures: number,
  error: unknown,
  [minMs, maxMs]: readonly [number, number],
  random: () => number,
): number {
  const asked = error instanceof ServiceError ? error.retryAfterMs : undefined;
  const backOff = Math.min(maxMs, minMs * 2 ** (failures - 1));
  // Jitter only adds: the service's own word is a least.
  return asked === undefined ? backOff * (0.5 + random() / 2) : asked + backOff * random();
}
