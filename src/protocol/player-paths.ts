import { entrySegment } from './routes.js';

export const authPath = '/v2/auth';

/** Where the player's own wire is; what travels there is in player-wire.ts. */
export const playerPaths = {
  guest: `${authPath}/guest`,
  name: `${authPath}/name`,
  identity: `${authPath}/identity`,
  social: `${authPath}/social`,
  recovery: `${authPath}/recovery`,
  peek: (method: string): string => `${authPath}/peek/${method}`,
  conflict: `${authPath}/conflict`,
  conflictSides: `${authPath}/conflict/sides`,
  refresh: `${authPath}/refresh`,
  signOut: `${authPath}/sign-out`,
  account: `${authPath}/account`,
  accountExport: `${authPath}/account/export`,
  password: `${authPath}/account/password`,
  recoveryCode: `${authPath}/account/recovery-code`,
  snapshots: `${authPath}/account/snapshots`,
  snapshot: (id: string): string => `${authPath}/account/snapshots/${encodeURIComponent(id)}`,
  restoreSnapshot: (id: string): string => `${playerPaths.snapshot(id)}/restore`,
  method: (method: string): string => `${authPath}/methods/${encodeURIComponent(method)}`,
  collection: (gameId: string, collection: string): string =>
    `/v2/cl/games/${gameId}/collections/${entrySegment(collection)}`,
  entry: (gameId: string, collection: string, key: string): string =>
    `${playerPaths.collection(gameId, collection)}/${entrySegment(key)}`,
} as const;
