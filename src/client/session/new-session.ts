import { StateError } from '../../errors.js';
import * as accessTokens from '../../protocol/gaps/access-tokens.js';
import { readClaims } from './access-token.js';
import type { Session } from './session-store.js';

/** Throws `invalid_argument` where the access token says that it is another user's. */
export function checkTokenOwner(accessToken: string, userId: string): void {
  const { sub } = readClaims(accessToken);
  if (typeof sub === 'string' && sub.toLowerCase() !== userId.toLowerCase()) {
    throw new StateError('invalid_argument', 'The access token is for another user.');
  }
}

/**
 * A session with the end that its access token names. Spec gap: a token that does not say when it ends lives an hour.
 */
export function newSession(fields: Omit<Session, 'expiresAt'>, serverTime: number): Session {
  const { exp } = readClaims(fields.accessToken);
  return { ...fields, expiresAt: typeof exp === 'number' ? exp * 1000 : serverTime + accessTokens.accessTtlMs };
}
