import { StateError } from '../../errors.js';
import { accessTokens } from '../../protocol/gaps/access-tokens.js';
import type { PlayerAuthAnswer } from '../../protocol/player-messages.js';
import type { ExternalValues } from '../config.js';
import { readClaims } from './access-token.js';
import type { Session } from './session-store.js';

/** The session that the service has answered with; `methods` counts where the answer does not name them. */
export function sessionFromAnswer(answer: PlayerAuthAnswer, methods: string[]): Session {
  const { userId, accessToken, refreshToken, country } = answer;
  const expiresAt = expiryOf(accessToken, answer.time);
  return { userId, accessToken, refreshToken, expiresAt, methods: answer.methods ?? methods, country };
}

/** Throws `invalid_argument` where the access token says that it is another user's. */
export function checkTokenOwner(accessToken: string, userId: string): void {
  const { sub } = readClaims(accessToken);
  if (typeof sub === 'string' && sub.toLowerCase() !== userId.toLowerCase()) {
    throw new StateError('invalid_argument', 'The access token is for another user.');
  }
}

/** The session of a player whom the game's own back end has signed in. It has no refresh token. */
export function sessionFromExternal(
  userId: string,
  { accessToken, country }: ExternalValues,
  { methods, serverTime }: { methods: string[]; serverTime: number },
): Session {
  const expiresAt = expiryOf(accessToken, serverTime);
  return { userId, accessToken, refreshToken: null, expiresAt, methods, country: country ?? null };
}

/** Spec gap: a token that does not say when it ends lives an hour. */
function expiryOf(accessToken: string, serverTime: number): number {
  const { exp } = readClaims(accessToken);
  return typeof exp === 'number' ? exp * 1000 : serverTime + accessTokens.accessTtlMs;
}
