import { entryNameProblem } from './entry-name.js';

/** Where the spec's endpoints are, below `{base_url}` and `{auth_url}`. */
export const paths = {
  /** @see Spec 4.3 */
  serverAuth: '/v2/auth/server',
  /** The service's public keys, below `{auth_url}`. Ours. */
  jwks: '/.well-known/jwks.json',
  /** @see Spec 4.1 */
  collection: (gameId: string, userId: string, collection: string): string =>
    `/v2/pr/games/${gameId}/saves/${userId}/collections/${entrySegment(collection)}`,
  /** @see Spec 4.2 */
  entry: (gameId: string, userId: string, collection: string, key: string): string =>
    `${paths.collection(gameId, userId, collection)}/${entrySegment(key)}`,
} as const;

/** Where the service describes itself. Ours; apart from the others, so that no page carries it. */
export const documentPath = '/openapi.json';

/** The same addresses as patterns, for a router. */
export const patterns = {
  collection: '/v2/pr/games/:game/saves/:user/collections/:collection',
  entry: '/v2/pr/games/:game/saves/:user/collections/:collection/:key',
} as const;

/** The query parameter that selects the environment (Spec 4). */
export const envParameter = 'env';

/** A base address without its trailing slashes, so that a path can follow it. Throws TypeError for what is no http(s) address. */
export function baseAddress(value: unknown, option: string): string {
  let url: URL | undefined;
  try {
    url = new URL(value as string);
  } catch {
    // No address of any kind.
  }
  if (url === undefined || !/^https?:/.test(url.href)) {
    throw new TypeError(`${option} must be an absolute http(s) address`);
  }
  if (url.search + url.hash + url.username + url.password !== '') {
    throw new TypeError(`${option} must have no query, no fragment and no credentials`);
  }
  return url.href.replace(/\/+$/, '');
}

/**
 * A collection's name or an entry's key as one segment of a path.
 * Throws TypeError for a name that could not be stored, or that a URL parser would eat (`.`, `..`).
 */
export function entrySegment(name: string): string {
  const wrong = entryNameProblem(name);
  if (wrong !== null) throw new TypeError(wrong);
  return encodeURIComponent(name);
}

/** Whether a path, below `{base_url}` or `{auth_url}`, is the service's to answer. */
export function isServicePath(path: string): boolean {
  return path.startsWith('/v2/') || [paths.jwks, documentPath].includes(path.replace(/\/$/, ''));
}
