import { type Area, answers, type Check, check, compare, refuses, textOf } from '../contract.js';
import { alike, fact, is, member, sameUser } from '../facts.js';
import { nameOf, post } from '../requests.js';
import type { World } from '../world.js';
import { nobodysName, onlyThere } from './refusals.js';

/** As many as the usual limits let somebody try, and one more. For two names they are all that an address may try. */
const tries = 6;

const limited = refuses(
  'rate_limited',
  fact(
    'Retry-After',
    ({ headers }) => /^\d+$/.test(String(headers['retry-after'])),
    'Retry-After is no number of seconds',
  ),
  is('retryAfterMs', 'integer'),
  is('limitName', 'text'),
);

/** Another name than the one that the other checks sign in by: it is locked for a minute. */
export const guessed = (world: World) => ({ ...nameOf(world), username: `Guessed-${world.run}` });

const guessAt = (name: (world: World) => { username: string }) =>
  post('name', (world) => ({ ...name(world), ...onlyThere, password: `a guess of ${world.run}` }), {
    device: 'stranger',
  });

const [guess, guessAtNobody] = [guessAt(guessed), guessAt(nobodysName)];

/** Where a name is refused that nobody has tried yet, it is the address that may not try any more. */
const guessAtAnother = guessAt((world) => ({ username: `Another-${world.run}` }));

/** Guesses on until it is refused. The first one was sent before. */
async function guessOn(world: World, send: typeof guess) {
  let [answer, count] = [await send(world), 2];
  for (; count < tries && answer.status !== limited.status; count += 1) answer = await send(world);
  return { answer, count, at: performance.now() };
}

const guesses: Check = {
  spec: 'gap',
  what: `${tries} wrong passwords from there, and as many for a name that nobody has`,
  expected: `${textOf(limited)}, for both after as many and for as long`,
  async look(world) {
    const known = await guessOn(world, guess);
    const unknown = await guessOn(world, guessAtNobody);
    const finding = compare(limited, known.answer, world);
    if (!finding.holds) return finding;
    const other = compare(limited, unknown.answer, world);
    if (known.count !== unknown.count && (await guessAtAnother(world)).status === limited.status) {
      return { ...finding, note: 'the address was limited before the names were: ask once more in ten minutes' };
    }
    if (!other.holds || known.count !== unknown.count) {
      return { holds: false, got: `${finding.got} after ${known.count}, and ${other.got} after ${unknown.count}` };
    }
    const [wait = 0, otherWait = 0] = [known, unknown].map(({ answer }) => Number(member(answer.json, 'retryAfterMs')));
    // Both began at another moment.
    const mayDiffer = unknown.at - known.at + aMoment;
    if (Math.abs(wait - otherWait) <= mayDiffer) return finding;
    return { holds: false, got: `${finding.got}, but one is to wait ${wait} ms, the other ${otherWait} ms` };
  },
};

const aMoment = 1_000;

/** What guessing a password comes to, for a stranger and for the owner. It uses up what an address may try. */
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
      refuses('invalid_credentials', alike('wrongPassword', 'a wrong password')),
      guessAtNobody,
    ),
    guesses,
    check('gap', 'the right password from there', limited, post('name', guessed, { device: 'stranger' })),
    check(
      'gap',
      'the right password from a device of the owner',
      answers(200, sameUser('custom')),
      post('name', guessed, { device: 'three' }),
    ),
  ],
};
