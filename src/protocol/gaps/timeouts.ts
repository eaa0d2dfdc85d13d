/** Time-outs of a request, and its repeats (Spec 8). */

export const tryMs = 10 * 1_000;
export const tries = 3;
export const callMs = 30 * 1_000;
export const retryMinMs = 300;
export const retryMaxMs = 5 * 1_000;
/** How long an unsent save waits for others that go along, and how far apart its tries are where they fail. */
export const gatherMs = 200;
export const saveRetryMinMs = 1_000;
export const saveRetryMaxMs = 60 * 1_000;
