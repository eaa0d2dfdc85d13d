import { type Area, answers, check, refuses } from '../contract.js';
import { alike, fact, sameUser } from '../facts.js';
import { asPlayer, nameOf, post } from '../requests.js';
import type { World } from '../world.js';

/** A name that nobody has. */
export function nobodysName(world: World): { username: string; password: string } {
  return { ...nameOf(world), username: `Nobody-${world.run}` };
}

/** It leads no further than to a wrong password: a sign-in without this would make an account of it. */
export const onlyThere = { intent: 'switch' };

/** What a stranger is told of names. */
export const names: Area = {
  name: 'Names of nobody',
  checks: [
    check(
      'gap',
      'a wrong password for a name',
      refuses('invalid_credentials'),
      post('name', (world) => ({ ...nameOf(world), ...onlyThere, password: `not the one of ${world.run}` })),
      { remember: 'wrongPassword' },
    ),
    check(
      'gap',
      'a name that nobody has',
      refuses('invalid_credentials', alike('wrongPassword', 'a wrong password')),
      post('name', (world) => ({ ...nobodysName(world), ...onlyThere })),
      { isTry: true },
    ),
  ],
};

/** No code that there is: the service makes six digits, and an operator 16 letters. */
const noCode = 'savepoint-check';

const newPassword = (name: (world: World) => { username: string }, more: object = {}) =>
  post('reset', (world) => ({
    username: name(world).username,
    code: noCode,
    new_password: `a stranger's for ${world.run}`,
    ...more,
  }));

const nothingSaid = fact('nothing in the body', ({ text }) => text === '', 'there is something in the body');

/** The door for who has forgotten a password: from outside it leads nowhere without the code that the game delivers. */
export const forgottenPasswords: Area = {
  name: 'Forgotten passwords',
  checks: [
    check(
      'gap',
      'a code for a name',
      answers(204, nothingSaid),
      post('reset/request', (world) => ({ username: nameOf(world).username })),
    ),
    check(
      'gap',
      'a code for a name that nobody has',
      answers(204, nothingSaid),
      post('reset/request', (world) => ({ username: nobodysName(world).username })),
    ),
    check('gap', 'a new password by a code of nobody', refuses('invalid_credentials'), newPassword(nameOf), {
      remember: 'wrongCode',
    }),
    check(
      'gap',
      'the same for a name that nobody has',
      refuses('invalid_credentials', alike('wrongCode', 'for a name')),
      newPassword(nobodysName),
    ),
    check(
      'gap',
      'a new password that is too short, by it',
      refuses('password_too_short'),
      newPassword(nameOf, { new_password: 'short' }),
    ),
    check('gap', 'the sessions of the name go on', answers(200, sameUser('guest')), asPlayer('guest', 'account')),
    check('gap', 'its password is the former one', answers(200, sameUser('guest')), post('name', nameOf)),
  ],
};
