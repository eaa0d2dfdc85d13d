import { signingDefaults } from '../../../protocol/gaps/signing.js';
import { signedHeaders } from '../../../protocol/headers.js';
import { operations } from '../../../protocol/operations.js';
import { atOnce } from '../at-once.js';
import { type Area, answers, check, refuses } from '../contract.js';
import { alike, is, otherUser, sameUser, session } from '../facts.js';
import { otherUserOf, post, signed, without } from '../requests.js';

/** The same text for every one of them, so that none can be told from another. */
const refusedAlike = refuses('invalid_signature', alike('badSignature', 'a wrong signature'));

const aLittle = 10_000;

/** Server-to-server authentication. */
export const signedRequests: Area = {
  name: 'Signed requests',
  checks: [
    check(
      '5.3',
      'a third device is another guest',
      answers(200, ...session, otherUser('guest')),
      post('guest', undefined, { device: 'three' }),
      { remember: 'third' },
    ),
    check('4.3', 'a signed request', answers(200, ...session, sameUser('third')), signed(), { remember: 'custom' }),
    check('4.3', 'the same user by another request', answers(200, sameUser('custom')), signed()),
    check(
      'gap',
      "another one on the device of a player with a name does not get that player's account",
      answers(200, ...session, otherUser('guest')),
      signed({ body: otherUserOf }),
      { remember: 'other' },
    ),
    check('gap', 'a signature in base64', answers(200, sameUser('custom')), signed({ encoding: 'base64' })),
    check('2.4', 'further members in the body', answers(200, sameUser('custom')), signed({ body: { locale: 'Zoë' } })),
    check(
      'gap',
      'a clock that is 4 minutes late',
      answers(200, sameUser('custom')),
      signed({ lateMs: aLittle - signingDefaults.clockWindowMs }),
    ),
    check(
      'gap',
      'one that is 5 minutes late',
      refuses('timestamp_out_of_window', is('serverTime', 'integer')),
      signed({ lateMs: -signingDefaults.clockWindowMs - aLittle }),
    ),
    check(
      'gap',
      'one that is 5 minutes early',
      refuses('timestamp_out_of_window', is('serverTime', 'integer')),
      signed({ lateMs: signingDefaults.clockWindowMs + aLittle }),
    ),
    check(
      'gap',
      'a timestamp in seconds',
      refuses('timestamp_out_of_window'),
      signed({ change: replaced(signedHeaders.timestamp, (value) => value.slice(0, 10)) }),
    ),
    check(
      '5.2',
      'a wrong signature',
      refuses('invalid_signature'),
      signed({
        change: replaced(signedHeaders.signature, (value) =>
          value.replace(/./g, (digit) => (digit === '0' ? '1' : '0')),
        ),
      }),
      { remember: 'badSignature' },
    ),
    check('5.2', 'a signature with another key', refusedAlike, signed({ privateKey: 'another-key' })),
    check(
      '5.2',
      'a body that was changed',
      refusedAlike,
      signed({ change: ({ body }) => ({ body: body.replace('savepoint-check', 'savepoint-chuck') }) }),
    ),
    check(
      '5.2',
      'the body with one space more',
      refusedAlike,
      signed({ change: ({ body }) => ({ body: `${body} ` }) }),
    ),
    check(
      '5.2',
      'another nonce than the signed one',
      refusedAlike,
      signed({ change: replaced(signedHeaders.nonce, () => 'n'.repeat(signingDefaults.nonceLength)) }),
    ),
    ...([signedHeaders.signature, signedHeaders.timestamp, signedHeaders.nonce] as const).map((name) =>
      check('5.2', `no ${name}`, refusedAlike, signed({ change: without(name) })),
    ),
    check(
      'gap',
      'a game that there is not',
      refusedAlike,
      signed({ body: { game_id: '11111111-1111-4111-8111-111111111111' } }),
    ),
    check(
      '5.2',
      'a nonce, the first time',
      answers(200),
      async (world) => signed({ nonce: replayed(world.run) })(world),
      {
        remember: 'first',
      },
    ),
    check('5.2', 'the second time', refuses('nonce_reused'), async (world) =>
      signed({ nonce: replayed(world.run) })(world),
    ),
    atOnce(
      '5.2',
      '8 requests with one nonce at once',
      { good: 1, status: 200, otherwise: 'nonce_reused' },
      async (world) => signed({ nonce: `${replayed(world.run).slice(0, -1)}_` })(world),
    ),
    check('gap', 'a body that is no JSON', refuses('invalid_json'), signed({ text: '{"game_id":' })),
    check('2.4', 'no custom_user_id', refuses('invalid_request'), signed({ body: { custom_user_id: undefined } })),
    check('2.4', 'an env that there is not', refuses('invalid_env'), signed({ body: { env: 3 } })),
    check('4.3', 'GET', refuses('method_not_allowed'), (world) => world.toAuth({ path: operations.authenticate.path })),
  ],
};

function replayed(run: string): string {
  return `replayed-${run}`.padEnd(signingDefaults.nonceLength, '-').slice(0, signingDefaults.nonceLength);
}

function replaced(name: string, change: (value: string) => string) {
  return ({ headers }: { headers: [string, string][] }) => ({
    headers: headers.map(([other, value]): [string, string] => [other, other === name ? change(value) : value]),
  });
}
