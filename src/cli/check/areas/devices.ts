import { type Area, answers, check, refuses } from '../contract.js';
import { fact, listAt, member, methods, sameUser, session } from '../facts.js';
import { asPlayer, post } from '../requests.js';
import type { World } from '../world.js';
import { everyQuota } from './quotas.js';

const linkDevice = post('guest', undefined, { as: 'otherBack', device: 'four' });
const signInThere = post('guest', undefined, { device: 'four' });

/** What leads to the account of the other user, and how the player throws somebody out. */
export const devices: Area = {
  name: 'Devices',
  checks: [
    check('gap', 'a device is linked to the other user', answers(200, ...session, sameUser('other')), linkDevice),
    check('gap', 'a session on that device', answers(200, ...session, sameUser('other')), signInThere, {
      remember: 'onFour',
    }),
    check(
      'gap',
      'the devices of the account',
      answers(
        200,
        fact('one, the current one', ({ json }) => listed(json).join() === 'true', 'the devices are others'),
        fact('since when, and when last used', ({ json }) => hasTimes(json, 'devices'), 'a time is missing'),
        fact('no device id', ({ text }, { run }) => !text.includes(run), 'the answer holds a device id'),
      ),
      asPlayer('onFour', 'account/devices'),
      { remember: 'devices' },
    ),
    check('gap', 'the device is revoked', answers(204), revoke),
    check('gap', 'the session on it has ended', refuses('unauthorized'), asPlayer('onFour', 'account')),
    check('gap', 'a device that there is not any more', refuses('not_found'), revoke),
    check('gap', 'the session that asked goes on', answers(200, sameUser('other')), asPlayer('otherBack', 'account')),
    check('gap', 'the device is linked once more', answers(200, sameUser('other')), linkDevice),
    check('gap', 'a session on it', answers(200, ...session, sameUser('other')), signInThere, {
      remember: 'onFourAgain',
    }),
    check(
      'gap',
      'all others are signed out, and what was linked since goes',
      answers(200, ...session, sameUser('other'), methods('custom')),
      post('sign-out-others', (world) => ({ unlink_since: world.said('otherBack').time }), { as: 'otherBack' }),
      // By it the account is deleted in the end.
      { remember: 'othersOut' },
    ),
    check('gap', 'the session on the device has ended', refuses('unauthorized'), asPlayer('onFourAgain', 'account')),
    check('gap', 'the former session of the player too', refuses('unauthorized'), asPlayer('otherBack', 'account')),
    check(
      'gap',
      'a sign-out of others without a moment',
      refuses('invalid_request'),
      post('sign-out-others', () => ({}), { as: 'othersOut' }),
    ),
    check(
      'gap',
      'how much the account holds, and how much it may',
      answers(
        200,
        ...everyQuota,
        fact('one session, no device', ({ json }) => used(json) === '1,0', 'what is used is another number'),
      ),
      asPlayer('othersOut', 'account/usage'),
    ),
  ],
};

async function revoke(world: World) {
  const [device] = world.said('devices').devices;
  return asPlayer('otherBack', `account/devices/${encodeURIComponent(String(device?.id))}`, 'DELETE')(world);
}

/** Of each device whether it is the one that asks. */
function listed(json: unknown): unknown[] {
  return listAt(json, 'devices').map((one) => member(one, 'isCurrent'));
}

/** Whether each of a list says since when it leads to the account, and when it was last used. */
export function hasTimes(json: unknown, list: 'devices' | 'methods'): boolean {
  const found = member(json, list);
  if (!Array.isArray(found)) return false;
  return found.every((one) => {
    const [linkedAt, lastUsedAt] = [member(one, 'linkedAt'), member(one, 'lastUsedAt')];
    return typeof linkedAt === 'number' && typeof lastUsedAt === 'number' && linkedAt > 0 && linkedAt <= lastUsedAt;
  });
}

function used(json: unknown): string {
  return [member(json, 'sessions.used'), member(json, 'devices.used')].join();
}
