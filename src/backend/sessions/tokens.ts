import * as jose from 'jose';
import * as accessTokens from '../../protocol/gaps/access-tokens.js';
import { tokenDefaults } from '../../protocol/gaps/tokens.js';
import type { AccessClaims } from '../../protocol/player-messages.js';
import { accessClaims } from '../../protocol/player-messages.js';
import { hmac } from '../../protocol/signing.js';
import { Refusal } from '../refusal.js';
import type { RefreshRecord, SessionKey, SessionRecord } from '../stores/records.js';
import { es256Writer, hs256Writer, type WriteToken } from './token-signing.js';
import { createVerifiedTokens } from './verified-tokens.js';

/** What an access token says of a session. */
type AuthenticatedSession = SessionKey & Pick<SessionRecord, 'authenticatedAt' | 'method'>;

/**
 * Writes and reads the service's tokens. Spec gap: an access token is a JWT signed with ES256, which anybody can check
 * by the published keys. A refresh token is a JWT with the same claims, signed with HS256, for the service alone; the
 * same claims always give the same refresh token.
 */
export interface Tokens {
  publicKeys(): Promise<jose.JSONWebKeySet>;
  writeAccessToken(session: AuthenticatedSession, jti: string, now: number): Promise<string>;
  writeRefreshToken(session: SessionKey, token: RefreshRecord): Promise<string>;
  /**
   * A name for a device that tells nothing of its id, by the subject of the device; another one
   * with another signing key.
   */
  deviceName(subject: string): Promise<string>;
  /** The hash of a one-time code and what it is of, which nobody can make without the signing key. */
  codeHash(text: string): Promise<string>;
  /** What that may have been: by the present key first, and by the former ones, whose codes still count. */
  codeHashes(text: string): Promise<readonly string[]>;
  /** Refuses with `token_expired` or `unauthorized`. */
  readAccessToken(token: string, now: number): Promise<AccessClaims>;
  /** Refuses with `token_expired` or `unauthorized`. */
  readRefreshToken(token: string, now: number): Promise<AccessClaims>;
}

const refreshAlgorithm = 'HS256';
/** In characters of six bits each. */
const deviceNameLength = 22;

/**
 * `signingKey` is a private EC P-256 JWK; without one, a key is made when the first is needed. Tokens that a former key
 * signed are accepted until they expire.
 */
export function createTokens({
  signingKey,
  formerSigningKeys = [],
  issuer,
}: {
  signingKey?: jose.JWK | undefined;
  formerSigningKeys?: readonly jose.JWK[];
  issuer: string;
}): Tokens {
  const verified = createVerifiedTokens(tokenDefaults.verifiedTokensHeld);
  let prepared: Promise<Keys> | undefined;
  const keys = (): Promise<Keys> => {
    prepared ??= prepareKeys(signingKey, formerSigningKeys);
    return prepared;
  };

  return {
    async publicKeys() {
      return { keys: (await keys()).published };
    },

    async writeAccessToken(session, jti, now) {
      const { writeAccess } = await keys();
      const iat = Math.floor(now / 1000);
      const claims = claimsOf(session, { jti, iat, exp: iat + accessTokens.accessTtlMs / 1000 }, issuer);
      // Set one by one: V8 takes 4 µs for a spread among other members, and each token comes by here.
      claims.auth_time = Math.floor(session.authenticatedAt / 1000);
      claims.amr = [session.method];
      claims.wire = accessTokens.wire;
      return writeAccess(claims);
    },

    async writeRefreshToken(session, token) {
      const { writeRefresh } = await keys();
      return writeRefresh(claimsOf(session, token, issuer));
    },

    async deviceName(subject) {
      const name = await hmac((await keys()).deviceNames, subject);
      return jose.base64url.encode(name).slice(0, deviceNameLength);
    },

    async codeHash(text) {
      return jose.base64url.encode(await hmac((await keys()).codes[0] as CryptoKey, text));
    },

    async codeHashes(text) {
      const { codes } = await keys();
      return Promise.all(codes.map(async (key) => jose.base64url.encode(await hmac(key, text))));
    },

    async readAccessToken(token, now) {
      const known = verified.find(token);
      if (known !== undefined) {
        if (known.exp <= Math.floor(now / 1000)) throw new Refusal('token_expired');
        return known;
      }
      const { publicKeys } = await keys();
      const find: jose.JWTVerifyGetKey = ({ kid }) => {
        const key = publicKeys.get(kid ?? '');
        if (key === undefined) throw new jose.errors.JWKSNoMatchingKey();
        return key;
      };
      const expected = { algorithms: [tokenDefaults.accessAlgorithm], typ: tokenDefaults.accessType };
      const claims = await read(token, [find], expected, now, issuer);
      verified.add(token, claims);
      return claims;
    },

    async readRefreshToken(token, now) {
      const { refreshKeys } = await keys();
      const finders = refreshKeys.map((key) => () => key);
      return read(token, finders, { algorithms: [refreshAlgorithm], typ: tokenDefaults.refreshType }, now, issuer);
    },
  };
}

interface Keys {
  writeAccess: WriteToken;
  writeRefresh: WriteToken;
  /** By their `kid`. */
  publicKeys: ReadonlyMap<string, CryptoKey>;
  published: jose.JWK[];
  refreshKeys: readonly Secret[];
  deviceNames: CryptoKey;
  /** The one that makes hashes first, and then those that have made some before. */
  codes: readonly CryptoKey[];
}

async function prepareKeys(given: jose.JWK | undefined, former: readonly jose.JWK[]): Promise<Keys> {
  const signing = given ?? (await generateSigningKey());
  const published = await Promise.all([signing, ...former].map(publicJwkOf));
  const kid = published[0]?.kid;
  const secrets = await Promise.all(
    [signing, ...former].flatMap(({ d }) => (d === undefined ? [] : [deriveSecret(d, 'refresh tokens')])),
  );
  const hashing = async (use: string, { d = '' }: jose.JWK = signing): Promise<CryptoKey> => {
    const secret = await deriveSecret(d, use);
    return crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  };
  const publicKeys = await Promise.all(
    published.map(
      async (jwk) => [jwk.kid, (await jose.importJWK(jwk, tokenDefaults.accessAlgorithm)) as CryptoKey] as const,
    ),
  );
  return {
    writeAccess: await es256Writer(signing, {
      alg: tokenDefaults.accessAlgorithm,
      typ: tokenDefaults.accessType,
      kid,
    }),
    writeRefresh: await hs256Writer(secrets[0] as Secret, { alg: refreshAlgorithm, typ: tokenDefaults.refreshType }),
    publicKeys: new Map(publicKeys),
    published,
    refreshKeys: secrets,
    deviceNames: await hashing('device names'),
    codes: await Promise.all(
      [signing, ...former.filter(({ d }) => d !== undefined)].map((key) => hashing('one-time codes', key)),
    ),
  };
}

/** A key as it is published: without its secret, and by the id that tokens name it by. */
export async function publicJwkOf({ kty, crv, x, y }: jose.JWK): Promise<jose.JWK & { kid: string }> {
  const kid = await jose.calculateJwkThumbprint({ kty, crv, x, y } as jose.JWK);
  return { kty, crv, x, y, kid, alg: tokenDefaults.accessAlgorithm, use: 'sig' } as jose.JWK & { kid: string };
}

async function generateSigningKey(): Promise<jose.JWK> {
  const { privateKey } = await jose.generateKeyPair(tokenDefaults.accessAlgorithm, { extractable: true });
  return jose.exportJWK(privateKey);
}

type Secret = Uint8Array<ArrayBuffer>;

/** Derives a key from the signing key, so that a service has one secret to keep. */
async function deriveSecret(secret: string, use: string): Promise<Secret> {
  const material = await crypto.subtle.importKey('raw', jose.base64url.decode(secret).slice(), 'HKDF', false, [
    'deriveBits',
  ]);
  const info = new TextEncoder().encode(use);
  const bits = await crypto.subtle.deriveBits(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(32), info },
    material,
    256,
  );
  return new Uint8Array(bits);
}

function claimsOf(session: SessionKey, token: { jti: string; iat: number; exp: number }, iss: string): AccessClaims {
  // Always in this order, so that the same claims give the same text.
  return {
    iss,
    aud: session.gameId,
    env: session.environment,
    sub: session.accountId,
    sid: session.sessionId,
    jti: token.jti,
    iat: token.iat,
    exp: token.exp,
  };
}

async function read(
  token: string,
  finders: readonly jose.JWTVerifyGetKey[],
  expected: { algorithms: string[]; typ: string },
  now: number,
  issuer: string,
): Promise<AccessClaims> {
  for (const find of finders) {
    try {
      const { payload } = await jose.jwtVerify(token, find, { ...expected, issuer, currentDate: new Date(now) });
      const claims = accessClaims.safeParse(payload);
      if (claims.success) return claims.data;
    } catch (error) {
      if (error instanceof jose.errors.JWTExpired) throw new Refusal('token_expired');
      if (!(error instanceof jose.errors.JOSEError)) throw error;
    }
  }
  throw new Refusal('unauthorized');
}

export function sessionKeyOf(claims: AccessClaims): SessionKey {
  return { gameId: claims.aud, environment: claims.env, accountId: claims.sub, sessionId: claims.sid };
}

/** The refresh token that the session's client should have. */
export function latestRefreshToken(session: SessionRecord): RefreshRecord {
  const latest = session.refreshTokens.at(-1);
  if (latest === undefined) throw new Error('A session has no refresh token.');
  return latest;
}
