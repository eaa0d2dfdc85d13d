import { bearer } from '../../wire.js';
import { type Area, answers, check, refuses } from '../contract.js';
import { fact, has, is, listAt, member, methods, sameUser, session } from '../facts.js';
import { asPlayer, deviceOf, nameOf, ownEntry, ownPath, post } from '../requests.js';
import type { World } from '../world.js';
import { hasTimes } from './devices.js';

/** Another environment than the one of this run. */
export function otherEnvironment({ environment }: World): number {
  return environment === 1 ? 2 : 1;
}

const noGame = '11111111-1111-4111-8111-111111111111';

/** Guests, names and tokens, and what a player does with an account. */
export const players: Area = {
  name: 'Players',
  checks: [
    check('5.3', 'a new device signs in as a guest', answers(200, ...session, methods('device')), post('guest'), {
      remember: 'guest',
    }),
    check('1', 'the same device again', answers(200, ...session, sameUser('guest')), post('guest'), {
      remember: 'again',
    }),
    check(
      'gap',
      'a guest without a proper device id',
      refuses('invalid_request'),
      post('guest', () => ({ device_id: 'short' })),
    ),
    check(
      '2.4',
      'a guest of no environment',
      refuses('invalid_env'),
      post('guest', () => ({ env: 7 })),
    ),
    check(
      'gap',
      'a guest of another game',
      refuses('not_found'),
      post('guest', () => ({ game_id: noGame })),
    ),
    check(
      '3',
      'a free name is linked to the account',
      answers(200, ...session, sameUser('guest'), methods('device', 'name')),
      post('name', nameOf, { as: 'guest' }),
      { remember: 'named' },
    ),
    check('gap', 'the own name once more', answers(200, sameUser('guest')), post('name', nameOf, { as: 'guest' })),
    check(
      'gap',
      'a second name for the account',
      refuses('method_already_linked'),
      post('name', (world) => ({ ...nameOf(world), username: `Other-${world.run}` }), { as: 'guest' }),
      { isTry: true },
    ),
    check(
      '3',
      'the name signs in to its account, in other letters too',
      answers(200, ...session, sameUser('guest')),
      post('name', (world) => ({ ...nameOf(world), username: nameOf(world).username.toUpperCase() })),
      { remember: 'byName' },
    ),
    check(
      'gap',
      'a wrong password',
      refuses(
        'invalid_credentials',
        fact('nothing echoed', ({ text }, { run }) => !text.includes(run), 'the answer holds what was sent'),
      ),
      post('name', (world) => ({ ...nameOf(world), password: `not the one of ${world.run}` })),
    ),
    check(
      'gap',
      'a name with a character that nobody sees',
      refuses('name_not_allowed', has('reason', 'invisible_characters')),
      post('name', (world) => ({ ...nameOf(world), username: `${nameOf(world).username}\u200b` })),
      { isTry: true },
    ),
    check(
      'gap',
      'a name of nothing',
      refuses('name_not_allowed', has('reason', 'empty')),
      post('name', (world) => ({ ...nameOf(world), username: '' })),
    ),
    check(
      'gap',
      'a name that is too long',
      refuses('name_not_allowed', has('reason', 'too_long')),
      post('name', (world) => ({ ...nameOf(world), username: 'a'.repeat(1_000) })),
    ),
    check(
      '4.4',
      'an identity token of no known provider',
      refuses('invalid_credentials'),
      post('identity', () => ({ token: 'a.b.c' })),
    ),
    check(
      '4.4',
      'a social token of no registered platform',
      refuses('platform_not_registered', is('platforms', 'list')),
      post('social', () => ({ token: 'a', platform: 'savepoint-check' })),
    ),
    check(
      'gap',
      'the account and what leads to it',
      answers(
        200,
        sameUser('guest'),
        fact('methods', ({ json }) => linked(json).join() === 'device,name', 'the methods are others'),
        fact('since when, and when last used', ({ json }) => hasTimes(json, 'methods'), 'a time is missing'),
      ),
      asPlayer('guest', 'account'),
    ),
    check('gap', 'the account without a token', refuses('unauthorized'), (world) =>
      world.toAuth({ path: '/v2/auth/account' }),
    ),
    check('gap', 'the account with a token of nobody', refuses('unauthorized'), (world) =>
      world.toAuth({ path: '/v2/auth/account', headers: [bearer('a.b.c')] }),
    ),
    check(
      'gap',
      'a player writes an own entry',
      answers(200, has('version', 0)),
      ownEntry('PATCH', '{"value":{"coins":1},"version":-1}'),
    ),
    check(
      'gap',
      'and reads it',
      answers(200, has('', [{ key: 'main', value: { coins: 1 }, version: 0 }])),
      ownEntry('GET'),
    ),
    check('gap', 'a player in another environment', refuses('wrong_env'), (world) =>
      world.toBase({
        path: ownPath(world, '', otherEnvironment(world)),
        headers: [bearer(world.said('guest').accessToken)],
      }),
    ),
    check('gap', "a player's entries without a token", refuses('unauthorized'), (world) =>
      world.toBase({ path: ownPath(world, '') }),
    ),
    check(
      'gap',
      'what a name would do, asked before',
      answers(200, has('outcome', 'mine')),
      post('peek/name', (world) => ({ ...nameOf(world), device_id: deviceOf(world) }), { as: 'guest' }),
    ),
  ],
};

function linked(json: unknown): unknown[] {
  const kinds = listAt(json, 'methods').map((one) => member(one, 'method'));
  return [...new Set(kinds)].sort();
}
