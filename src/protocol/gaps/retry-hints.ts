import { seconds } from './units.js';

/**
 * What `Retry-After` says with `unavailable`: where the store cannot be reached, where too many wait, arrive or get in each
 * other's way, and while the service ends.
 */
export const busyRetryMs = seconds(1);

/** What `Retry-After` says where an account has as many exports running as it may. */
export const exportRetryMs = seconds(5);
