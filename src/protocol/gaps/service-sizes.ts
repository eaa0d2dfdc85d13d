import { kibibytes } from './units.js';

/** Sizes that the service checks (docs/interface.md#limits). */
export const serviceSizes = {
  requestBytes: kibibytes(256),
  /** A merge carries the entries of a whole profile. */
  mergeRequestBytes: kibibytes(4_096),
  headerBytes: kibibytes(16),
  entriesPerCollection: 2_000,
  usernameLength: { min: 1, max: 128 },
  passwordLength: { min: 8, max: 256 },
  customUserIdLength: { min: 6, max: 128 },
  /** The length of an identity or social token, in characters. */
  credentialTokenLength: kibibytes(16),
} as const;
