import * as jose from 'jose';
import { Refusal } from './refusal.js';

/** Where an identity provider's public keys come from: the set itself, its address, or a function that gets it. */
export type IdentityKeys = jose.JSONWebKeySet | URL | string | (() => Promise<jose.JSONWebKeySet>);

/** An OpenID provider whose ID tokens players may sign in with. */
export interface IdentityProviderOptions {
  /** As the tokens' `iss` has it. */
  issuer: string;
  /** The game's client id there; tokens for others are refused. */
  audience: string | readonly string[];
  keys: IdentityKeys;
}

export interface IdentityProvider {
  issuer: string;
  audience: string[];
  key: jose.JWTVerifyGetKey;
}

/** What this needs of the service, which itself knows this file through its games. */
interface Surroundings {
  now(): number;
  report(message: string, error: unknown): void;
}

/** Clocks of two houses are never the same. */
const toleranceSeconds = 60;
const algorithms = [
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
/** A token with an unknown key makes us ask for the keys again, but no more often than this. */
const keysCooldownMs = 30_000;

export function createIdentityProvider(options: IdentityProviderOptions, now: () => number): IdentityProvider {
  const { issuer, audience, keys } = options;
  return { issuer, audience: typeof audience === 'string' ? [audience] : [...audience], key: keySource(keys, now) };
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
    const { payload } = await jose.jwtVerify(token, provider.key, {
      issuer: provider.issuer,
      audience: provider.audience,
      algorithms,
      requiredClaims: ['sub', 'exp', 'iat'],
      clockTolerance: toleranceSeconds,
      currentDate: new Date(now()),
    });
    const { sub = '', iat = 0, aud, azp } = payload;
    const isFuture = iat > now() / 1000 + toleranceSeconds;
    // With several audiences, the one that it was issued to must be us (OpenID Connect Core 3.1.3.7).
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

class KeysUnavailable extends Error {}

function keySource(keys: IdentityKeys, now: () => number): jose.JWTVerifyGetKey {
  if (typeof keys === 'object' && !(keys instanceof URL)) return jose.createLocalJWKSet(keys);
  const fetchKeys = typeof keys === 'function' ? keys : () => fetchKeySet(new URL(keys));
  let known: jose.JWTVerifyGetKey | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<jose.JWTVerifyGetKey> | undefined;

  function renew(): Promise<jose.JWTVerifyGetKey> {
    fetching ??= fetchKeys()
      .then((set) => {
        fetchedAt = now();
        known = jose.createLocalJWKSet(set);
        return known;
      })
      .catch((cause: unknown) => Promise.reject(new KeysUnavailable('No keys.', { cause })))
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  }

  return async (header, token) => {
    const current = known ?? (await renew());
    try {
      return await current(header, token);
    } catch (error) {
      const mayRenew = error instanceof jose.errors.JWKSNoMatchingKey && now() - fetchedAt >= keysCooldownMs;
      if (!mayRenew) throw error;
      return (await renew())(header, token);
    }
  };
}

async function fetchKeySet(url: URL): Promise<jose.JSONWebKeySet> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(5_000) });
  if (!response.ok) throw new Error(`The keys' address answered ${response.status}.`);
  return (await response.json()) as jose.JSONWebKeySet;
}

function isOneOf(values: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && values.includes(value);
}
