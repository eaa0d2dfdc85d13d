import * as jose from 'jose';
import { Refusal } from '../refusal.js';
import {
  createProviderKeys,
  discoverProviderKeys,
  KeysUnavailable,
  type ProviderKeys,
  type PublicKeys,
} from './provider-keys.js';
import { checkIssuedAt, publicKeyAlgorithms, readUnchecked, verifySignedToken, WrongToken } from './signed-token.js';

/** An OpenID provider whose ID tokens players may sign in with. */
export interface IdentityProviderOptions {
  /** The provider's address, letter for letter as its tokens' `iss` has it. */
  issuer: string;
  /**
   * Other spellings of `iss` in this provider's tokens; none by default. A player is the same one under each, known by
   * `issuer`. Name no other provider here: it could sign in as any player of this one.
   */
  issuerAliases?: readonly string[];
  /** The game's client id at the provider, or several. A token that was made for another client is refused. */
  audience: string | readonly string[];
  /** The provider's public keys. Left out, they are found by the issuer's address (OpenID Connect Discovery). */
  keys?: PublicKeys;
  /** Sends the requests for discovery and keys; the global `fetch` by default. */
  fetch?: (request: Request) => Promise<Response>;
  /** How long the provider may take for an answer, in ms; 5,000 by default. */
  timeoutMs?: number;
}

/** A provider, prepared once. */
export interface IdentityProvider {
  issuer: string;
  issuerAliases: readonly string[];
  audience: string[];
  keys: ProviderKeys;
}

/** What this needs of the service, which itself knows this file through its games. */
interface Surroundings {
  now(): number;
  report(message: string, error: unknown): void;
}

export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const { issuer, issuerAliases = [], audience, keys } = options;
  return {
    issuer,
    issuerAliases: [...issuerAliases],
    audience: typeof audience === 'string' ? [audience] : [...audience],
    keys: keys === undefined ? discoverProviderKeys(issuer, options) : createProviderKeys(keys, options),
  };
}

/** Whether a provider makes tokens with this issuer, in any spelling that it has. */
export function makesTokensOf({ issuer, issuerAliases }: IdentityProvider, iss: string): boolean {
  return issuer === iss || issuerAliases.includes(iss);
}

/**
 * Checks an OIDC ID token: issuer, audience, expiry, time of issue, signature. Spec gap: the player is known by issuer
 * and subject, never by an e-mail address. Rejects with WrongToken for what does not hold, and with KeysUnavailable
 * where the provider's keys could not be had.
 */
export async function checkIdentity(
  providers: readonly IdentityProvider[],
  token: string,
  now: number,
): Promise<{ issuer: string; subject: string }> {
  const { iss = '' } = readUnchecked(token);
  const provider = providers.find((candidate) => makesTokensOf(candidate, iss));
  if (provider === undefined) throw new WrongToken('issuer', 'It is of another issuer.');
  const { issuer, issuerAliases, audience } = provider;
  const expected = { issuer: [issuer, ...issuerAliases], audience, algorithms: publicKeyAlgorithms };
  const payload = await verifySignedToken(token, provider.keys, expected, now);
  requireIdToken(token, payload, audience);
  const { sub, aud, azp } = payload;
  // A token for several audiences must have been issued to this game's client (OpenID Connect Core 3.1.3.7).
  const isForOther = azp === undefined ? Array.isArray(aud) && aud.length > 1 : !isOneOf(audience, azp);
  if (isForOther) throw new WrongToken('audience', 'It was issued to another client, which `azp` names.');
  checkIssuedAt(payload, now);
  if (typeof sub !== 'string' || sub === '') throw new WrongToken('player', 'It names no player.');
  return { issuer, subject: sub };
}

/**
 * A provider signs access tokens (RFC 9068), logout tokens and others with the same keys, and some of those have the
 * game's client id as their audience, though they were given to another client (RFC 8725, 3.11).
 */
function requireIdToken(token: string, payload: jose.JWTPayload, audience: readonly string[]): void {
  const { typ = 'JWT' } = jose.decodeProtectedHeader(token);
  const isOther = /^(application\/)?[\w.-]+\+jwt$/i.test(typ) || payload['events'] !== undefined;
  if (isOther) throw new WrongToken('form', 'It is a token for something else than to say who signs in (typ).');
  const { client_id: client } = payload;
  if (client !== undefined && !isOneOf(audience, client)) {
    throw new WrongToken('audience', 'It was issued to another client, which `client_id` names.');
  }
}

/**
 * Does what `checkIdentity` does for a player's request, which is refused with `invalid_credentials` or `unavailable`.
 */
export async function verifyIdentity(
  { now, report }: Surroundings,
  providers: readonly IdentityProvider[],
  token: string,
): Promise<{ issuer: string; subject: string }> {
  try {
    return await checkIdentity(providers, token, now());
  } catch (error) {
    if (error instanceof WrongToken) throw new Refusal('invalid_credentials');
    if (!(error instanceof KeysUnavailable)) throw error;
    report('The keys of an identity provider could not be had.', error.cause);
    throw new Refusal('unavailable', { detail: 'The identity provider could not be asked for its keys.' });
  }
}

function isOneOf(values: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && values.includes(value);
}
