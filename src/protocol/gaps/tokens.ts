/** Access tokens, and when the client refreshes them (Spec 2.5, 5.2 item 8). */

export const accessTtlMs = 60 * 60 * 1_000;
/** The client refreshes this long before the access token ends, plus up to the jitter. */
export const refreshAheadMs = 60 * 1_000;
export const refreshJitterMs = 30 * 1_000;
export const refreshRetryMinMs = 1_000;
export const refreshRetryMaxMs = 60 * 1_000;
