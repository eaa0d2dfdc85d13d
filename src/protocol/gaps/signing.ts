import { minutes } from './units.js';

/** Signed server-to-server requests (docs/interface.md#signed-requests). */
export const signingDefaults = {
  encoding: 'hex',
  clockWindowMs: minutes(5),
  nonceLength: 32,
  /**
   * A nonce is kept until so long after its timestamp: the window, and a minute for the clocks of several processes.
   */
  nonceKeptMs: minutes(6),
  maxNoncesPerGame: 1_000_000,
  maxActiveKeys: 2,
} as const;
