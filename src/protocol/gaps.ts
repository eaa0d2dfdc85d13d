/**
 * Every default that the spec leaves open, once and by name. Where one is used it is marked `Spec gap:`.
 * Times are in milliseconds unless the name says otherwise, sizes in bytes.
 */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Signed server-to-server requests (Spec 5.2). */
export const signing = {
  encoding: 'hex',
  clockWindowMs: 5 * minute,
  nonceLength: 32,
  /** A nonce is kept until its timestamp plus this: the window, plus a minute for our own clock. */
  nonceKeptMs: 6 * minute,
  maxNoncesPerGame: 1_000_000,
  maxActiveKeys: 2,
} as const;

/** Access and refresh tokens (Spec 2.5, 5.2 item 8). */
export const tokens = {
  accessTtlMs: hour,
  accessType: 'at+jwt',
  accessAlgorithm: 'ES256',
  refreshIdleMs: 30 * day,
  refreshAbsoluteMs: 365 * day,
  refreshType: 'rt+jwt',
  /** How long a used refresh token is still honoured after its successor has been used. */
  refreshGraceMs: 30 * second,
  /** The client refreshes this long before the access token ends, plus up to the jitter. */
  refreshAheadMs: minute,
  refreshJitterMs: 30 * second,
  refreshRetryMinMs: second,
  refreshRetryMaxMs: minute,
  /** Opaque to the SDK; our back end answers this. */
  status: 0,
  unknownCountry: 'ZZ',
  /** Cache-Control max-age of the published keys. */
  jwksMaxAgeSeconds: 300,
} as const;

/** Links, conflicts and accounts (Spec 3, 5.3). */
export const accounts = {
  ticketTtlMs: 10 * minute,
  orphanKeptMs: 30 * day,
  /** How many fields a game can ask to see of each side of a conflict, and how long a shown text may be. */
  maxConflictFields: 32,
  maxConflictFieldText: 256,
  maxConflictDifferences: 200,
  deletionGraceMs: 30 * day,
  snapshotKeptMs: 30 * day,
  /** Where there are more, those of a forced write or a mismatch go first, then the oldest. */
  maxSnapshotsPerAccount: 500,
  recoveryCodeBytes: 16,
} as const;

/** Sizes (Spec 8). */
export const sizes = {
  valueBytes: 150 * 1024,
  requestBytes: 256 * 1024,
  /** A merge carries the entries of a whole profile. */
  mergeRequestBytes: 4 * 1024 * 1024,
  headerBytes: 16 * 1024,
  jsonDepth: 32,
  entriesPerCollection: 2_000,
  entryNameBytes: 128,
  usernameLength: { min: 1, max: 128 },
  passwordLength: { min: 8, max: 256 },
  deviceIdLength: { min: 6, max: 128 },
  customUserIdLength: { min: 6, max: 128 },
  /** An identity or social token. */
  credentialTokenLength: 16 * 1024,
} as const;

/** Versions of an entry (Spec 2.1, 2.2). */
export const versions = {
  /** Writes whatever is stored, creates what is absent. */
  force: -1,
  first: 0,
  max: Number.MAX_SAFE_INTEGER - 1,
} as const;

/** Time-outs (Spec 8). */
export const timeouts = {
  tryMs: 10 * second,
  tries: 3,
  callMs: 30 * second,
  retryMinMs: 300,
  retryMaxMs: 5 * second,
  /** How long an unsent save waits for others that go along, and how far apart its tries are where they fail. */
  gatherMs: 200,
  saveRetryMinMs: second,
  saveRetryMaxMs: minute,
  serverHeadersMs: 10 * second,
  serverRequestMs: 15 * second,
  serverKeepAliveMs: 5 * second,
} as const;

/** Rate limits (Spec 8); off in the in-process back end unless asked for. */
export const rates = {
  wrongPasswordsPerAccount: { tries: 5, windowMs: minute },
  lockMaxMs: 15 * minute,
  wrongPasswordsPerAddress: { tries: 10, windowMs: 10 * minute },
  guestsPerAddress: { tries: 30, windowMs: hour },
} as const;

/** Password hashing. */
export const passwords = {
  scrypt: { cost: 2 ** 14, blockSize: 8, parallelization: 5 },
  pbkdf2: { iterations: 600_000 },
  saltBytes: 16,
  hashBytes: 32,
} as const;
