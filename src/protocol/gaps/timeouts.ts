/** Time-outs of a request, and its repeats (docs/interface.md#limits). */
export const timeouts = {
  tryMs: 10 * 1_000,
  tries: 3,
  callMs: 30 * 1_000,
  retryMinMs: 300,
  retryMaxMs: 5 * 1_000,
  /** What a service asks for with Retry-After counts up to this: a mistake there must not silence a client for a day. */
  retryAfterMaxMs: 60 * 60 * 1_000,
  /** How long a save waits for others to be sent with it, and the pauses between the tries of one that fails. */
  gatherMs: 200,
  saveRetryMinMs: 1_000,
  saveRetryMaxMs: 60 * 1_000,
} as const;
