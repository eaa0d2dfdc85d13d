import { hours, kibibytes, minutes, seconds } from './units.js';

/** Identity providers, game portals and social networks that a service asks. */
export const providerDefaults = {
  /** How long an identity provider or a network may take to answer. */
  askTimeoutMs: seconds(5),
  /** How long a social verifier may take in all. The SDKs give a try up after 10 s. */
  verifierMs: seconds(8),
  /** How long the country of an address may be looked for. */
  countryMs: seconds(1),
  /** How large the answer of one may be. */
  answerBytes: kibibytes(256),
  /** How long keys of a provider are used before they are asked for again. */
  keysMaxAgeMs: minutes(10),
  /** How long old keys stay in use while new ones cannot be read. */
  keysMaxStaleMs: hours(1),
  /** The least time between two requests for keys, and that after a request that failed. */
  keysPauseMs: seconds(30),
  /** The least time between two requests for keys where the first failed. */
  keysFailurePauseMs: seconds(5),
  /**
   * The length of a player's id at an identity provider or a network, in characters: OpenID Connect has up to 255. A
   * longer one gets no new account and no link.
   */
  playerIdLength: { min: 1, max: 256 },
  /** How far the clocks of a provider and of the service may differ. */
  clockToleranceMs: minutes(1),
  /** How many social tokens a process has checked by one platform at once, how many of those for one address. */
  checksAtOnce: 100,
  checksAtOncePerAddress: 10,
  /** How many more checks of tokens may wait; further ones are answered with `unavailable` and a wait of a second. */
  checksWaiting: 1_000,
} as const;
