import type { LinkMethod } from '../../../protocol/conflict.js';

/**
 * Whether an account is nobody's but its device's: no login method of it tells one person from another. A recovery code
 * does not, it is a copy of the device's key.
 */
export function isGuest(links: Iterable<{ method: LinkMethod }>): boolean {
  return [...links].every(({ method }) => method === 'device' || method === 'recovery');
}
