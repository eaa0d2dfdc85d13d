import type { RequestJsonOptions } from '../../http/request-json.js';
import { arePublicKeys, createProviderKeys, type PublicKeys } from './provider-keys.js';
import { playerId, publicKeyAlgorithms, verifySignedToken, WrongToken } from './signed-token.js';
import type { SocialVerifier } from './social.js';

/** Which tokens of a portal are accepted, and whose they are. */
export interface SignedTokenOptions extends RequestJsonOptions {
  /** The portal's public keys. */
  keys: PublicKeys;
  /** What a token's `iss` must be; not checked if left out. */
  issuer?: string;
  /** What a token's `aud` must be, or hold one of. Either this or `claims` must be given. */
  audience?: string | readonly string[];
  /**
   * Claims that must have exactly these values. A portal signs for all of its games with the same keys, so that either
   * `audience` or one of these must say that a token was made for this game.
   */
  claims?: { readonly [name: string]: string | number | boolean };
  /** The claim that holds the player's id at the portal; `sub` by default. */
  subjectClaim?: string;
  /** The signature algorithms to accept; by default RS, PS and ES with 256, 384 and 512 bits, EdDSA and Ed25519. */
  algorithms?: readonly string[];
}

/**
 * Makes a verifier for tokens (JWT) that a portal signs and whose public keys it publishes. A token must have an `exp`,
 * and a minute's difference between the clocks is accepted. Throws TypeError naming the option that is wrong.
 */
export function createSignedTokenVerifier(options: SignedTokenOptions): SocialVerifier {
  const check = createSignedTokenCheck(options);
  return async (token, { now }) => {
    try {
      return await check(token, now);
    } catch (error) {
      if (error instanceof WrongToken) return null;
      throw error;
    }
  };
}

/** The same, which rejects with WrongToken for what does not hold. */
export function createSignedTokenCheck(
  options: SignedTokenOptions,
): (token: string, now: number) => Promise<{ id: string }> {
  checkOptions(options);
  const { issuer, audience, claims = {}, subjectClaim = 'sub', algorithms = publicKeyAlgorithms } = options;
  const keys = createProviderKeys(options.keys, options);
  const expected = {
    ...(issuer === undefined ? {} : { issuer: [issuer] }),
    ...(audience === undefined ? {} : { audience: typeof audience === 'string' ? [audience] : [...audience] }),
    algorithms: [...algorithms],
  };

  return async (token, now) => {
    const payload = await verifySignedToken(token, keys, expected, now);
    if (!Object.entries(claims).every(([name, value]) => Object.hasOwn(payload, name) && payload[name] === value)) {
      throw new WrongToken('claims', 'It was made for another game or app.');
    }
    const id = Object.hasOwn(payload, subjectClaim) ? playerId(payload[subjectClaim]) : null;
    if (id === null) throw new WrongToken('player', `It names no player in "${subjectClaim}".`);
    return { id };
  };
}

function checkOptions({ keys, issuer, audience, claims, subjectClaim, algorithms }: SignedTokenOptions): void {
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
  const areTexts = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isText);
  const names = claims === undefined ? [] : Object.keys(claims);
  const known = (value: unknown): boolean => publicKeyAlgorithms.includes(value as string);
  check(arePublicKeys(keys), 'keys must be a JWKS, its address or a function');
  check(issuer === undefined || isText(issuer), 'issuer must be a text');
  check(audience === undefined || isText(audience) || areTexts(audience), 'audience must be a text or a list of texts');
  check(audience !== undefined || names.length > 0, 'audience or claims must say which game a token is for');
  check(subjectClaim === undefined || isText(subjectClaim), 'subjectClaim must be a text');
  check(algorithms === undefined || algorithms.every(known), 'algorithms must be some with a public key');
}

function check(holds: boolean, message: string): void {
  if (!holds) throw new TypeError(message);
}
