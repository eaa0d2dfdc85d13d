/**
 * Access tokens, and when the client refreshes them (docs/interface.md#server-authentication-response,
 * docs/interface.md#signed-requests). They are single constants, so that a bundle holds only those that it uses.
 */

/**
 * The claim `wire` of an access token: from 2 on the service keeps a ledger of writes, and its
 * CORS allows their header.
 */
export const wire = 2;
/** How long an access token lives. */
export const accessTtlMs = 60 * 60 * 1_000;
/** The client refreshes the access token so long before it ends, and up to `refreshJitterMs` earlier. */
export const refreshAheadMs = 60 * 1_000;
/** How much earlier at most, so that not all clients ask at once. */
export const refreshJitterMs = 30 * 1_000;
/** Between two tries of a refresh that failed, at first. */
export const refreshRetryMinMs = 1_000;
/** Between two tries of a refresh that failed, in the end. */
export const refreshRetryMaxMs = 60 * 1_000;
