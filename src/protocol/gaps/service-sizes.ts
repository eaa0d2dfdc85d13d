import { kibibytes } from './units.js';

/** Sizes that the service checks (docs/interface.md#limits). */
export const serviceSizes = {
  requestBytes: kibibytes(256),
  /** A merge carries the entries of a whole profile. */
  mergeRequestBytes: kibibytes(4_096),
  /**
   * How many objects and lists a request's body may have: they take `JSON.parse` longer than
   * anything else of their size.
   */
  objectsPerRequest: 100_000,
  headerBytes: kibibytes(16),
  /** How much of all answers may wait for clients to read it. */
  unreadBytes: kibibytes(64 * 1_024),
  /** How much of all requests' bodies a process holds. */
  arrivingBytes: kibibytes(64 * 1_024),
  /** How many requests a connection may send ahead of their answers. */
  pipelinedRequests: 64,
  /** Of how many devices an entry's ledger holds the last write. */
  devicesPerEntry: 64,
  /** The length of a username, in characters. */
  usernameLength: { min: 1, max: 128 },
  /** The length of an e-mail address, in characters. */
  mailAddressLength: 254,
  /**
   * `custom_user_id` and `device_id` of a signed request: the game's own ids, which may be as short as a row's number.
   */
  signedIdLength: { min: 1, max: 128 },
  /** The length of an identity or social token, in characters. */
  credentialTokenLength: kibibytes(16),
} as const;
