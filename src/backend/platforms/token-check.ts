import { KeysUnavailable } from '../providers/provider-keys.js';
import { type TokenPart, WrongToken } from '../providers/signed-token.js';
import { createCheck, DoesNotHold, type Steps } from './check.js';
import type { PlatformCheck, PlatformPlayer } from './preset.js';

/** What each part of a signed token is checked for, in the words of `explain`. */
export const tokenSteps = {
  form: 'It is a signed token (JWT)',
  issuer: 'Its issuer (iss) is the one that is expected',
  algorithm: 'Its algorithm is one with a public key, and accepted here',
  key: 'Its key is one of those that are published',
  signature: 'Its signature is right',
  audience: 'It was made for this game (aud)',
  time: 'It is valid now: neither expired (exp) nor of the future',
  claims: 'It says what it must say',
  player: 'It names the player',
} as const satisfies Steps<TokenPart>;

/** Makes a check of a function that rejects with WrongToken, which says itself at which step. */
export function createTokenCheck(
  title: string,
  steps: Partial<Steps<TokenPart>>,
  verify: (token: string, now: number) => Promise<PlatformPlayer>,
): PlatformCheck {
  return createCheck<TokenPart>(title, steps as Steps<TokenPart>, async (token, { now }, at) => {
    try {
      return await verify(token, now);
    } catch (error) {
      if (error instanceof KeysUnavailable) at('key');
      if (!(error instanceof WrongToken)) throw error;
      at(error.part);
      throw new DoesNotHold(error.message);
    }
  });
}
