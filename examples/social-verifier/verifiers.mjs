import { createHmac, timingSafeEqual } from 'node:crypto';
import { createRequestVerifier, createSignedTokenVerifier } from 'savepoint/backend';

/**
 * A game portal that signs a token for each player (JWT) and publishes its keys. It signs for all of its games with the same
 * keys, so the token must say that it is for this one.
 *
 * @param {{ keys: import('savepoint/backend').PublicKeys, gameId: string }} options
 */
export const portal = ({ keys, gameId }) =>
  createSignedTokenVerifier({ keys, claims: { gameId }, subjectClaim: 'userId', algorithms: ['RS256'] });

/**
 * A network that is asked what a token is good for, with its answer as RFC 7662 has it.
 *
 * @param {{ address: string, appId: string, secret: string, fetch?: (request: Request) => Promise<Response> }} options
 */
export const network = ({ address, appId, secret, fetch }) =>
  createRequestVerifier({
    request: (token) => ({
      url: address,
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${appId}:${secret}`)}` },
      body: new URLSearchParams({ token }),
    }),
    player: ({ active, client_id: app, sub }) => (active && app === appId ? sub : null),
    fetch,
  });

/**
 * Anything else is a function: the player's id, or null where the token does not hold. This one reads what some chat apps
 * hand to the games in them: a payload, signed with a secret that the app and the game's back end share.
 *
 * @param {string} secret
 * @returns {import('savepoint/backend').SocialVerifier}
 */
export function chat(secret) {
  return (token, { now }) => {
    const [signature = '', payload = ''] = token.split('.');
    const expected = createHmac('sha256', secret).update(payload).digest();
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    const { player, issuedAt } = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return now / 1000 - issuedAt < 300 ? { id: player } : null;
  };
}
