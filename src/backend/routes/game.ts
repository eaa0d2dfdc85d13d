import { signedHeaders } from '../../protocol/headers.js';
import { isUuid } from '../../protocol/ids.js';
import { serverAuthRequest } from '../../protocol/messages.js';
import { authenticate } from '../accounts/server-authentication.js';
import { readCollection, updateEntry } from '../entries/entries.js';
import { readUsage } from '../entries/usage.js';
import { json, jsonText } from '../http/answers.js';
import {
  bearerToken,
  type Exchange,
  type Handlers,
  requireEnvironment,
  updateHeaders,
  validate,
} from '../http/exchange.js';
import { Refusal } from '../refusal.js';
import { authAnswer } from '../sessions/sessions.js';
import { verifySignedRequest } from '../sessions/signed-requests.js';
import type { Owner } from '../stores/records.js';

/** What a game's back end asks. */
export const game = {
  /** @see docs/interface.md#read-a-collection */
  async readUserCollection(exchange) {
    const owner = await requireUser(exchange);
    const { collection = '' } = exchange.params;
    const text = await readCollection(exchange.service, owner, {
      collection,
      wire: 'game',
    });
    if (text === null) throw new Refusal('user_not_found');
    return jsonText(text);
  },

  async readUserUsage(exchange) {
    const usage = await readUsage(exchange.service, await requireUser(exchange));
    if (usage === null) throw new Refusal('user_not_found');
    return json(usage);
  },

  /** @see docs/interface.md#update-an-entry */
  async updateUserEntry(exchange) {
    const owner = await requireUser(exchange);
    const { collection = '', key = '' } = exchange.params;
    const body = { ...(await exchange.body()), ...updateHeaders(exchange.request) };
    return json(await updateEntry(exchange.service, owner, { collection, key, body }));
  },

  /** @see docs/interface.md#server-to-server-authentication */
  async authenticate(exchange) {
    const { service, request, address } = exchange;
    const body = await exchange.rawBody();
    const { headers } = request;
    const { id } = await verifySignedRequest(service, { headers, body: body.bytes, json: () => body.parse().json });
    exchange.isForGame(id);
    const asked = validate(serverAuthRequest, body.parse().json);
    // The account may not be there yet, and to find it is what is to be counted.
    exchange.count(JSON.stringify([id, asked.env, asked.custom_user_id]));
    const session = await authenticate(service, asked);
    exchange.isForAccount(session.accountId);
    // The signature does not cover this header: it is used for the country alone.
    const player = headers.get(signedHeaders.forwardedFor)?.split(',')[0]?.trim();
    return json(await authAnswer(service, session, player ?? address));
  },
} satisfies Handlers;

/** Checks the private key first, so that nobody learns anything about users without it. */
async function requireUser(exchange: Exchange): Promise<Owner> {
  const { service, request, url, params } = exchange;
  const token = bearerToken(request);
  const game = service.games.get((params['game'] ?? '').toLowerCase());
  const accepted = await (game?.keys ?? service.decoyKeys).accepts(token ?? '');
  if (!accepted || game === undefined) throw new Refusal('unauthorized');
  exchange.isForGame(game.id);
  const environment = requireEnvironment(url);
  const user = params['user'] ?? '';
  if (!isUuid(user)) throw new Refusal('user_not_found');
  const accountId = user.toLowerCase();
  exchange.countAccount(accountId);
  return { gameId: game.id, environment, accountId };
}
