import type { ConflictField } from '../protocol/conflict.js';
import { linkMethods } from '../protocol/conflict.js';
import type { Environment } from '../protocol/environments.js';
import { tokens } from '../protocol/gaps.js';
import { headers as names } from '../protocol/headers.js';
import {
  conflictRequest,
  guestRequest,
  identityRequest,
  nameRequest,
  refreshRequest,
  signOutRequest,
  socialRequest,
} from '../protocol/player-wire.js';
import { isUuid } from '../protocol/uuid-form.js';
import { empty, json, jsonText } from './answers.js';
import { deleteAccount, describeAccount, linkOrConflict, methodsOf, signIn, unlinkMethod } from './domain/accounts.js';
import { openConflict, resolveConflict } from './domain/conflict.js';
import { readCollection, updateEntry } from './domain/entries.js';
import { Refusal } from './domain/refusal.js';
import { answerFor, ownerOf, refreshSession, requireSession, signOut } from './domain/sessions.js';
import { byDevice, byIdentity, byName, bySocial, deviceSubject, type WayIn } from './domain/way-in.js';
import { bearerOf, type Exchange, environmentOf, readAs, requireGame } from './exchange.js';
import type { Scope, SessionRecord } from './stores/store.js';

export async function guest(exchange: Exchange): Promise<Response> {
  const request = readAs(guestRequest, (await exchange.body()).json);
  return enter(exchange, request, async (scope, device) => byDevice(scope, device));
}

export async function name(exchange: Exchange): Promise<Response> {
  const request = readAs(nameRequest, (await exchange.body()).json);
  const { username, password } = request;
  const { service, address } = exchange;
  return enter(exchange, request, async (scope) => byName(service, scope, { username, password, address }));
}

export async function identity(exchange: Exchange): Promise<Response> {
  const request = readAs(identityRequest, (await exchange.body()).json);
  const { service } = exchange;
  return enter(exchange, request, (scope) =>
    byIdentity(service, scope, requireGame(service, request.game_id), request.token),
  );
}

export async function social(exchange: Exchange): Promise<Response> {
  const request = readAs(socialRequest, (await exchange.body()).json);
  const { token, platform } = request;
  const { service } = exchange;
  return enter(exchange, request, (scope) =>
    bySocial(service, scope, requireGame(service, request.game_id), { token, platform }),
  );
}

interface EnterRequest {
  game_id: string;
  env: Environment;
  device_id: string;
  show?: ConflictField[] | undefined;
}

/** With an access token "link, or conflict"; without one "sign in". */
async function enter(
  exchange: Exchange,
  request: EnterRequest,
  prove: (scope: Scope, device: string) => Promise<WayIn>,
): Promise<Response> {
  const { service, address } = exchange;
  const scope = scopeOf(exchange, request);
  const token = bearerOf(exchange.request);
  const session = token === null ? null : await requireSession(service, token, scope);
  const device = await deviceSubject(request.device_id);
  const wayIn = await prove(scope, device);
  if (session === null) return answer(exchange, await signIn(service, wayIn, { device, address }));

  const link = await linkOrConflict(service, wayIn, session);
  if (link === 'linked') return answer(exchange, session);
  // Whose device this is, is no choice for the player to make.
  if (link.method === 'device') throw new Refusal('method_already_linked');
  const conflict = await openConflict(service, { link, session, device, show: request.show ?? [] });
  throw new Refusal('profile_conflict', { conflict });
}

export async function conflict(exchange: Exchange): Promise<Response> {
  const request = readAs(conflictRequest, (await exchange.body()).json);
  const { ticket, choice } = request;
  const device = await deviceSubject(request.device_id);
  const scope = scopeOf(exchange, request);
  return answer(exchange, await resolveConflict(exchange.service, { scope, ticket, device, choice }));
}

export async function refresh(exchange: Exchange): Promise<Response> {
  const request = readAs(refreshRequest, (await exchange.body()).json);
  const scope = scopeOf(exchange, request);
  return answer(exchange, await refreshSession(exchange.service, request.refresh_token, scope));
}

export async function signOutPlayer(exchange: Exchange): Promise<Response> {
  const request = readAs(signOutRequest, (await exchange.body()).json);
  const scope = scopeOf(exchange, request);
  const accessToken = bearerOf(exchange.request);
  await signOut(exchange.service, { refreshToken: request.refresh_token, accessToken, scope });
  return empty();
}

export async function readAccount(exchange: Exchange): Promise<Response> {
  const session = await requirePlayer(exchange);
  return json(await describeAccount(exchange.service, ownerOf(session)));
}

export async function removeAccount(exchange: Exchange): Promise<Response> {
  const session = await requirePlayer(exchange);
  return json(await deleteAccount(exchange.service, ownerOf(session)));
}

export async function removeMethod(exchange: Exchange): Promise<Response> {
  const session = await requirePlayer(exchange);
  const method = linkMethods.find((known) => known === exchange.params['method']);
  if (method === undefined) throw new Refusal('not_found');
  return json(await unlinkMethod(exchange.service, ownerOf(session), method));
}

export async function readPlayerCollection(exchange: Exchange): Promise<Response> {
  const owner = await requireEntryOwner(exchange);
  const { collection = '' } = exchange.params;
  const text = await readCollection(exchange.service, owner, collection);
  if (text === null) throw new Refusal('unauthorized');
  return jsonText(text);
}

export async function updatePlayerEntry(exchange: Exchange): Promise<Response> {
  const owner = await requireEntryOwner(exchange);
  const { collection = '', key = '' } = exchange.params;
  const body = { ...(await exchange.body()), condition: exchange.request.headers.get(names.ifNoneMatch) };
  const written = await updateEntry(exchange.service, owner, { collection, key, body });
  if (written === null) throw new Refusal('unauthorized');
  return json(written);
}

export async function publishedKeys(exchange: Exchange): Promise<Response> {
  const keys = await exchange.service.tokens.publicKeys();
  const response = json(keys);
  response.headers.set('Cache-Control', `public, max-age=${tokens.jwksMaxAgeSeconds}`);
  return response;
}

async function requireEntryOwner(exchange: Exchange) {
  const { game = '' } = exchange.params;
  const token = bearerOf(exchange.request);
  if (token === null || !isUuid(game)) throw new Refusal('unauthorized');
  const scope = { gameId: game.toLowerCase(), environment: environmentOf(exchange.url) };
  return ownerOf(await requireSession(exchange.service, token, scope));
}

/** The session of the access token alone: its game and environment are in it. */
async function requirePlayer(exchange: Exchange): Promise<SessionRecord> {
  const token = bearerOf(exchange.request);
  if (token === null) throw new Refusal('unauthorized');
  return requireSession(exchange.service, token);
}

function scopeOf({ service }: Exchange, request: { game_id: string; env: Environment }): Scope {
  return { gameId: requireGame(service, request.game_id).id, environment: request.env };
}

async function answer({ service, address }: Exchange, session: SessionRecord): Promise<Response> {
  const methods = await methodsOf(service, ownerOf(session));
  return json({ ...(await answerFor(service, session, address)), methods });
}
