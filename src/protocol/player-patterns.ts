/** The addresses of player-paths.ts as patterns, for a router. */
export const playerPatterns = {
  method: '/v2/auth/methods/:method',
  peek: '/v2/auth/peek/:method',
  snapshot: '/v2/auth/account/snapshots/:snapshot',
  restoreSnapshot: '/v2/auth/account/snapshots/:snapshot/restore',
  collection: '/v2/cl/games/:game/collections/:collection',
  entry: '/v2/cl/games/:game/collections/:collection/:key',
} as const;
