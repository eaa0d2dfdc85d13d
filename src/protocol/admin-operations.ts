import type { Operations } from './addresses.js';

/** What an operator asks, with a key of the service and not of a game. */
export const adminOperations = {
  listGames: { method: 'GET', path: '/v2/admin/games' },
  listOperatorKeys: { method: 'GET', path: '/v2/admin/keys' },
  makeOperatorKey: { method: 'POST', path: '/v2/admin/keys' },
  revokeOperatorKey: { method: 'DELETE', path: '/v2/admin/keys/:id' },
  readAuditLog: { method: 'GET', path: '/v2/admin/audit' },
  listPlayers: { method: 'GET', path: '/v2/admin/games/:game/players' },
  readPlayer: { method: 'GET', path: '/v2/admin/games/:game/players/:user' },
  readPlayerAudit: { method: 'GET', path: '/v2/admin/games/:game/players/:user/audit' },
  listPlayerEntries: { method: 'GET', path: '/v2/admin/games/:game/players/:user/entries' },
  readPlayerEntry: { method: 'GET', path: '/v2/admin/games/:game/players/:user/entries/:collection/:key' },
  listPlayerSnapshots: { method: 'GET', path: '/v2/admin/games/:game/players/:user/snapshots' },
  readPlayerSnapshot: { method: 'GET', path: '/v2/admin/games/:game/players/:user/snapshots/:snapshot' },
  exportPlayer: { method: 'GET', path: '/v2/admin/games/:game/players/:user/export' },
  updatePlayerEntry: { method: 'PATCH', path: '/v2/admin/games/:game/players/:user/entries/:collection/:key' },
  restorePlayerSnapshot: {
    method: 'POST',
    path: '/v2/admin/games/:game/players/:user/snapshots/:snapshot/restore',
  },
  signOutPlayer: { method: 'POST', path: '/v2/admin/games/:game/players/:user/sign-out' },
  unlinkPlayerMethod: { method: 'DELETE', path: '/v2/admin/games/:game/players/:user/methods/:method' },
  revokePlayerDevice: { method: 'DELETE', path: '/v2/admin/games/:game/players/:user/devices/:device' },
  banPlayer: { method: 'POST', path: '/v2/admin/games/:game/players/:user/ban' },
  unbanPlayer: { method: 'DELETE', path: '/v2/admin/games/:game/players/:user/ban' },
  deletePlayer: { method: 'DELETE', path: '/v2/admin/games/:game/players/:user' },
  restorePlayer: { method: 'POST', path: '/v2/admin/games/:game/players/:user/restore' },
  mergePlayers: { method: 'POST', path: '/v2/admin/games/:game/players/:user/merge' },
  undoPlayerChoice: { method: 'POST', path: '/v2/admin/games/:game/players/:user/choices/:choice/undo' },
  makeResetCode: { method: 'POST', path: '/v2/admin/games/:game/players/:user/reset-code' },
} as const satisfies Operations;
