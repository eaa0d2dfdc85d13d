import * as accessTokens from '../../protocol/gaps/access-tokens.js';

/**
 * Reads the user and the end that an access token names, without checking its signature; nothing where it is no JWT.
 */
export function readClaims(token: string): { sub?: unknown; exp?: unknown; sid?: unknown; wire?: unknown } {
  try {
    const claims: unknown = JSON.parse(atob((token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/')));
    return typeof claims === 'object' && claims !== null ? claims : {};
  } catch {
    return {};
  }
}

/**
 * Whether a write to the service that made this token may carry its name. An earlier service of ours, which names the
 * session and not the wire, ignores the header, and its CORS keeps a page from sending it; of other services nobody
 * knows, and a header that they do not know they ignore.
 */
export function takesWriteNames(token: string): boolean {
  const { sid, wire } = readClaims(token);
  return sid === undefined || Number(wire) >= accessTokens.wire;
}
