import type { Operations } from './addresses.js';

/** What an operator asks, with a key of the service and not of a game. */
export const adminOperations = {
  listGames: { method: 'GET', path: '/v2/admin/games' },
  listOperatorKeys: { method: 'GET', path: '/v2/admin/keys' },
  makeOperatorKey: { method: 'POST', path: '/v2/admin/keys' },
  revokeOperatorKey: { method: 'DELETE', path: '/v2/admin/keys/:id' },
  readAuditLog: { method: 'GET', path: '/v2/admin/audit' },
} as const satisfies Operations;
