import * as jose from 'jose';
import { providerDefaults } from '../../protocol/gaps/providers.js';
import type { ProviderKeys } from './provider-keys.js';

/** What a signed token is looked at for. */
export type TokenPart =
  | 'form'
  | 'algorithm'
  | 'key'
  | 'signature'
  | 'issuer'
  | 'audience'
  | 'time'
  | 'claims'
  | 'player';

/** A signed token does not hold; `message` says why, and has nothing of the token in it. */
export class WrongToken extends Error {
  readonly part: TokenPart;

  constructor(part: TokenPart, message: string) {
    super(message);
    this.name = 'WrongToken';
    this.part = part;
  }
}

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

const toleranceSeconds = providerDefaults.clockToleranceMs / 1000;

/** What a signed token must say. */
interface ExpectedToken {
  issuer?: readonly string[];
  audience?: readonly string[];
  algorithms: readonly string[];
}

/**
 * Checks a signed token (JWT): its algorithm, its key, its signature, and, where they are given, its issuer and its
 * audience; then that it has an `exp`, and that the time is right but for a minute. Rejects with WrongToken for what
 * does not hold, and with KeysUnavailable where its key could not be looked for.
 */
export async function verifySignedToken(
  token: string,
  keys: ProviderKeys,
  { issuer, audience, algorithms }: ExpectedToken,
  now: number,
): Promise<jose.JWTPayload> {
  const verify = () =>
    jose.jwtVerify(token, keys.at(now), {
      ...(issuer === undefined ? {} : { issuer: [...issuer] }),
      ...(audience === undefined ? {} : { audience: [...audience] }),
      algorithms: [...algorithms],
      clockTolerance: toleranceSeconds,
      currentDate: new Date(now),
    });
  try {
    const { payload } = await verify().catch(async (error: unknown) => {
      const isOfWrongKey = error instanceof jose.errors.JWSSignatureVerificationFailed;
      if (isOfWrongKey && (await keys.renewed(jose.decodeProtectedHeader(token).kid, now))) return verify();
      throw error;
    });
    if (payload.exp === undefined) throw new WrongToken('time', 'It does not say when it expires.');
    return payload;
  } catch (error) {
    throw error instanceof jose.errors.JOSEError ? wrongTokenOf(error) : error;
  }
}

/** What a token says, which nobody has checked yet. */
export function readUnchecked(token: string): jose.JWTPayload {
  try {
    return jose.decodeJwt(token);
  } catch {
    throw new WrongToken('form', 'It is no signed token (JWT).');
  }
}

/** Refuses a token that says to be issued later than now. */
export function checkIssuedAt({ iat }: jose.JWTPayload, now: number): void {
  if (iat === undefined) throw new WrongToken('time', 'It does not say when it was issued.');
  if (iat > now / 1000 + toleranceSeconds) throw new WrongToken('time', 'It was issued in the future.');
}

/** A player's id as text; null for a number that JSON has rounded, which could be somebody else's id. */
export function playerId(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  return Number.isSafeInteger(value) ? String(value) : null;
}

function wrongTokenOf(error: jose.errors.JOSEError): WrongToken {
  const { JOSEAlgNotAllowed, JOSENotSupported, JWKSNoMatchingKey, JWKSMultipleMatchingKeys } = jose.errors;
  const { JWSSignatureVerificationFailed, JWTClaimValidationFailed, JWTExpired } = jose.errors;
  if (error instanceof JOSEAlgNotAllowed || error instanceof JOSENotSupported) {
    return new WrongToken('algorithm', 'It is signed by an algorithm that is not accepted.');
  }
  if (error instanceof JWKSNoMatchingKey) return new WrongToken('key', 'Its key is none of those that are published.');
  if (error instanceof JWKSMultipleMatchingKeys) return new WrongToken('key', 'It does not say which key it is of.');
  if (error instanceof JWSSignatureVerificationFailed) return new WrongToken('signature', 'Its signature is wrong.');
  if (error instanceof JWTExpired) return new WrongToken('time', 'It has expired.');
  if (error instanceof JWTClaimValidationFailed) return wrongClaimOf(error.claim);
  return new WrongToken('form', 'It is no signed token (JWT).');
}

function wrongClaimOf(claim: string): WrongToken {
  if (claim === 'iss') return new WrongToken('issuer', 'It is of another issuer.');
  if (claim === 'aud') return new WrongToken('audience', 'It was made for another game or app.');
  if (claim === 'nbf') return new WrongToken('time', 'It is not valid yet.');
  return new WrongToken('time', 'Its times are none.');
}
