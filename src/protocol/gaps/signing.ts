import { minutes } from './units.js';

/** Signed server-to-server requests (docs/interface.md#signed-requests). */
export const signingDefaults = {
  encoding: 'hex',
  /** How far the timestamp of a signed request may be from the clock of the service. */
  clockWindowMs: minutes(5),
  /** The length of a nonce, in characters. */
  nonceLength: 32,
  /**
   * A nonce is kept until so long after its timestamp: the window, and a minute for the clocks of several processes.
   */
  nonceKeptMs: minutes(6),
  maxNoncesPerGame: 1_000_000,
  /** How many private keys a game may have at once. */
  maxActiveKeys: 2,
} as const;
