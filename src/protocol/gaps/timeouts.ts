/**
 * How long a save waits for others to be sent with it, and the pauses between the tries of one that fails
 * (docs/interface.md#limits).
 */
export const timeouts = {
  /** How long a save waits for others to be sent with it. */
  gatherMs: 200,
  /** Between two tries of a save that failed, at first. */
  saveRetryMinMs: 1_000,
  /** Between two tries of a save that failed, in the end. */
  saveRetryMaxMs: 60 * 1_000,
} as const;
