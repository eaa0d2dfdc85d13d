import type { Operations } from './addresses.js';
import { adminOperations } from './admin-operations.js';
import { playerOperations } from './player-operations.js';

/** What a game's back end asks. */
export const gameOperations = {
  authenticate: { method: 'POST', path: '/v2/auth/server' },
  readUserCollection: { method: 'GET', path: '/v2/pr/games/:game/saves/:user/collections/:collection' },
  readUserUsage: { method: 'GET', path: '/v2/pr/games/:game/saves/:user/usage' },
  updateUserEntry: { method: 'PATCH', path: '/v2/pr/games/:game/saves/:user/collections/:collection/:key' },
} as const satisfies Operations;

/** What the service says of itself. */
export const serviceOperations = {
  readPublicKeys: { method: 'GET', path: '/.well-known/jwks.json' },
  readApiDocument: { method: 'GET', path: '/openapi.json' },
} as const satisfies Operations;

/**
 * Every operation of the service, once: its name, and where it is. The requests of the SDKs, the service's handlers and
 * its OpenAPI document take both from here.
 */
export const operations = { ...gameOperations, ...playerOperations, ...adminOperations, ...serviceOperations };

export type OperationName = keyof typeof operations;

/** The path of an operation, as a pattern. */
export type OperationPath = (typeof operations)[OperationName]['path'];

/** Whether the service answers a path below `{base_url}` or `{auth_url}`. */
export function isServicePath(path: string): boolean {
  const own: readonly string[] = [serviceOperations.readPublicKeys.path, serviceOperations.readApiDocument.path];
  return path.startsWith('/v2/') || own.includes(path.replace(/\/$/, ''));
}
