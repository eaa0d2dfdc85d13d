import { entrySegment } from './routes.js';

const authPath = '/v2/auth';

/** Where the player's own wire is; what travels there is in player-wire.ts. */
export const playerPaths = {
  guest: `${authPath}/guest`,
  name: `${authPath}/name`,
  identity: `${authPath}/identity`,
  social: `${authPath}/social`,
  conflict: `${authPath}/conflict`,
  refresh: `${authPath}/refresh`,
  signOut: `${authPath}/sign-out`,
  account: `${authPath}/account`,
  method: (method: string): string => `${authPath}/methods/${encodeURIComponent(method)}`,
  collection: (gameId: string, collection: string): string =>
    `/v2/cl/games/${gameId}/collections/${entrySegment(collection)}`,
  entry: (gameId: string, collection: string, key: string): string =>
    `${playerPaths.collection(gameId, collection)}/${entrySegment(key)}`,
} as const;

/** The same addresses as patterns, for a router. */
export const playerPatterns = {
  method: `${authPath}/methods/:method`,
  collection: '/v2/cl/games/:game/collections/:collection',
  entry: '/v2/cl/games/:game/collections/:collection/:key',
} as const;
