/**
 * Reads the user and the end that an access token names, without checking its signature; nothing where it is no JWT.
 */
export function readClaims(token: string): { sub?: unknown; exp?: unknown } {
  try {
    const claims: unknown = JSON.parse(atob((token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/')));
    return typeof claims === 'object' && claims !== null ? claims : {};
  } catch {
    return {};
  }
}
