import { isUuid } from '../../protocol/ids.js';
import { readCollection, updateEntry } from '../entries/entries.js';
import { json, jsonText } from '../http/answers.js';
import {
  bearerToken,
  type Exchange,
  type Handlers,
  requireEnvironment,
  requirePlayer,
  updateHeaders,
} from '../http/exchange.js';
import { Refusal } from '../refusal.js';
import { type Owner, ownerOf } from '../stores/records.js';

/** The player's own entries. */
export const entries = {
  async readCollection(exchange) {
    const owner = await requireOwner(exchange);
    const { collection = '' } = exchange.params;
    const text = await readCollection(exchange.service, owner, { collection, wire: 'player' });
    if (text === null) throw new Refusal('unauthorized');
    return jsonText(text);
  },

  async updateEntry(exchange) {
    const owner = await requireOwner(exchange);
    const { collection = '', key = '' } = exchange.params;
    const body = { ...(await exchange.body()), ...updateHeaders(exchange.request) };
    const written = await updateEntry(exchange.service, owner, { collection, key, body, wire: 'player' });
    if (written === null) throw new Refusal('unauthorized');
    return json(written);
  },
} satisfies Handlers;

async function requireOwner(exchange: Exchange): Promise<Owner> {
  const { game = '' } = exchange.params;
  if (bearerToken(exchange.request) === null || !isUuid(game)) throw new Refusal('unauthorized');
  const scope = { gameId: game.toLowerCase(), environment: requireEnvironment(exchange.url) };
  return ownerOf(await requirePlayer(exchange, scope));
}
