import { testStart } from '../service.js';
import { asPlayer, type DoorCase, refused } from './door-case.js';

/** After these there is no session left. */
export const lastCases: readonly DoorCase[] = [
  {
    name: 'deletes an account',
    request: asPlayer('cloud', '/v2/auth/account', 'DELETE'),
    status: 200,
    body: { userId: '<uuid>', removedAt: testStart + 30 * 86_400_000, recoveryCode: '<recoveryCode>' },
  },
  { name: 'and with it its sessions', request: asPlayer('guest', '/v2/auth/account'), ...refused('unauthorized') },
];
