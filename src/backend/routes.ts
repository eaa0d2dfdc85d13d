import * as playerPaths from '../protocol/player-paths.js';
import { playerPatterns } from '../protocol/player-patterns.js';
import { documentPath, paths, patterns } from '../protocol/routes.js';

/** Every address of the service by a short name, as a pattern for the router. */
export const routePatterns = {
  serverAuth: paths.serverAuth,
  collection: patterns.collection,
  entry: patterns.entry,
  jwks: paths.jwks,
  openApi: documentPath,
  guest: playerPaths.guest,
  name: playerPaths.name,
  identity: playerPaths.identity,
  social: playerPaths.social,
  recovery: playerPaths.recovery,
  peek: playerPatterns.peek,
  conflict: playerPaths.conflict,
  conflictSides: playerPaths.conflictSides,
  refresh: playerPaths.refresh,
  signOut: playerPaths.signOut,
  account: playerPaths.account,
  accountExport: playerPaths.accountExport,
  password: playerPaths.password,
  recoveryCode: playerPaths.recoveryCode,
  snapshots: playerPaths.snapshots,
  snapshot: playerPatterns.snapshot,
  restoreSnapshot: playerPatterns.restoreSnapshot,
  method: playerPatterns.method,
  playerCollection: playerPatterns.collection,
  playerEntry: playerPatterns.entry,
} as const;

export type RouteName = keyof typeof routePatterns;

/** A route by its short name or by its pattern. */
export type Route = RouteName | (typeof routePatterns)[RouteName];

/** True for the addresses that a page may be allowed to call: never the private API, nor signed requests. */
export function isForPages(path: string): boolean {
  if (path === paths.serverAuth) return false;
  return path.startsWith('/v2/auth/') || path.startsWith('/v2/cl/') || path === paths.jwks || path === documentPath;
}
