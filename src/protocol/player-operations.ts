import type { Operations } from './addresses.js';

/** What a player's client asks. */
export const playerOperations = {
  signInAsGuest: { method: 'POST', path: '/v2/auth/guest' },
  signInWithName: { method: 'POST', path: '/v2/auth/name' },
  signInWithIdentityToken: { method: 'POST', path: '/v2/auth/identity' },
  signInWithSocialToken: { method: 'POST', path: '/v2/auth/social' },
  signInWithRecoveryCode: { method: 'POST', path: '/v2/auth/recovery' },
  requestReset: { method: 'POST', path: '/v2/auth/reset/request' },
  resetPassword: { method: 'POST', path: '/v2/auth/reset' },
  peek: { method: 'POST', path: '/v2/auth/peek/:method' },
  resolveConflict: { method: 'POST', path: '/v2/auth/conflict' },
  readConflictSides: { method: 'POST', path: '/v2/auth/conflict/sides' },
  refreshSession: { method: 'POST', path: '/v2/auth/refresh' },
  signOut: { method: 'POST', path: '/v2/auth/sign-out' },
  signOutOthers: { method: 'POST', path: '/v2/auth/sign-out-others' },
  readAccount: { method: 'GET', path: '/v2/auth/account' },
  readUsage: { method: 'GET', path: '/v2/auth/account/usage' },
  deleteAccount: { method: 'DELETE', path: '/v2/auth/account' },
  listDevices: { method: 'GET', path: '/v2/auth/account/devices' },
  revokeDevice: { method: 'DELETE', path: '/v2/auth/account/devices/:device' },
  exportAccount: { method: 'GET', path: '/v2/auth/account/export' },
  changePassword: { method: 'POST', path: '/v2/auth/account/password' },
  setAddress: { method: 'POST', path: '/v2/auth/account/address' },
  verifyAddress: { method: 'POST', path: '/v2/auth/account/address/verification' },
  makeRecoveryCode: { method: 'POST', path: '/v2/auth/account/recovery-code' },
  unlinkMethod: { method: 'DELETE', path: '/v2/auth/methods/:method' },
  listSnapshots: { method: 'GET', path: '/v2/auth/account/snapshots' },
  addSnapshot: { method: 'POST', path: '/v2/auth/account/snapshots' },
  readSnapshot: { method: 'GET', path: '/v2/auth/account/snapshots/:snapshot' },
  restoreSnapshot: { method: 'POST', path: '/v2/auth/account/snapshots/:snapshot/restore' },
  listCollections: { method: 'GET', path: '/v2/cl/games/:game/collections' },
  readCollection: { method: 'GET', path: '/v2/cl/games/:game/collections/:collection' },
  updateEntry: { method: 'PATCH', path: '/v2/cl/games/:game/collections/:collection/:key' },
} as const satisfies Operations;

/** The operation that signs a player in by a login method, or links the method. */
export const signInOperations = {
  guest: 'signInAsGuest',
  name: 'signInWithName',
  identity: 'signInWithIdentityToken',
  social: 'signInWithSocialToken',
  recovery: 'signInWithRecoveryCode',
} as const satisfies { readonly [method: string]: keyof typeof playerOperations };
