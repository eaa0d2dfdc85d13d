/** Password hashing. */
export const passwordDefaults = {
  scrypt: { cost: 16_384, blockSize: 8, parallelization: 5 },
  pbkdf2: { iterations: 600_000 },
  saltBytes: 16,
  hashBytes: 32,
  /** Two of Node's four threads: the other two are for files and host names meanwhile. 16 MiB each. */
  hashesAtOnce: 2,
  /** How many may wait for that; more are sent away for a second. */
  hashesWaiting: 100,
} as const;
