import { isUuid } from '../../protocol/ids.js';
import { listCollections, readCollection, updateEntry } from '../entries/entries.js';
import { json, jsonText } from '../http/answers.js';
import {
  bearerToken,
  type Exchange,
  type Handlers,
  requireEnvironment,
  requireShownSession,
  updateHeaders,
} from '../http/exchange.js';
import { Refusal } from '../refusal.js';
import type { Scope } from '../stores/records.js';

/** The player's own entries. */
export const entries = {
  async listCollections(exchange) {
    const answer = await listCollections(exchange.service, await requireShownSession(exchange, scopeOf(exchange)));
    if (answer === null) throw new Refusal('unauthorized');
    return json(answer);
  },

  async readCollection(exchange) {
    const reader = await requireShownSession(exchange, scopeOf(exchange));
    const { collection = '' } = exchange.params;
    const text = await readCollection(exchange.service, reader, { collection, wire: 'player' });
    if (text === null) throw new Refusal('unauthorized');
    return jsonText(text);
  },

  async updateEntry(exchange) {
    const writer = await requireShownSession(exchange, scopeOf(exchange));
    const { collection = '', key = '' } = exchange.params;
    const { text, json: written } = await exchange.body();
    const { condition, name } = updateHeaders(exchange.request);
    const body = { text, json: written, condition, name };
    return json(await updateEntry(exchange.service, writer, { collection, key, body }));
  },
} satisfies Handlers;

function scopeOf({ request, params, url }: Exchange): Scope {
  const { game = '' } = params;
  if (bearerToken(request) === null || !isUuid(game)) throw new Refusal('unauthorized');
  return { gameId: game.toLowerCase(), environment: requireEnvironment(url) };
}
