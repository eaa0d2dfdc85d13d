/**
 * Every default that the spec leaves open, once and by name. Where one is used it is marked `Spec gap:`.
 * Times are in milliseconds unless the name says otherwise, sizes in bytes. A page would carry each object whole that the
 * client uses one member of: what both ends need stands in modules of its own, in gaps/, of which bundlers take the
 * numbers alone.
 */

// Marked calls, not products: esbuild keeps an object that nobody uses where it would have to multiply.
const seconds = /* @__NO_SIDE_EFFECTS__ */ (count: number): number => count * 1_000;
const minutes = /* @__NO_SIDE_EFFECTS__ */ (count: number): number => seconds(count * 60);
const hours = /* @__NO_SIDE_EFFECTS__ */ (count: number): number => minutes(count * 60);
const days = /* @__NO_SIDE_EFFECTS__ */ (count: number): number => hours(count * 24);
const kibibytes = /* @__NO_SIDE_EFFECTS__ */ (count: number): number => count * 1024;

/** Signed server-to-server requests (Spec 5.2). */
export const signing = {
  encoding: 'hex',
  clockWindowMs: minutes(5),
  nonceLength: 32,
  /** A nonce is kept until its timestamp plus this: the window, plus a minute for our own clock. */
  nonceKeptMs: minutes(6),
  maxNoncesPerGame: 1_000_000,
  maxActiveKeys: 2,
} as const;

/** What the service writes into tokens and beside them, and how long it honours them (Spec 2.5, 5.2 item 8). */
export const issuing = {
  accessType: 'at+jwt',
  accessAlgorithm: 'ES256',
  /** How many access tokens a process remembers to have verified, twice over. */
  verifiedTokensHeld: 5_000,
  refreshIdleMs: days(30),
  refreshAbsoluteMs: days(365),
  refreshType: 'rt+jwt',
  /** How long a used refresh token is still honoured after its successor has been used. */
  refreshGraceMs: seconds(30),
  /** Opaque to the SDK; our back end answers this. */
  status: 0,
  unknownCountry: 'ZZ',
  /** Cache-Control max-age of the published keys. */
  jwksMaxAgeSeconds: 300,
} as const;

/** Links, conflicts and accounts (Spec 3, 5.3). */
export const accounts = {
  ticketTtlMs: minutes(10),
  orphanKeptMs: days(30),
  /** How long a text may be that is shown of a side of a conflict. */
  maxConflictFieldText: 256,
  maxConflictDifferences: 200,
  deletionGraceMs: days(30),
  snapshotKeptMs: days(30),
  /** Where there are more, those of a forced write or a mismatch go first, then the oldest. */
  maxSnapshotsPerAccount: 500,
  recoveryCodeBytes: 16,
} as const;

/** Sizes that services look at (Spec 8). */
export const serviceSizes = {
  requestBytes: kibibytes(256),
  /** A merge carries the entries of a whole profile. */
  mergeRequestBytes: kibibytes(4_096),
  headerBytes: kibibytes(16),
  entriesPerCollection: 2_000,
  usernameLength: { min: 1, max: 128 },
  passwordLength: { min: 8, max: 256 },
  customUserIdLength: { min: 6, max: 128 },
  /** An identity or social token. */
  credentialTokenLength: kibibytes(16),
} as const;

/** Time-outs of the HTTP port (Spec 8). */
export const serverTimeouts = {
  headersMs: seconds(10),
  requestMs: seconds(15),
  keepAliveMs: seconds(5),
} as const;

/** Rate limits (Spec 8); off in the in-process back end unless asked for. */
export const rates = {
  wrongPasswordsPerAccount: { tries: 5, windowMs: minutes(1) },
  lockMaxMs: minutes(15),
  wrongPasswordsPerAddress: { tries: 10, windowMs: minutes(10) },
  guestsPerAddress: { tries: 30, windowMs: hours(1) },
} as const;

/** Identity providers, game portals and social networks that a service asks. */
export const providers = {
  askTimeoutMs: seconds(5),
  answerBytes: kibibytes(256),
  keysMaxAgeMs: minutes(10),
  /** How long the held keys stay in use while new ones cannot be had. */
  keysMaxStaleMs: hours(1),
  /** The least time between two requests for keys, and after one that failed. */
  keysPauseMs: seconds(30),
  keysFailurePauseMs: seconds(5),
  /** Clocks of two houses are never the same. */
  clockToleranceMs: minutes(1),
} as const;

/** Password hashing. */
export const passwords = {
  scrypt: { cost: 16_384, blockSize: 8, parallelization: 5 },
  pbkdf2: { iterations: 600_000 },
  saltBytes: 16,
  hashBytes: 32,
  /** Two of Node's four threads: the other two are for files and host names meanwhile. 16 MiB each. */
  hashesAtOnce: 2,
  /** How many may wait for that; more are sent away for a second. */
  hashesWaiting: 100,
} as const;
