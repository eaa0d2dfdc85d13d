import { nodeCrypto } from './node-crypto.js';

/** In characters of six bits each: enough for no two accounts to meet, and no more than a log line can bear. */
const pseudonymLength = 16;

/**
 * What the log calls an account. An HMAC by a key that only the service has: who reads the log can tell which lines are
 * of one player, and cannot find out of whom, not even with a list of all user ids.
 */
export type PseudonymOf = (accountId: string) => string | null;

/**
 * `secret` is that of the signing key, so that all processes of a service use the same names, and the former names lead
 * nowhere once it is changed. Gives null where the runtime has no crypto of Node's, as in a browser.
 */
export function createPseudonyms(secret: () => string): PseudonymOf {
  const node = nodeCrypto();
  if (node === null) return () => null;
  let key: unknown;
  const derived = (): unknown => {
    // The log's key tells nothing of the signing key, nor of any other that is derived from it.
    const bytes = node.createHmac('sha256', secret()).update('names in the log').digest();
    return node.createSecretKey(bytes);
  };
  return (accountId) => {
    key ??= derived();
    return node.createHmac('sha256', key).update(accountId).digest('base64url').slice(0, pseudonymLength);
  };
}
