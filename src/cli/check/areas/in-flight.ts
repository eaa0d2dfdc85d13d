import type { Answer } from '../ask.js';
import { type Area, answers, type Check, check, compare, type Finding, textOf } from '../contract.js';
import { member, sameUser, session } from '../facts.js';
import { changePassword, nameOf, otherUserOf, post, refresh, signed, withToken } from '../requests.js';
import type { World } from '../world.js';

type Send = (world: World) => Promise<Answer>;

/** A revocation takes the time of some hashes: so often somebody refreshes meanwhile, and not again and again for ever. */
const mostRefreshes = 60;

/** Two, so that they stay below what a device may try. */
const signIns = 2;

const done = answers(204);

/**
 * Revokes while refreshes of a session, and sign-ins by what is revoked, are under way, and looks whether any
 * session that they gave lives on.
 */
export function revokedInFlight(
  what: string,
  { revoke, session: from, signIn }: { revoke: Send; session: string; signIn?: Send },
): Check {
  return {
    spec: 'gap',
    what,
    expected: `${textOf(done)}, no session of before lives on`,
    async look(world) {
      const given: Answer[] = [];
      const keep = async (answer: Promise<Answer>): Promise<void> => {
        given.push(await answer);
      };
      let isUnderWay = true;
      const refreshing = async (): Promise<void> => {
        for (let count = 0; count < mostRefreshes && isUnderWay; count += 1) await keep(refresh(from)(world));
      };
      const revoking = revoke(world).finally(() => {
        isUnderWay = false;
      });
      const others = signIn === undefined ? [] : Array.from({ length: signIns }, () => keep(signIn(world)));
      const [revoked] = await Promise.all([revoking, refreshing(), ...others]);
      await keep(refresh(from)(world));
      const finding = compare(done, revoked, world);
      return finding.holds ? await endedAll(world, given) : finding;
    },
  };
}

async function endedAll(world: World, given: readonly Answer[]): Promise<Finding> {
  // A refresh that is repeated gives the same session: its latest access token stands for all of them.
  const living: Answer[] = [];
  for (const { json, status } of given) {
    if (status !== 200) continue;
    const answer = await withToken(member(json, 'accessToken'), 'account')(world);
    if (answer.status !== 401) living.push(answer);
  }
  return living.length === 0
    ? { holds: true, got: '204' }
    : { holds: false, got: `204, but of ${given.length} sessions and refreshes ${living.length} live on` };
}

/** What is under way while the owner shuts a door. */
export const inFlight: Area = {
  name: 'Revoked while it is under way',
  checks: [
    check('3', 'a session by the name', answers(200, ...session, sameUser('guest')), post('name', nameOf), {
      remember: 'nameInFlight',
    }),
    revokedInFlight('a new password during refreshes and sign-ins by the former one', {
      revoke: changePassword('former', 'new'),
      session: 'nameInFlight',
      signIn: post('name', nameOf),
    }),
    check('gap', 'the former password is taken again', answers(204), changePassword('new', 'former')),
    check('3', 'it leads to the account', answers(200, sameUser('guest')), post('name', nameOf)),
    check('4.3', 'a session of the other user', answers(200, sameUser('other')), signed({ body: otherUserOf }), {
      remember: 'otherInFlight',
    }),
    check('4.3', 'a second one of the other user', answers(200, sameUser('other')), signed({ body: otherUserOf }), {
      remember: 'otherEnding',
    }),
    revokedInFlight('a sign-out everywhere during refreshes', {
      revoke: post('sign-out', () => ({ everywhere: true }), { as: 'otherEnding' }),
      session: 'otherInFlight',
    }),
    check('4.3', 'the other user comes back', answers(200, sameUser('other')), signed({ body: otherUserOf }), {
      remember: 'other',
    }),
  ],
};
