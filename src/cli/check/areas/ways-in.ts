import { type Area, answers, type Check, check, refuses } from '../contract.js';
import { fact, has, is, listAt, member, methods, sameUser, session, token } from '../facts.js';
import { asPlayer, changePassword, nameOf, otherUserOf, ownEntry, post, refresh, signed } from '../requests.js';

export const ended = (what: string, as: string): Check =>
  check('gap', what, refuses('unauthorized'), asPlayer(as, 'account'));

/** What leads to an account, and what ends with it. */
export const waysIn: Area = {
  name: 'Ways in',
  checks: [
    check('3', 'a session by the name', answers(200, ...session, sameUser('guest')), post('name', nameOf), {
      remember: 'byOldPassword',
    }),
    check(
      'gap',
      'a new password that is too short',
      refuses('password_too_short', has('minLength', 8)),
      post('account/password', (world) => ({ old_password: nameOf(world).password, new_password: 'short' }), {
        as: 'guest',
      }),
    ),
    check('gap', 'a new password', answers(204), changePassword('former', 'new')),
    ended('a session that came from the former password', 'byOldPassword'),
    check('gap', 'its refresh token has ended too', refuses('unauthorized'), refresh('byOldPassword')),
    check('gap', 'the session that asked goes on', answers(200, sameUser('guest')), asPlayer('guest', 'account')),
    check('gap', 'the former password', refuses('invalid_credentials'), post('name', nameOf)),
    check('gap', 'the former password as the new one', answers(204), changePassword('new', 'former')),
    check('3', 'a session by it', answers(200, ...session, sameUser('guest')), post('name', nameOf), {
      remember: 'byLinkedName',
    }),
    check(
      'gap',
      'the name is unlinked',
      answers(200, sameUser('guest'), fact('methods device', onlyDevice, 'the methods are others')),
      asPlayer('guest', 'methods/name', 'DELETE'),
    ),
    ended('a session that came from the unlinked name', 'byLinkedName'),
    check('gap', 'the last way in', refuses('would_orphan'), asPlayer('guest', 'methods/device', 'DELETE')),
    check('gap', 'a way in that there is not', refuses('not_found'), asPlayer('guest', 'methods/name', 'DELETE')),
    check(
      '3',
      'the name is linked again',
      answers(200, ...session, sameUser('guest'), methods('device', 'name')),
      post('name', nameOf, { as: 'guest' }),
      { remember: 'linkedAgain' },
    ),
    check('4.3', 'a second session of the other user', answers(200, sameUser('other')), signed({ body: otherUserOf }), {
      remember: 'otherAgain',
    }),
    check(
      'gap',
      'a sign-out everywhere',
      answers(204),
      post('sign-out', () => ({ everywhere: true }), { as: 'otherAgain' }),
    ),
    ended('the first session of the other user', 'other'),
    check('4.3', 'the other user comes back', answers(200, sameUser('other')), signed({ body: otherUserOf }), {
      remember: 'otherBack',
    }),
  ],
};

/** The time of an access token has whole seconds: so long after a link, a session is surely later than it. */
const laterMs = 2_000;
const recoveryCode = (as: string) => asPlayer(as, 'account/recovery-code', 'POST');

/** What makes a lasting way into an account, for whoever has nothing but its device. */
export const recentAuthentication: Area = {
  name: 'Recent authentication',
  checks: [
    check(
      'gap',
      'a session by the device of an account that has a name',
      answers(200, ...session, sameUser('second')),
      async (world) => {
        await world.since('local', laterMs);
        return post('guest')(world);
      },
      { isSlow: true, remember: 'byDevice' },
    ),
    check(
      'gap',
      'a recovery code by it',
      refuses('reauthentication_required', has('methods', ['name'])),
      recoveryCode('byDevice'),
      { isSlow: true },
    ),
    check(
      'gap',
      'another device by it',
      refuses('reauthentication_required'),
      post('guest', undefined, { as: 'byDevice', device: 'four' }),
      { isSlow: true },
    ),
    check(
      'gap',
      'an unlinked name by it',
      refuses('reauthentication_required', has('methods', ['name'])),
      asPlayer('byDevice', 'methods/name', 'DELETE'),
      { isSlow: true },
    ),
    check(
      'gap',
      'the end of the account by it',
      refuses('reauthentication_required'),
      asPlayer('byDevice', 'account', 'DELETE'),
      { isSlow: true },
    ),
    check(
      'gap',
      'the name is shown once more',
      answers(200, ...session, sameUser('second')),
      post('name', (world) => ({ ...nameOf(world), intent: 'reauthenticate' }), { as: 'byDevice' }),
      { isSlow: true, remember: 'shown' },
    ),
    check('gap', 'a recovery code after that', answers(200, is('code', 'text')), recoveryCode('shown'), {
      isSlow: true,
    }),
  ],
};

/** A refresh token that two hold: its owner goes on with it, and the other one comes later with the same. */
export const copiedToken: Area = {
  name: 'A copied refresh token',
  checks: [
    ...(['third', 'thirdOnce', 'thirdTwice'] as const).map(
      (from, index): Check =>
        check(
          'gap',
          `its owner exchanges it, ${index + 1} of 3`,
          answers(200, ...session, token('refreshToken', 'other', from)),
          refresh(from),
          { remember: ['thirdOnce', 'thirdTwice', 'thirdThrice'][index] as string },
        ),
    ),
    check('gap', 'the copy after three successors', refuses('refresh_token_reused'), refresh('third')),
    check('gap', 'the session has ended for both', refuses('unauthorized'), refresh('thirdThrice')),
  ],
};

/** What is written over is kept. */
export const snapshots: Area = {
  name: 'Snapshots',
  checks: [
    check(
      'gap',
      'a player overwrites an own entry',
      answers(200, has('version', 1)),
      ownEntry('PATCH', '{"value":{"coins":2},"version":-1}'),
    ),
    check(
      'gap',
      'what was overwritten is listed',
      answers(
        200,
        is('snapshots', 'list'),
        fact(
          'reason overwrite',
          ({ json }) => member(first(json), 'reason') === 'overwrite',
          'the newest is another one',
        ),
      ),
      asPlayer('guest', 'account/snapshots'),
      { remember: 'snapshots' },
    ),
    check(
      'gap',
      'and read',
      answers(
        200,
        fact('the former value', ({ json }) => coinsOf(json) === 1, 'the value is another one'),
      ),
      (world) => asPlayer('guest', `account/snapshots/${world.said('snapshots').snapshots[0]?.id}`)(world),
    ),
    check('gap', 'it is restored', answers(200), (world) =>
      asPlayer('guest', `account/snapshots/${world.said('snapshots').snapshots[0]?.id}/restore`, 'POST')(world),
    ),
    check(
      'gap',
      'the entry is as it was',
      answers(200, has('', [{ key: 'main', value: { coins: 1 }, version: 2 }])),
      ownEntry('GET'),
    ),
    check(
      'gap',
      'a snapshot of nobody',
      refuses('not_found'),
      asPlayer('guest', 'account/snapshots/11111111-1111-4111-8111-111111111111'),
    ),
  ],
};

function onlyDevice({ json }: { json?: unknown }): boolean {
  const kinds = listAt(json, 'methods').map((one) => member(one, 'method'));
  return kinds.join() === 'device';
}

function first(json: unknown): unknown {
  return listAt(json, 'snapshots')[0];
}

function coinsOf(json: unknown): unknown {
  return member(listAt(json, 'content')[0], 'value.coins');
}
