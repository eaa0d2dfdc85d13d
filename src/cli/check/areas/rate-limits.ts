import { bearer, jsonType } from '../../wire.js';
import type { Answer } from '../ask.js';
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
  what: `${tries} wrong passwords from there`,
  expected: textOf(limited),
  async look(world) {
    let answer = await guess(world);
    // The first one was sent before.
    for (let count = 2; count < tries && answer.status !== limited.status; count += 1) answer = await guess(world);
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

const fullOfBytes = refuses('quota_exceeded', has('quota', 'values'), is('limit', 'integer'), is('used', 'integer'));

/** Less than the usual limit of one value. */
const textLength = 140_000;

/** A service that lets an account have more bytes than this has no limit that can be reached from outside. */
const mostBytes = 64 * 1024 ** 2;

const values: Check = {
  spec: 'gap',
  what: 'more bytes than the account may have',
  expected: textOf(fullOfBytes),
  async look(world) {
    const { json } = await asPlayer('custom', 'account/usage')(world);
    const most = Math.min(Number(member(json, 'values.limit')) || 0, mostBytes) / textLength;
    const value = { text: 'x'.repeat(textLength) };
    const write = (count: number) =>
      world.toBase({
        method: 'PATCH',
        path: `/v2/cl/games/${world.gameId}/collections/savepoint-check-0/${count}?env=${world.environment}`,
        headers: [bearer(world.said('custom').accessToken), jsonType],
        body: JSON.stringify({ value, version: -1 }),
      });
    let answer = await write(0);
    for (let count = 1; count <= most && answer.status === 200; count += 1) answer = await write(count);
    return compare(fullOfBytes, answer, world);
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
    check('gap', 'a wrong password from a device that nobody knows', refuses('invalid_credentials'), guess, {
      remember: 'wrongPassword',
    }),
    check(
      'gap',
      'a name that nobody has, from there',
      refuses('invalid_credentials', fact('as a wrong password', isAsWrongPassword, 'it can be told from that')),
      post('name', (world) => ({ ...nameOf(world), username: `Nobody-${world.run}`, intent: 'switch' }), {
        device: 'stranger',
      }),
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
    values,
  ],
};

/** An answer tells nothing about whether somebody has a name where it is that of a wrong password, but for its own id. */
function isAsWrongPassword({ json }: Answer, { said }: World): boolean {
  const told = (body: unknown) => JSON.stringify(Object.entries(body ?? {}).filter(([name]) => name !== 'requestId'));
  return told(json) === told(said('wrongPassword'));
}
