import { type Area, answers, type Check, check, refuses } from '../contract.js';
import { fact, is, listAt, member, methods, otherUser, sameUser, session, userAt } from '../facts.js';
import { asPlayer, changePassword, type Device, nameOf, patch, post, read } from '../requests.js';

export function choose(conflict: string, choice: 'local' | 'cloud', device: Device) {
  return post('conflict', (world) => ({ ticket: world.said(conflict).conflict.ticket, choice }), { device });
}

export function clash(what: string, as: string, owner: string, device: Device, remember: string): Check {
  return check(
    '3',
    what,
    refuses(
      'profile_conflict',
      is('conflict.ticket', 'text'),
      fact('both sides', ({ json }) => member(json, 'conflict.method') === 'name', 'conflict.method is not name'),
      userAt('conflict.local.userId', as),
      userAt('conflict.cloud.userId', owner),
    ),
    post('name', nameOf, { as, device }),
    { remember },
  );
}

/** Two devices and one name: the choice between Local and Cloud, and its outcome. */
export const conflicts: Area = {
  name: 'Profile conflict',
  checks: [
    check(
      '5.3',
      'a second device is another guest',
      answers(200, ...session, otherUser('guest')),
      post('guest', undefined, { device: 'two' }),
      { remember: 'second' },
    ),
    // A session that is left for the cleaning up, should a choice end the other one.
    check('1', 'the same device again', answers(200, sameUser('second')), post('guest', undefined, { device: 'two' }), {
      remember: 'secondAgain',
    }),
    clash("the first one's name on the second device", 'second', 'guest', 'two', 'conflict'),
    check(
      'gap',
      'before the choice nothing has changed',
      answers(
        200,
        sameUser('second'),
        fact('one method', ({ json }) => listed(json) === 1, 'the methods are others'),
      ),
      asPlayer('second', 'account'),
    ),
    check(
      'gap',
      'a choice with a ticket of nobody',
      refuses('conflict_stale'),
      post('conflict', () => ({ ticket: 'nothing', choice: 'local' }), { device: 'two' }),
    ),
    check('gap', 'the ticket on another device', refuses('conflict_stale'), choose('conflict', 'local', 'one')),
    // Whoever knew the former password must not get the account by a ticket of it.
    check('gap', 'the owner of the name changes the password', answers(204), changePassword('former', 'new')),
    check('gap', 'the ticket of the former password', refuses('conflict_stale'), choose('conflict', 'local', 'two')),
    check('gap', 'the owner takes the former password again', answers(204), changePassword('new', 'former')),
    clash("the first one's name once more", 'second', 'guest', 'two', 'conflict'),
    check(
      '3',
      'Local: the name is linked to the second account',
      answers(200, ...session, sameUser('second'), methods('device', 'name')),
      choose('conflict', 'local', 'two'),
      { remember: 'local' },
    ),
    check(
      'gap',
      'Local once more (a lost answer)',
      answers(200, sameUser('second')),
      choose('conflict', 'local', 'two'),
    ),
    check('gap', 'Cloud with the same ticket', refuses('conflict_stale'), choose('conflict', 'cloud', 'two')),
    check(
      '3',
      'the first account has lost the name',
      answers(
        200,
        sameUser('guest'),
        fact('no name', ({ json }) => !JSON.stringify(json).includes('"name"'), 'the name is still there'),
      ),
      asPlayer('guest', 'account'),
    ),
    check(
      '3',
      'the name leads to the second account',
      answers(200, sameUser('second')),
      post('name', nameOf, { device: 'two' }),
    ),
    check(
      'gap',
      'a recovery code',
      answers(200, is('code', 'text')),
      asPlayer('guest', 'account/recovery-code', 'POST'),
      { remember: 'recovery' },
    ),
    clash('the name on the first device', 'guest', 'second', 'one', 'conflictBefore'),
    check(
      'gap',
      'its owner signs out everywhere',
      answers(204),
      post('sign-out', () => ({ everywhere: true }), { as: 'local', device: 'two' }),
    ),
    check('gap', 'the ticket of before that', refuses('conflict_stale'), choose('conflictBefore', 'cloud', 'one')),
    check(
      '3',
      'the owner comes back by the name',
      answers(200, ...session, sameUser('second')),
      post('name', nameOf, { device: 'two' }),
      { remember: 'local' },
    ),
    clash('the name on the first device once more', 'guest', 'second', 'one', 'conflictTwo'),
    check(
      '3',
      'Cloud: the first device plays the second account',
      answers(200, ...session, sameUser('second')),
      choose('conflictTwo', 'cloud', 'one'),
      { remember: 'cloud' },
    ),
    check(
      'gap',
      'Cloud once more (a lost answer)',
      answers(200, sameUser('second')),
      choose('conflictTwo', 'cloud', 'one'),
    ),
    check('gap', "the first device's old session has ended", refuses('unauthorized'), asPlayer('guest', 'account')),
    check('3', 'the first device leads to the second account', answers(200, sameUser('second')), post('guest')),
    // By it the account is deleted in the end: nothing else leads there any more.
    check(
      'gap',
      'the recovery code leads to the account that was left',
      answers(200, ...session, sameUser('guest')),
      post('recovery', (world) => ({ code: world.said('recovery').code })),
      { remember: 'recovered' },
    ),
  ],
};

/** The end of the account that was made for this, and the way back. */
export const farewell: Area = {
  name: 'Farewell',
  checks: [
    check(
      'gap',
      'all that is held on the player',
      answers(200, sameUser('cloud')),
      asPlayer('cloud', 'account/export'),
    ),
    check(
      'gap',
      'the account is deleted',
      answers(200, sameUser('cloud'), is('removedAt', 'integer')),
      asPlayer('cloud', 'account', 'DELETE'),
      { remember: 'deleted' },
    ),
    check('gap', 'its sessions have ended', refuses('unauthorized'), asPlayer('local', 'account')),
    check(
      'gap',
      'its name says that it is deleted',
      refuses('account_deleted', is('removedAt', 'integer')),
      post('name', nameOf),
    ),
    check(
      'gap',
      'the game writes for its user',
      refuses('account_deleted', is('removedAt', 'integer')),
      patch({ user: ({ said }) => said('cloud').userId }),
    ),
    check(
      'gap',
      'the game reads of it',
      answers(200, is('', 'list')),
      read({ user: ({ said }) => said('cloud').userId }),
    ),
    check(
      'gap',
      'the name takes the deletion back',
      answers(200, ...session, sameUser('cloud')),
      post('name', (world) => ({ ...nameOf(world), restore: true })),
      { remember: 'restored' },
    ),
  ],
};

function listed(json: unknown): number {
  return listAt(json, 'methods').length;
}
