import { entrySegment } from './routes.js';

// Where the player's own wire is; what travels there is in player-wire.ts. Written out, each by itself: a bundle takes what
// is used, and names it shortly.

export const guest = '/v2/auth/guest';
export const name = '/v2/auth/name';
export const identity = '/v2/auth/identity';
export const social = '/v2/auth/social';
export const recovery = '/v2/auth/recovery';
/** One of these, by the method. */
export const entering = (method: string): string => `/v2/auth/${method}`;
export const peek = (method: string): string => `/v2/auth/peek/${method}`;
export const conflict = '/v2/auth/conflict';
export const conflictSides = '/v2/auth/conflict/sides';
export const refresh = '/v2/auth/refresh';
export const signOut = '/v2/auth/sign-out';
export const account = '/v2/auth/account';
export const accountExport = '/v2/auth/account/export';
export const password = '/v2/auth/account/password';
export const recoveryCode = '/v2/auth/account/recovery-code';
export const snapshots = '/v2/auth/account/snapshots';
export const snapshot = (id: string): string => `/v2/auth/account/snapshots/${encodeURIComponent(id)}`;
export const restoreSnapshot = (id: string): string => `${snapshot(id)}/restore`;
export const method = (linked: string): string => `/v2/auth/methods/${encodeURIComponent(linked)}`;
export const collection = (gameId: string, collectionName: string): string =>
  `/v2/cl/games/${gameId}/collections/${entrySegment(collectionName)}`;
export const entry = (gameId: string, collectionName: string, key: string): string =>
  `${collection(gameId, collectionName)}/${entrySegment(key)}`;
