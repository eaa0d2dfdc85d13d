import { bearer, jsonType } from '../../wire.js';
import { type Area, answers, type Check, check, compare, refuses, textOf } from '../contract.js';
import { fact, has, is, member, sameUser } from '../facts.js';
import { asPlayer, nameOf, post } from '../requests.js';
import type { World } from '../world.js';

/** As many as the usual limits let somebody try, and one more. */
const tries = 6;

const limited = refuses(
  'rate_limited',
  fact(
    'Retry-After',
    ({ headers }) => /^\d+$/.test(String(headers['retry-after'])),
    'Retry-After is no number of seconds',
  ),
  is('retryAfterMs', 'integer'),
);

/** Another name than the one that the other checks sign in by: it is locked for a minute. */
const guessed = (world: World) => ({ ...nameOf(world), username: `Guessed-${world.run}` });

const guess = post('name', (world) => ({ ...guessed(world), password: `a guess of ${world.run}` }), {
  device: 'stranger',
});

const guesses: Check = {
  spec: 'gap',
  what: `${tries} wrong passwords from a device that nobody knows`,
  expected: textOf(limited),
  async look(world) {
    let answer = await guess(world);
    for (let count = 1; count < tries && answer.status !== limited.status; count += 1) answer = await guess(world);
    return compare(limited, answer, world);
  },
};

const full = refuses('quota_exceeded', has('quota', 'collections'), is('limit', 'integer'), is('used', 'integer'));

/** A service that lets an account have more than this has no limit that can be reached from outside. */
const mostCollections = 1_000;

const collections: Check = {
  spec: 'gap',
  what: 'a collection more than the account may have',
  expected: textOf(full),
  async look(world) {
    const { json } = await asPlayer('custom', 'account/usage')(world);
    const most = Math.min(Number(member(json, 'collections.limit')) || 0, mostCollections);
    const begin = (count: number) =>
      world.toBase({
        method: 'PATCH',
        path: `/v2/cl/games/${world.gameId}/collections/savepoint-check-${count}/main?env=${world.environment}`,
        headers: [bearer(world.said('custom').accessToken), jsonType],
        body: '{"value":{},"version":-1}',
      });
    let answer = await begin(0);
    for (let count = 1; count <= most && answer.status === 200; count += 1) answer = await begin(count);
    return compare(full, answer, world);
  },
};

/**
 * What guessing a password comes to, for a stranger and for the owner, and a full account. It uses up most of
 * what an address may try.
 */
export const rateLimits: Area = {
  name: 'Limits',
  checks: [
    check(
      '3',
      'a name for the third player',
      answers(200, sameUser('custom')),
      post('name', guessed, { as: 'custom', device: 'three' }),
    ),
    guesses,
    check('gap', 'the right password from there', limited, post('name', guessed, { device: 'stranger' })),
    check(
      'gap',
      'the right password from a device of the owner',
      answers(200, sameUser('custom')),
      post('name', guessed, { device: 'three' }),
    ),
    collections,
  ],
};
