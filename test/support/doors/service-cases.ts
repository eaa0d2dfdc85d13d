import { type DoorCase, device, jsonAnswer, post, refused, saves, session, signed } from './door-case.js';

/** The signed request, the service's keys, pages that ask whether they may, and the first sign-out. */
export const serviceCases: readonly DoorCase[] = [
  {
    name: 'authenticates a signed request',
    request: signed(),
    status: 200,
    headers: jsonAnswer,
    body: session(),
  },
  {
    name: 'authenticates a body that is not ASCII',
    request: signed(undefined, { text: JSON.stringify({ ...device, custom_user_id: 'игрок-👩‍🚀-\u2028' }) }),
    status: 200,
    body: session(),
  },
  {
    name: 'publishes its keys',
    request: () => ({ path: '/.well-known/jwks.json' }),
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' },
    body: { keys: [{ kty: 'EC', crv: 'P-256', x: '<x>', y: '<y>', kid: '<kid>', alg: 'ES256', use: 'sig' }] },
  },
  {
    name: 'answers HEAD without a body',
    request: () => ({ method: 'HEAD', path: '/.well-known/jwks.json' }),
    status: 200,
  },
  {
    name: 'answers the preflight of an allowed page',
    needs: 'Origin',
    request: () => ({
      method: 'OPTIONS',
      path: '/v2/auth/guest',
      headers: [
        ['Origin', 'https://game.test'],
        ['Access-Control-Request-Method', 'POST'],
        ['Access-Control-Request-Headers', 'content-type'],
      ],
    }),
    status: 204,
    headers: { 'access-control-allow-origin': 'https://game.test', 'access-control-allow-methods': 'POST' },
  },
  {
    name: 'lets an allowed page read failures',
    needs: 'Origin',
    request: () => ({ path: '/v2/auth/account', headers: [['Origin', 'https://game.test']] }),
    ...refused('unauthorized'),
    headers: { 'access-control-allow-origin': 'https://game.test', 'content-type': 'application/problem+json' },
  },
  {
    name: 'has no preflight for the private API',
    needs: 'Origin',
    request: (world) => ({
      method: 'OPTIONS',
      path: saves(world, 'hero?env=0'),
      headers: [['Origin', 'https://game.test']],
    }),
    ...refused('method_not_allowed'),
  },
  {
    name: 'signs out',
    request: (world) => post('sign-out', { refresh_token: world.said['second'].refreshToken })(world),
    status: 204,
  },
];
