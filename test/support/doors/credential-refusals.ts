import { signedHeaders } from '../../../src/protocol/headers.js';
import { testStart } from '../service.js';
import { type DoorCase, noUser, post, refused, session, signed } from './door-case.js';

/** What is no credential, or one that counts no more. */
export const credentialRefusals: readonly DoorCase[] = [
  {
    name: 'refuses a guest without a device',
    request: post('guest', { device_id: 'short' }),
    ...refused('invalid_request'),
  },
  { name: 'refuses a guest of another game', request: post('guest', { game_id: noUser }), ...refused('not_found') },
  { name: 'refuses a guest of no environment', request: post('guest', { env: 7 }), ...refused('invalid_env') },
  {
    name: 'refuses a token that is none',
    request: () => ({ path: '/v2/auth/account', headers: [['Authorization', 'Bearer a.b.c']] }),
    ...refused('unauthorized'),
  },
  {
    name: 'refuses a refresh with what is no token',
    request: post('refresh', { refresh_token: 'a.b.c' }),
    ...refused('unauthorized'),
  },
  {
    name: 'refuses a choice with what is no ticket',
    request: post('conflict', { ticket: 'nothing', choice: 'local' }),
    ...refused('conflict_stale'),
  },
  {
    name: 'refuses a signature over another body',
    request: signed((_, body) => ({ body: body.replace('custom-1', 'custom-2') })),
    ...refused('invalid_signature'),
  },
  {
    name: 'refuses a signed request without its nonce',
    request: signed((headers) => ({ headers: headers.filter(([name]) => name !== signedHeaders.nonce) })),
    ...refused('invalid_signature'),
  },
  {
    name: 'refuses a signature that is there twice',
    request: signed((headers) => ({
      headers: [...headers, ...headers.filter(([name]) => name === signedHeaders.signature)],
    })),
    ...refused('invalid_signature'),
  },
  {
    name: 'refuses a nonce that is there twice',
    request: signed((headers) => ({
      headers: [...headers, ...headers.filter(([name]) => name === signedHeaders.nonce)],
    })),
    ...refused('invalid_signature'),
  },
  {
    name: 'refuses a timestamp in seconds',
    request: signed((headers) => ({
      headers: headers.map(([name, value]) => [name, name === signedHeaders.timestamp ? value.slice(0, 10) : value]),
    })),
    ...refused('timestamp_out_of_window', { serverTime: testStart }),
  },
  {
    name: 'refuses a signed body that is no JSON',
    request: signed(undefined, { text: '{"game_id":' }),
    ...refused('invalid_json'),
  },
  {
    name: 'takes a nonce once',
    request: signed((headers) => ({ headers }), { nonce: 'replayed-replayed-replayed-repla' }),
    status: 200,
    body: session(),
  },
  {
    name: 'refuses it the second time',
    request: signed((headers) => ({ headers }), { nonce: 'replayed-replayed-replayed-repla' }),
    ...refused('nonce_reused'),
  },
];
