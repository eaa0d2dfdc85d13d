import { serviceSizes } from '../../../protocol/gaps/service-sizes.js';
import type { Answer } from '../ask.js';
import { type Area, answers, type Check, check, compare, type Finding, refuses, textOf } from '../contract.js';
import { listAt, member, otherUser, sameUser, session } from '../facts.js';
import { deviceOf, post, signed, withToken } from '../requests.js';
import type { World } from '../world.js';

const ids = ['custom_user_id', 'device_id'] as const;
const { max } = serviceSizes.signedIdLength;

/** The assigned characters of a block that hardly anybody writes: rare Han signs (CJK extension A, Unicode 3.0). */
const rareSigns = { from: 0x3400, count: 6_582 };

/** Another one at each run: an id of one character would be a real player's sooner or later if it were always the same. */
function rareSign(run: string, which: 0 | 1): string {
  const drawn = Number.parseInt(run.slice(which * 8, which * 8 + 8), 16);
  return String.fromCharCode(rareSigns.from + (drawn % rareSigns.count));
}

/**
 * Leaves the sign to others, and the session too. An id that was free is linked to the guest on whose device it is
 * shown; where it leads to anybody else, that account stays as it is.
 */
async function leaveSign(world: World, answer: Answer): Promise<Partial<Finding>> {
  const { json } = answer;
  const [token, refreshToken] = [member(json, 'accessToken'), member(json, 'refreshToken')];
  const isOwn = sameUser('fifth').wrong(answer, world) === null;
  if (isOwn) await withToken(token, 'methods/custom', 'DELETE')(world);
  await post('sign-out', () => ({ refresh_token: refreshToken }))(world);
  return isOwn ? {} : { note: 'somebody has the id that was drawn: signed out again' };
}

/** The device is linked to the check's own player, or it is somebody's and was left alone. */
async function leaveDevice(world: World, { json }: Answer): Promise<void> {
  const token = member(json, 'accessToken');
  const { json: listed } = await withToken(token, 'account/devices')(world);
  const current = listAt(listed, 'devices').find((one) => member(one, 'isCurrent') === true);
  const id = encodeURIComponent(String(member(current, 'id')));
  if (current !== undefined) await withToken(token, `account/devices/${id}`, 'DELETE')(world);
}

const anySession = answers(200, ...session);
const customs = answers(200, ...session, sameUser('custom'));

const oneCharacter: readonly Check[] = [
  {
    spec: 'gap',
    what: 'a custom_user_id of 1 character',
    expected: textOf(anySession),
    async look(world) {
      const body = { custom_user_id: rareSign(world.run, 0), device_id: deviceOf(world, 'five') };
      // Without a guest of its own nobody could tell afterwards whose account it is.
      world.said('fifth');
      const answer = await signed({ body })(world);
      const finding = compare(anySession, answer, world);
      return finding.holds ? { ...finding, ...(await leaveSign(world, answer)) } : finding;
    },
  },
  {
    spec: 'gap',
    what: 'a device_id of 1 character',
    expected: textOf(customs),
    async look(world) {
      const answer = await signed({ body: { device_id: rareSign(world.run, 1) } })(world);
      const finding = compare(customs, answer, world);
      if (finding.holds) await leaveDevice(world, answer);
      return finding;
    },
  },
];

/** How short and how long the game's own ids may be. The other user of the run has a custom id of the longest kind. */
export const signedIds: Area = {
  name: 'Ids of signed requests',
  checks: [
    check(
      '5.3',
      'a fifth device is another guest',
      answers(200, ...session, otherUser('third')),
      post('guest', undefined, { device: 'five' }),
      { remember: 'fifth' },
    ),
    ...oneCharacter,
    check(
      'gap',
      `a device_id of ${max} characters`,
      customs,
      signed({ body: (world) => ({ device_id: `${deviceOf(world)}-`.padEnd(max, 'x') }) }),
    ),
    ...ids.flatMap((name): Check[] => [
      check('gap', `a ${name} of nothing`, refuses('invalid_request'), signed({ body: { [name]: '' } })),
      check(
        'gap',
        `a ${name} that is too long`,
        refuses('invalid_request'),
        signed({ body: { [name]: 'x'.repeat(max + 1) } }),
      ),
    ]),
  ],
};
