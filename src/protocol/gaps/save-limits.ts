import { sizes } from './sizes.js';

/**
 * The limits of saves where an operator has not changed them. A service tells a player's device its own, with each
 * session and each new access token, and the device refuses at once what is beyond them
 * (docs/interface.md#limits).
 */
export const saveLimits = {
  /** The bytes of a value, as JSON in UTF-8. */
  valueBytes: sizes.valueBytes,
  /** How many entries a collection may have. */
  entries: 2_000,
  /** How many collections an account may have. */
  collections: 100,
} as const;

export type SaveLimits = { readonly [Name in keyof typeof saveLimits]: number };
