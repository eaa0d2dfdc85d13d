import { tokenDefaults } from '../../protocol/gaps/tokens.js';
import type { Check } from './contract.js';
import { member } from './facts.js';
import type { World } from './world.js';

/**
 * Whether the published keys verify an access token, as a game's back end would, and with nothing
 * of the service's own code.
 */
export function verifiedBy(published: string, holder: string): Check {
  return {
    spec: '2.5',
    what: 'they verify an access token, which says whose it is',
    expected: 'ES256, at+jwt, aud, env, sub, sid, exp',
    async look(world) {
      const wrong = await problemOf(world, published, holder);
      return { holds: wrong === null, got: wrong ?? 'verified' };
    },
  };
}

async function problemOf(world: World, published: string, holder: string): Promise<string | null> {
  const { accessToken, userId } = world.said(holder);
  const [head = '', claims = '', signature = ''] = accessToken.split('.');
  const header = decoded(head);
  if (member(header, 'alg') !== tokenDefaults.accessAlgorithm) return `alg is not ${tokenDefaults.accessAlgorithm}`;
  if (member(header, 'typ') !== tokenDefaults.accessType) return `typ is not ${tokenDefaults.accessType}`;
  const jwk = world.said(published).keys.find((key) => member(key, 'kid') === member(header, 'kid'));
  if (jwk === undefined) return 'no key has the kid of the token';
  if (!(await holds(jwk, `${head}.${claims}`, signature))) return 'the key does not verify it';
  return claimsProblem(world, decoded(claims), userId);
}

function claimsProblem(world: World, claims: unknown, userId: string): string | null {
  const wanted = { aud: world.gameId, sub: userId.toLowerCase(), env: world.environment };
  const other = Object.entries(wanted).find(([name, value]) => member(claims, name) !== value);
  if (other !== undefined) return `the claim ${other[0]} is another one`;
  if (typeof member(claims, 'sid') !== 'string') return 'the claim sid is missing';
  const exp = member(claims, 'exp');
  return typeof exp === 'number' && exp * 1000 > world.now() ? null : 'it has expired';
}

async function holds(jwk: JsonWebKey, text: string, signature: string): Promise<boolean> {
  const kind = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  try {
    const key = await crypto.subtle.importKey('jwk', jwk, kind, false, ['verify']);
    return await crypto.subtle.verify(kind, key, Buffer.from(signature, 'base64url'), Buffer.from(text));
  } catch {
    return false;
  }
}

function decoded(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
