import { operations } from '../../../protocol/operations.js';
import { bearer } from '../../wire.js';
import { type Area, answers, check, refuses } from '../contract.js';
import { fact, is, listAt, member, sameUser, session, token } from '../facts.js';
import { asPlayer, ownEntry, post, refresh } from '../requests.js';
import { verifiedBy } from '../verified.js';
import type { World } from '../world.js';
import { otherEnvironment } from './players.js';

const signOut = (from: string) => post('sign-out', (world) => ({ refresh_token: world.said(from).refreshToken }));

/** A little more than a used refresh token is honoured for. */
const graceMs = 31_000;

/** A token of which one letter in the middle of the signature is another one. */
function forged(text: string): string {
  const at = text.lastIndexOf('.') + 20;
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
}

/** Access tokens and the keys that verify them, refresh tokens, and the end of sessions. */
export const sessions: Area = {
  name: 'Tokens and sessions',
  checks: [
    check(
      'gap',
      'the public keys',
      answers(
        200,
        is('keys', 'list'),
        fact(
          'no private part',
          ({ json }) =>
            listAt(json, 'keys').length > 0 && listAt(json, 'keys').every((key) => member(key, 'd') === undefined),
          'there is no key, or a private one',
        ),
      ),
      (world) => world.toAuth({ path: operations.readPublicKeys.path }),
      { remember: 'published' },
    ),
    verifiedBy('published', 'guest'),
    check('gap', 'an access token whose signature was changed', refuses('unauthorized'), (world) =>
      world.toAuth({ path: '/v2/auth/account', headers: [bearer(forged(world.said('guest').accessToken))] }),
    ),
    check(
      'gap',
      'a refresh token gives the next one',
      answers(200, ...session, sameUser('again'), token('refreshToken', 'other', 'again')),
      refresh('again'),
      { remember: 'refreshed' },
    ),
    check(
      'gap',
      'the same once more (a lost answer)',
      answers(200, token('refreshToken', 'same', 'refreshed')),
      refresh('again'),
    ),
    check(
      'gap',
      'the next one gives the one after it',
      answers(200, ...session, token('refreshToken', 'other', 'refreshed')),
      refresh('refreshed'),
      { remember: 'refreshedTwice' },
    ),
    check(
      'gap',
      'a refresh with an access token',
      refuses('unauthorized'),
      post('refresh', (world) => ({ refresh_token: world.said('guest').accessToken })),
    ),
    check(
      'gap',
      'a refresh with what is no token',
      refuses('unauthorized'),
      post('refresh', () => ({ refresh_token: 'a.b.c' })),
    ),
    check(
      'gap',
      'a refresh in another environment',
      refuses('wrong_env'),
      post('refresh', (world) => ({
        refresh_token: world.said('guest').refreshToken,
        env: otherEnvironment(world),
      })),
    ),
    check('3', 'a sign-out', answers(204), signOut('byName'), { remember: 'signedOut' }),
    check('gap', 'the access token of a session that ended', refuses('unauthorized'), (world) =>
      world.toAuth({ path: '/v2/auth/account', headers: [bearer(world.said('byName').accessToken)] }),
    ),
    check('gap', 'its refresh token', refuses('unauthorized'), refresh('byName')),
    check(
      'gap',
      'a write by it',
      refuses('unauthorized'),
      ownEntry('PATCH', '{"value":{},"version":-1}', { as: 'byName' }),
    ),
    check('gap', 'the sign-out once more', answers(204), signOut('byName')),
    check('gap', 'the other sessions go on', answers(200, sameUser('guest')), asPlayer('guest', 'account')),
  ],
};

/** What has to wait until a used refresh token is no longer honoured. */
export const lateSessions: Area = {
  name: 'An old refresh token',
  checks: [
    check(
      'gap',
      `a refresh token ${graceMs / 1000} s after its successor was used`,
      refuses('refresh_token_reused'),
      async (world) => {
        await world.since('refreshedTwice', graceMs);
        return refresh('again')(world);
      },
      { isSlow: true, remember: 'reused' },
    ),
    check(
      'gap',
      'its successors, which end with it',
      refuses('unauthorized'),
      async (world: World) => {
        world.said('reused');
        return refresh('refreshedTwice')(world);
      },
      { isSlow: true },
    ),
  ],
};
