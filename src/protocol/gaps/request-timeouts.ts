/**
 * Time-outs of a request, and its repeats (docs/interface.md#limits). They are single constants, so that a bundle holds
 * only those that it uses.
 */

export const tryMs = 10 * 1_000;
export const tries = 3;
export const callMs = 30 * 1_000;
export const retryMinMs = 300;
export const retryMaxMs = 5 * 1_000;
/** What a service asks for with Retry-After counts up to this: a mistake there must not silence a client for a day. */
export const retryAfterMaxMs = 60 * 60 * 1_000;
