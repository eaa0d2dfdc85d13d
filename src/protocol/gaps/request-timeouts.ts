/**
 * Time-outs of a request, and its repeats (docs/interface.md#limits). They are single constants, so that a bundle holds
 * only those that it uses.
 */

/** How long one try of a request may take. */
export const tryMs = 10 * 1_000;
/** How many tries a request has, where trying again is safe. */
export const tries = 3;
/** How long a call may take in all. */
export const callMs = 30 * 1_000;
/** Between two tries, at first. */
export const retryMinMs = 300;
/** Between two tries, in the end. */
export const retryMaxMs = 5 * 1_000;
/** What a service asks for with Retry-After counts up to this: a mistake there must not silence a client for a day. */
export const retryAfterMaxMs = 60 * 60 * 1_000;
