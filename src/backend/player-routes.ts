import type { ConflictField } from '../protocol/conflict.js';
import type { Environment } from '../protocol/environments.js';
import { issuing } from '../protocol/gaps.js';
import * as names from '../protocol/headers.js';
import {
  conflictRequest,
  conflictSidesRequest,
  guestRequest,
  identityRequest,
  nameRequest,
  recoveryRequest,
  refreshRequest,
  signOutRequest,
  socialRequest,
} from '../protocol/player-wire.js';
import { isUuid } from '../protocol/uuid-form.js';
import { type Answer, empty, json, jsonText } from './answers.js';
import { methodsOf } from './domain/accounts.js';
import { openConflict, readSides, resolveConflict } from './domain/conflict.js';
import { linkOrConflict, peek, restoreDeleted, signIn } from './domain/entering.js';
import { readCollection, updateEntry } from './domain/entries.js';
import { readMerge } from './domain/merge-request.js';
import { Refusal } from './domain/refusal.js';
import { answerFor, ownerOf, refreshSession, signOut } from './domain/sessions.js';
import { byDevice, byIdentity, byName, byRecovery, bySocial, deviceSubject, type WayIn } from './domain/way-in.js';
import {
  bearerOf,
  type Exchange,
  environmentOf,
  type Handler,
  readAs,
  requireGame,
  requirePlayer,
  scopeOf,
} from './exchange.js';
import type { Scope, SessionRecord } from './stores/records.js';

export async function guest(exchange: Exchange): Promise<Answer> {
  const request = readAs(guestRequest, (await exchange.body()).json);
  return enter(exchange, request, async (scope, device) => byDevice(scope, device));
}

/** What a request shows of the player, as a way in; and what it asks for besides. */
type Credential = (exchange: Exchange) => Promise<{ request: EnterRequest; prove: Proof }>;

type Proof = (scope: Scope, device: string) => Promise<WayIn>;

const credentials: { readonly [method in 'name' | 'identity' | 'social' | 'recovery']: Credential } = {
  async name(exchange) {
    const request = readAs(nameRequest, (await exchange.body()).json);
    const { username, password } = request;
    const { service, address } = exchange;
    return { request, prove: async (scope) => byName(service, scope, { username, password, address }) };
  },
  async identity(exchange) {
    const request = readAs(identityRequest, (await exchange.body()).json);
    const { service } = exchange;
    const game = () => requireGame(service, request.game_id);
    return { request, prove: (scope) => byIdentity(service, scope, game(), request.token) };
  },
  async social(exchange) {
    const request = readAs(socialRequest, (await exchange.body()).json);
    const { token, platform } = request;
    const { service } = exchange;
    const game = () => requireGame(service, request.game_id);
    return { request, prove: (scope) => bySocial(service, scope, game(), { token, platform }) };
  },
  async recovery(exchange) {
    const request = readAs(recoveryRequest, (await exchange.body()).json);
    const { code } = request;
    const { service, address } = exchange;
    return { request, prove: (scope) => byRecovery(service, scope, { code, address }) };
  },
};

/** The handler for one method's credential. */
export function withCredential(method: keyof typeof credentials): Handler {
  return async (exchange) => {
    const { request, prove } = await credentials[method](exchange);
    return enter(exchange, request, prove);
  };
}

export async function peekAt(exchange: Exchange): Promise<Answer> {
  const { method = '' } = exchange.params;
  if (!Object.hasOwn(credentials, method)) throw new Refusal('not_found');
  const { request, prove } = await credentials[method as keyof typeof credentials](exchange);
  const scope = scopeOf(exchange, request);
  const session = bearerOf(exchange.request) === null ? null : await requirePlayer(exchange, scope);
  const wayIn = await prove(scope, await deviceSubject(request.device_id));
  return json(await peek(exchange.service, wayIn, { session, show: request.show ?? [] }));
}

interface EnterRequest {
  game_id: string;
  env: Environment;
  device_id: string;
  show?: ConflictField[] | undefined;
  intent?: 'link' | 'switch' | undefined;
  restore?: boolean | undefined;
}

/**
 * With an access token "link, or conflict"; without one "sign in". Spec gap: an intent says which, and a switch goes only
 * where the credential leads already.
 */
async function enter(exchange: Exchange, request: EnterRequest, prove: Proof): Promise<Answer> {
  const { service, address } = exchange;
  const { intent, restore, show = [] } = request;
  const scope = scopeOf(exchange, request);
  const signsIn = intent === 'switch' || (intent === undefined && bearerOf(exchange.request) === null);
  const session = signsIn ? null : await requirePlayer(exchange, scope);
  const device = await deviceSubject(request.device_id);
  const wayIn = await prove(scope, device);
  const restored = restore === true && (await restoreDeleted(service, wayIn, device));
  // Whoever takes a deletion back wants that account, whatever is signed in meanwhile.
  if (session === null || restored) {
    return answer(exchange, await signIn(service, wayIn, { device, address, mayCreate: intent !== 'switch' }));
  }

  const link = await linkOrConflict(service, wayIn, session);
  if (link === 'linked') return answer(exchange, session);
  // Whose device this is, is no choice for the player to make.
  if (link.method === 'device') throw new Refusal('method_already_linked');
  const conflict = await openConflict(service, { link, session, device, show });
  throw new Refusal('profile_conflict', { conflict });
}

export async function conflict(exchange: Exchange): Promise<Answer> {
  const { json: body, text } = await exchange.body();
  const request = readAs(conflictRequest, body);
  const { ticket, choice } = request;
  const { service } = exchange;
  const device = await deviceSubject(request.device_id);
  const scope = scopeOf(exchange, request);
  const merge = () => readMerge(service, text, request);
  return answer(exchange, await resolveConflict(service, { scope, ticket, device, choice, merge }));
}

export async function conflictSides(exchange: Exchange): Promise<Answer> {
  const request = readAs(conflictSidesRequest, (await exchange.body()).json);
  const device = await deviceSubject(request.device_id);
  const scope = scopeOf(exchange, request);
  return jsonText(await readSides(exchange.service, { scope, ticket: request.ticket, device }));
}

export async function refresh(exchange: Exchange): Promise<Answer> {
  const request = readAs(refreshRequest, (await exchange.body()).json);
  const scope = scopeOf(exchange, request);
  return answer(exchange, await refreshSession(exchange.service, request.refresh_token, scope));
}

export async function signOutPlayer(exchange: Exchange): Promise<Answer> {
  const request = readAs(signOutRequest, (await exchange.body()).json);
  const scope = scopeOf(exchange, request);
  if (request.everywhere === true) {
    await exchange.service.store.endSessions(ownerOf(await requirePlayer(exchange, scope)));
    return empty();
  }
  const accessToken = bearerOf(exchange.request);
  await signOut(exchange.service, { refreshToken: request.refresh_token, accessToken, scope });
  return empty();
}

export async function readPlayerCollection(exchange: Exchange): Promise<Answer> {
  const owner = await requireEntryOwner(exchange);
  const { collection = '' } = exchange.params;
  const text = await readCollection(exchange.service, owner, collection);
  if (text === null) throw new Refusal('unauthorized');
  return jsonText(text);
}

export async function updatePlayerEntry(exchange: Exchange): Promise<Answer> {
  const owner = await requireEntryOwner(exchange);
  const { collection = '', key = '' } = exchange.params;
  const body = { ...(await exchange.body()), condition: exchange.request.headers.get(names.ifNoneMatch) };
  const written = await updateEntry(exchange.service, owner, { collection, key, body });
  if (written === null) throw new Refusal('unauthorized');
  return json(written);
}

export async function publishedKeys(exchange: Exchange): Promise<Answer> {
  return cached(json(await exchange.service.tokens.publicKeys()));
}

/** Loaded when it is first asked for: no other request pays for it. */
export async function apiDocument(): Promise<Answer> {
  const { openApiText } = await import('./openapi/document.js');
  return cached(jsonText(openApiText()));
}

function cached(response: Answer): Answer {
  response.headers.set('Cache-Control', `public, max-age=${issuing.jwksMaxAgeSeconds}`);
  return response;
}

async function requireEntryOwner(exchange: Exchange) {
  const { game = '' } = exchange.params;
  if (bearerOf(exchange.request) === null || !isUuid(game)) throw new Refusal('unauthorized');
  const scope = { gameId: game.toLowerCase(), environment: environmentOf(exchange.url) };
  return ownerOf(await requirePlayer(exchange, scope));
}

async function answer({ service, address }: Exchange, session: SessionRecord): Promise<Answer> {
  const methods = await methodsOf(service, ownerOf(session));
  return json({ ...(await answerFor(service, session, address)), methods });
}
