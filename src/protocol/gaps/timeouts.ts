/** How long a save waits for others to be sent with it, and the pauses between the tries of one that fails (docs/interface.md#limits). */
export const timeouts = {
  gatherMs: 200,
  saveRetryMinMs: 1_000,
  saveRetryMaxMs: 60 * 1_000,
} as const;
