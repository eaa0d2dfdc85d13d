import { authPath } from './player-paths.js';

/** The addresses of player-paths.ts as patterns, for a router. */
export const playerPatterns = {
  method: `${authPath}/methods/:method`,
  peek: `${authPath}/peek/:method`,
  snapshot: `${authPath}/account/snapshots/:snapshot`,
  restoreSnapshot: `${authPath}/account/snapshots/:snapshot/restore`,
  collection: '/v2/cl/games/:game/collections/:collection',
  entry: '/v2/cl/games/:game/collections/:collection/:key',
} as const;
