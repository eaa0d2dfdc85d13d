/** Password hashing. */
export const passwordDefaults = {
  scrypt: { cost: 16_384, blockSize: 8, parallelization: 5 },
  pbkdf2: { iterations: 600_000 },
  saltBytes: 16,
  hashBytes: 32,
  /**
   * How many passwords are hashed at once: Node has four threads for such work, and files and host names need some of
   * them. A hash takes 16 MiB of memory.
   */
  hashesAtOnce: 2,
  /** How many requests may wait for a hash; further ones are answered with `unavailable` and a wait of a second. */
  hashesWaiting: 100,
} as const;
