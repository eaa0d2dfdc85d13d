/** Access tokens, and when the client refreshes them (docs/interface.md#server-authentication-response, docs/interface.md#signed-requests). */
export const accessTokens = {
  accessTtlMs: 60 * 60 * 1_000,
  /** The client refreshes the access token so long before it ends, and up to the jitter earlier. */
  refreshAheadMs: 60 * 1_000,
  refreshJitterMs: 30 * 1_000,
  refreshRetryMinMs: 1_000,
  refreshRetryMaxMs: 60 * 1_000,
} as const;
