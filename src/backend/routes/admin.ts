import { mergePlayersRequest } from '../../protocol/admin-choices.js';
import {
  banRequest,
  type OperatorScope,
  operatorKeyRequest,
  restorePlayerRequest,
} from '../../protocol/admin-messages.js';
import { savePlatformRequest, tryPlatformRequest } from '../../protocol/admin-platforms.js';
import { retryWebhooksRequest } from '../../protocol/admin-webhooks.js';
import { linkMethods } from '../../protocol/conflict.js';
import { isUuid } from '../../protocol/ids.js';
import { readAudit } from '../admin/audit.js';
import {
  asOperator,
  banPlayer,
  deletePlayer,
  exportPlayer,
  makeResetCode,
  makeSignInCode,
  restorePlayer,
  restorePlayerSnapshot,
  revokePlayerDevice,
  signOutPlayer,
  unbanPlayer,
  unlinkPlayerMethod,
} from '../admin/changes.js';
import { listChoices, mergePlayers, undoPlayerChoice } from '../admin/choices.js';
import { listConflicts } from '../admin/conflicts.js';
import { readCounts } from '../admin/counts.js';
import {
  listOperatorKeys,
  makeOperatorKey,
  type Operator,
  requireOperator,
  revokeOperatorKey,
} from '../admin/operators.js';
import { byName, byTime, readPage } from '../admin/pages.js';
import { listPlatforms, listPresets, removePlatform, savePlatform } from '../admin/platforms.js';
import {
  findPlayers,
  listPlayerEntries,
  listPlayers,
  nothingThere,
  readList,
  readPlayer,
  readPlayerEntry,
} from '../admin/players.js';
import { byEvent, readTimeline } from '../admin/timeline.js';
import { tryPlatform } from '../admin/try-platform.js';
import { readWebhooks, retryWebhooks } from '../admin/webhooks.js';
import { updateEntry } from '../entries/entries.js';
import { listSnapshots, readSnapshot } from '../entries/snapshots.js';
import type { Game } from '../game.js';
import { empty, json, jsonText } from '../http/answers.js';
import {
  bearerToken,
  type Exchange,
  type Handlers,
  requireEnvironment,
  requireGame,
  updateHeaders,
  validate,
} from '../http/exchange.js';
import { Refusal } from '../refusal.js';
import type { Owner, Scope } from '../stores/records.js';

/** What an operator asks. The key is checked first: without it nobody learns anything. */
export const admin = {
  async listGames(exchange) {
    await operatorOf(exchange, 'read');
    return json({ games: [...exchange.service.games.keys()].map((id) => ({ id })) });
  },

  async listOperatorKeys(exchange) {
    await operatorOf(exchange, 'admin');
    return json({ keys: await listOperatorKeys(exchange.service) });
  },

  async makeOperatorKey(exchange) {
    const operator = await operatorOf(exchange, 'admin');
    const wanted = validate(operatorKeyRequest, (await exchange.body()).json);
    return json(await makeOperatorKey(exchange.service, operator, wanted));
  },

  async revokeOperatorKey(exchange) {
    const operator = await operatorOf(exchange, 'admin');
    await revokeOperatorKey(exchange.service, operator, exchange.params['id'] ?? '');
    return empty();
  },

  async readAuditLog(exchange) {
    await operatorOf(exchange, 'read');
    return json(await readAudit(exchange.service, null, readPage(exchange.url, 'audit', byTime)));
  },

  async readCounts(exchange) {
    const scope = await scopeOf(exchange, 'read');
    return json({ days: await readCounts(exchange.service, scope, exchange.url) });
  },

  async listConflicts(exchange) {
    const scope = await scopeOf(exchange, 'read');
    return json(await listConflicts(exchange.service, scope, readPage(exchange.url, 'conflicts', byTime)));
  },

  async listChoices(exchange) {
    const scope = await scopeOf(exchange, 'read');
    return json(await listChoices(exchange.service, scope, readPage(exchange.url, 'choices', byTime)));
  },

  async readWebhooks(exchange) {
    await operatorOf(exchange, 'read');
    const { id } = gameOfAddress(exchange);
    return json(await readWebhooks(exchange.service, id, readPage(exchange.url, 'webhooks', byTime)));
  },

  async retryWebhooks(exchange) {
    const operator = await operatorOf(exchange, 'support');
    const game = gameOfAddress(exchange);
    const { id } = validate(retryWebhooksRequest, (await exchange.body()).json);
    return json(await retryWebhooks(exchange.service, game.id, { operator, action: 'retryWebhooks', id }));
  },

  async listPlatformPresets(exchange) {
    await operatorOf(exchange, 'read');
    return json({ presets: listPresets(exchange.service) });
  },

  async listPlatforms(exchange) {
    const scope = await scopeOf(exchange, 'read');
    return json({ platforms: await listPlatforms(exchange.service, gameOfAddress(exchange), scope) });
  },

  async savePlatform(exchange) {
    const { operator, ...at } = await platformOf(exchange);
    const wanted = validate(savePlatformRequest, (await exchange.body()).json);
    const asked = { ...at, operator, action: 'savePlatform', wanted };
    return json(await savePlatform(exchange.service, gameOfAddress(exchange), asked));
  },

  async removePlatform(exchange) {
    const { operator, ...at } = await platformOf(exchange);
    const asked = { ...at, operator, action: 'removePlatform', version: requireVersion(exchange.url) };
    await removePlatform(exchange.service, gameOfAddress(exchange), asked);
    return empty();
  },

  async tryPlatform(exchange) {
    const { operator: _, ...at } = await platformOf(exchange);
    const { token, preset, settings } = validate(tryPlatformRequest, (await exchange.body()).json);
    if ((preset === undefined) !== (settings === undefined)) {
      throw new Refusal('invalid_request', { detail: 'preset and settings are given together, or not at all.' });
    }
    const unsaved = preset === undefined || settings === undefined ? null : { preset, settings };
    const { address, request } = exchange;
    const trial = { ...at, token, unsaved, address, signal: request.signal };
    return json(await tryPlatform(exchange.service, gameOfAddress(exchange), trial));
  },

  async listPlayers(exchange) {
    const scope = await scopeOf(exchange, 'read');
    const { service, url } = exchange;
    const found = await findPlayers(service, scope, url);
    if (found !== null) return json({ players: found });
    const list = readList(url);
    return json(await listPlayers(service, scope, list, readPage(url, list, byTime)));
  },

  async readPlayer(exchange) {
    const { owner, operator } = await changeOf(exchange, 'read');
    return json(await readPlayer(exchange.service, owner, operator));
  },

  async readPlayerTimeline(exchange) {
    const owner = await ownerOf(exchange, 'read');
    return json(await readTimeline(exchange.service, owner, readPage(exchange.url, 'timeline', byEvent)));
  },

  async readPlayerAudit(exchange) {
    const owner = await ownerOf(exchange, 'read');
    return json(await readAudit(exchange.service, owner, readPage(exchange.url, 'audit', byTime)));
  },

  async listPlayerEntries(exchange) {
    const owner = await ownerOf(exchange, 'read');
    return json(await listPlayerEntries(exchange.service, owner, readPage(exchange.url, 'entries', byName)));
  },

  async readPlayerEntry(exchange) {
    const owner = await ownerOf(exchange, 'read');
    const { collection = '', key = '' } = exchange.params;
    return jsonText(await readPlayerEntry(exchange.service, owner, { collection, key }));
  },

  async listPlayerSnapshots(exchange) {
    const owner = await ownerOf(exchange, 'read');
    const { service } = exchange;
    if ((await service.store.readAccount(owner)) === null) throw new Refusal('user_not_found');
    return json({ snapshots: await listSnapshots(service, owner) });
  },

  async readPlayerSnapshot(exchange) {
    const owner = await ownerOf(exchange, 'read');
    const { snapshot = '' } = exchange.params;
    const text = await readSnapshot(exchange.service, owner, snapshot);
    if (text === null) throw await nothingThere(exchange.service.store, owner);
    return jsonText(text);
  },

  async exportPlayer(exchange) {
    const { owner, operator } = await changeOf(exchange, 'support');
    return jsonText(await exportPlayer(exchange.service, owner, { operator, action: 'exportPlayer' }));
  },

  async updatePlayerEntry(exchange) {
    const { owner, operator } = await changeOf(exchange, 'support');
    const { collection = '', key = '' } = exchange.params;
    const service = asOperator(exchange.service, { operator, action: 'updatePlayerEntry' });
    // A write that was carried out before would be noted once more, so that it takes no name.
    const body = { ...(await exchange.body()), ...updateHeaders(exchange.request), name: undefined };
    return json(await updateEntry(service, owner, { collection, key, body }));
  },

  async restorePlayerSnapshot(exchange) {
    const { owner, operator } = await changeOf(exchange, 'support');
    const { snapshot = '' } = exchange.params;
    if (!isUuid(snapshot)) throw await nothingThere(exchange.service.store, owner);
    const asked = { operator, action: 'restorePlayerSnapshot', snapshotId: snapshot };
    return json({ entries: await restorePlayerSnapshot(exchange.service, owner, asked) });
  },

  async signOutPlayer(exchange) {
    const { owner, operator } = await changeOf(exchange, 'support');
    await signOutPlayer(exchange.service, owner, { operator, action: 'signOutPlayer' });
    return empty();
  },

  async unlinkPlayerMethod(exchange) {
    const { owner, operator } = await changeOf(exchange, 'support');
    const method = linkMethods.find((known) => known === exchange.params['method']);
    if (method === undefined) throw await nothingThere(exchange.service.store, owner);
    await unlinkPlayerMethod(exchange.service, owner, { operator, action: 'unlinkPlayerMethod', method });
    return empty();
  },

  async revokePlayerDevice(exchange) {
    const { owner, operator } = await changeOf(exchange, 'support');
    const { device = '' } = exchange.params;
    await revokePlayerDevice(exchange.service, owner, { operator, action: 'revokePlayerDevice', device });
    return empty();
  },

  async banPlayer(exchange) {
    const { owner, operator } = await changeOf(exchange, 'support');
    const { until = null, reason } = validate(banRequest, (await exchange.body()).json);
    await banPlayer(exchange.service, owner, { operator, action: 'banPlayer', until, reason });
    return empty();
  },

  async unbanPlayer(exchange) {
    const { owner, operator } = await changeOf(exchange, 'support');
    await unbanPlayer(exchange.service, owner, { operator, action: 'unbanPlayer' });
    return empty();
  },

  async deletePlayer(exchange) {
    const { owner, operator } = await changeOf(exchange, 'admin');
    return json(await deletePlayer(exchange.service, owner, { operator, action: 'deletePlayer' }));
  },

  async restorePlayer(exchange) {
    const { owner, operator } = await changeOf(exchange, 'support');
    const { device_id: deviceId } = validate(restorePlayerRequest, (await exchange.body()).json);
    await restorePlayer(exchange.service, owner, { operator, action: 'restorePlayer', deviceId });
    return empty();
  },

  async mergePlayers(exchange) {
    const { owner, operator } = await changeOf(exchange, 'admin');
    const { into, entries = 'keep' } = validate(mergePlayersRequest, (await exchange.body()).json);
    return json(await mergePlayers(exchange.service, owner, { operator, action: 'mergePlayers', into, entries }));
  },

  async undoPlayerChoice(exchange) {
    const { owner, operator } = await changeOf(exchange, 'support');
    const { choice = '' } = exchange.params;
    if (!isUuid(choice)) throw await nothingThere(exchange.service.store, owner);
    const asked = { operator, action: 'undoPlayerChoice', choiceId: choice.toLowerCase() };
    return json(await undoPlayerChoice(exchange.service, owner, asked));
  },

  async makeResetCode(exchange) {
    const { owner, operator } = await changeOf(exchange, 'support');
    return json(await makeResetCode(exchange.service, owner, { operator, action: 'makeResetCode' }));
  },

  async makeSignInCode(exchange) {
    const { owner, operator } = await changeOf(exchange, 'support');
    return json(await makeSignInCode(exchange.service, owner, { operator, action: 'makeSignInCode' }));
  },
} satisfies Handlers;

/** The platform of the address, and who asks: whoever changes how players sign in can be any of them. */
async function platformOf(exchange: Exchange): Promise<{ operator: Operator; scope: Scope; name: string }> {
  const operator = await operatorOf(exchange, 'admin');
  return { operator, scope: scopeOfAddress(exchange), name: exchange.params['platform'] ?? '' };
}

function requireVersion(url: URL): number {
  const given = url.searchParams.getAll('version');
  const version = given.length === 1 && /^\d{1,15}$/.test(given[0] ?? '') ? Number(given[0]) : 0;
  if (version < 1) throw new Refusal('invalid_request', { detail: 'version must be an integer from 1 up.' });
  return version;
}

/** The game and environment of the address, for whoever has a key that allows so much. */
async function scopeOf(exchange: Exchange, needed: OperatorScope): Promise<Scope> {
  await operatorOf(exchange, needed);
  return scopeOfAddress(exchange);
}

function scopeOfAddress(exchange: Exchange): Scope {
  const { id: gameId } = gameOfAddress(exchange);
  return { gameId, environment: requireEnvironment(exchange.url) };
}

function gameOfAddress({ service, params, isForGame }: Exchange): Game {
  const game = requireGame(service, params['game'] ?? '');
  isForGame(game.id);
  return game;
}

async function ownerOf(exchange: Exchange, needed: OperatorScope): Promise<Owner> {
  return (await changeOf(exchange, needed)).owner;
}

/** The player of the address, and who asks. */
async function changeOf(exchange: Exchange, needed: OperatorScope): Promise<{ owner: Owner; operator: Operator }> {
  const operator = await operatorOf(exchange, needed);
  const scope = scopeOfAddress(exchange);
  const user = exchange.params['user'] ?? '';
  if (!isUuid(user)) throw new Refusal('user_not_found');
  const accountId = user.toLowerCase();
  exchange.isForAccount(accountId);
  return { operator, owner: { ...scope, accountId } };
}

function operatorOf({ service, request }: Exchange, needed: OperatorScope): Promise<Operator> {
  return requireOperator(service, bearerToken(request), needed);
}
