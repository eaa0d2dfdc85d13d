import * as jose from 'jose';
import { providerDefaults } from '../../protocol/gaps/providers.js';
import { Refusal } from '../refusal.js';
import {
  createProviderKeys,
  discoverProviderKeys,
  KeysUnavailable,
  type ProviderKeys,
  type PublicKeys,
} from './provider-keys.js';

/** An OpenID provider whose ID tokens players may sign in with. */
export interface IdentityProviderOptions {
  /** The provider's address, letter for letter as its tokens' `iss` has it. */
  issuer: string;
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
  audience: string[];
  keys: ProviderKeys;
}

/** What this needs of the service, which itself knows this file through its games. */
interface Surroundings {
  now(): number;
  report(message: string, error: unknown): void;
}

const toleranceSeconds = providerDefaults.clockToleranceMs / 1000;

/** The algorithms with a public key: with any other, everybody who can check a token could sign one. */
export const publicKeyAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const { issuer, audience, keys } = options;
  return {
    issuer,
    audience: typeof audience === 'string' ? [audience] : [...audience],
    keys: keys === undefined ? discoverProviderKeys(issuer, options) : createProviderKeys(keys, options),
  };
}

/**
 * Checks an OIDC ID token: issuer, audience, expiry, time of issue, signature. Spec gap: the player is known by
 * issuer and subject, never by an e-mail address.
 */
export async function verifyIdentity(
  { now, report }: Surroundings,
  providers: readonly IdentityProvider[],
  token: string,
): Promise<{ issuer: string; subject: string }> {
  try {
    const { iss } = jose.decodeJwt(token);
    const provider = providers.find((candidate) => candidate.issuer === iss);
    if (provider === undefined) throw new Refusal('invalid_credentials');
    const { payload } = await jose.jwtVerify(token, provider.keys.at(now()), {
      issuer: provider.issuer,
      audience: provider.audience,
      algorithms: publicKeyAlgorithms,
      requiredClaims: ['sub', 'exp', 'iat'],
      clockTolerance: toleranceSeconds,
      currentDate: new Date(now()),
    });
    const { sub = '', iat = 0, aud, azp } = payload;
    const isFuture = iat > now() / 1000 + toleranceSeconds;
    // A token for several audiences must have been issued to this game's client (OpenID Connect Core 3.1.3.7).
    const isForOther = azp === undefined ? Array.isArray(aud) && aud.length > 1 : !isOneOf(provider.audience, azp);
    if (sub === '' || isFuture || isForOther) throw new Refusal('invalid_credentials');
    return { issuer: provider.issuer, subject: sub };
  } catch (error) {
    if (error instanceof KeysUnavailable) {
      report('The keys of an identity provider could not be had.', error.cause);
      throw new Refusal('unavailable', { detail: 'The identity provider could not be asked for its keys.' });
    }
    if (error instanceof jose.errors.JOSEError) throw new Refusal('invalid_credentials');
    throw error;
  }
}

function isOneOf(values: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && values.includes(value);
}
