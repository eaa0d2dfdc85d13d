import { pathOf } from '../../../protocol/addresses.js';
import { operations } from '../../../protocol/operations.js';
import { bearer } from '../../wire.js';
import type { Answer } from '../ask.js';
import { type Area, answers, check, notAsked, refuses } from '../contract.js';
import { fact, is, member, sameUser, session } from '../facts.js';
import { asPlayer, changePassword, nameOf, passwordOf, post, refresh } from '../requests.js';
import { NotThere, type World } from '../world.js';
import { choose, clash } from './conflicts.js';
import { revokedInFlight } from './in-flight.js';
import { ended } from './ways-in.js';

const name = 'A password reset';

/** A code for the owner of the name. Only an operator is told one: the game delivers its own to the player alone. */
async function makeCode(world: World): Promise<Answer> {
  const { operatorKey } = world;
  if (operatorKey === null) throw new NotThere();
  const path = pathOf(operations.makeResetCode, { game: world.gameId, user: world.said('cloud').userId });
  return world.toBase({
    method: 'POST',
    path: `${path}?env=${world.environment}`,
    headers: [bearer(operatorKey)],
  });
}

/** Sets the password that is not the one of the run, or another one. */
const setPassword = (to: (world: World) => string) =>
  post('reset', (world) => ({
    username: nameOf(world).username,
    code: world.said('resetCode').code,
    new_password: to(world),
  }));

const newPassword = (world: World): string => passwordOf('new', world);

/** What a new password by a code ends. The account plays on the first two devices by now, and has the name. */
export const passwordReset: Area = {
  name,
  checks: [
    check('3', 'a session by the name', answers(200, ...session, sameUser('cloud')), post('name', nameOf), {
      remember: 'beforeReset',
    }),
    check('3', 'another one', answers(200, ...session, sameUser('cloud')), post('name', nameOf, { device: 'two' }), {
      remember: 'duringReset',
    }),
    clash('the name on the fifth device', 'fifth', 'cloud', 'five', 'conflictReset'),
    check(
      'gap',
      'an operator makes a code',
      answers(
        200,
        is('code', 'text'),
        is('expiresAt', 'integer'),
        fact('', ({ json }, world) => member(json, 'name') === nameOf(world).username, 'the name is another one'),
      ),
      makeCode,
      { remember: 'resetCode' },
    ),
    revokedInFlight('a new password by it during refreshes and sign-ins by the former one', {
      revoke: setPassword(newPassword),
      session: 'duringReset',
      signIn: post('name', nameOf),
    }),
    ended('a session of before the code was used', 'beforeReset'),
    check('gap', 'its refresh token', refuses('unauthorized'), refresh('beforeReset')),
    ended('a session of before the code was made', 'cloud'),
    check('gap', 'the ticket of before', refuses('conflict_stale'), choose('conflictReset', 'cloud', 'five')),
    check('gap', 'the former password after the code', refuses('invalid_credentials'), post('name', nameOf)),
    check(
      'gap',
      'the new password leads to the account',
      answers(200, ...session, sameUser('cloud')),
      post('name', (world) => ({ ...nameOf(world), password: newPassword(world) })),
      // By it the account is deleted in the end.
      { remember: 'cloud' },
    ),
    check('gap', 'the code with the same password (a lost answer)', answers(204), setPassword(newPassword)),
    check(
      'gap',
      'the code once more, with another password',
      refuses('invalid_credentials'),
      setPassword((world) => `another ${passwordOf('former', world)}`),
    ),
    check(
      'gap',
      'the session by the new password goes on',
      answers(200, sameUser('cloud')),
      asPlayer('cloud', 'account'),
    ),
    check(
      'gap',
      'the former password in its place again',
      answers(204),
      changePassword('new', 'former', { as: 'cloud' }),
    ),
  ],
};

/** Nobody but an operator is told a code that there is, so that without an operator's key none of it can be asked. */
export const passwordResetNotAsked: Area = {
  name,
  checks: [
    {
      spec: 'gap',
      what: 'what a new password by a code ends',
      expected: 'every session, ticket and request of before, and the code itself',
      look: async () =>
        notAsked(
          "it takes an operator's key with the scope support: --operator-key-file <file>, or SAVEPOINT_OPERATOR_KEY",
        ),
    },
  ],
};
