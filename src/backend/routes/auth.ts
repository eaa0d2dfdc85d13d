import type { ConflictField } from '../../protocol/conflict.js';
import type { Environment } from '../../protocol/environments.js';
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
} from '../../protocol/player-messages.js';
import { methodsOf } from '../accounts/accounts.js';
import {
  byDevice,
  byIdentity,
  byName,
  byRecovery,
  bySocial,
  deviceSubject,
  type LoginMethod,
} from '../accounts/login-methods.js';
import { openConflict, readConflictSides, resolveConflict } from '../conflicts/conflicts.js';
import { readMerge } from '../conflicts/merge-request.js';
import { type Answer, empty, json, jsonText } from '../http/answers.js';
import {
  bearerOf,
  type Exchange,
  type Handler,
  type Handlers,
  readAs,
  requireGame,
  requirePlayer,
  scopeOf,
} from '../http/exchange.js';
import { Refusal } from '../refusal.js';
import { answerFor, ownerOf, refreshSession, signOut } from '../sessions/sessions.js';
import { linkOrConflict, peek, restoreDeleted, signIn } from '../sessions/sign-in.js';
import type { Scope, SessionRecord } from '../stores/records.js';

/** What a request shows of the player, as a login method; and what it asks for besides. */
type Credential = (exchange: Exchange) => Promise<{ request: EnterRequest; prove: Proof }>;

type Proof = (scope: Scope, device: string) => Promise<LoginMethod>;

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

/** The handler that signs in by one method's credential, or links it. */
function signInWith(method: keyof typeof credentials): Handler {
  return async (exchange) => {
    const { request, prove } = await credentials[method](exchange);
    return enter(exchange, request, prove);
  };
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
  const loginMethod = await prove(scope, device);
  const restored = restore === true && (await restoreDeleted(service, loginMethod, device));
  // Whoever takes a deletion back wants that account, whatever is signed in meanwhile.
  if (session === null || restored) {
    return answer(exchange, await signIn(service, loginMethod, { device, address, mayCreate: intent !== 'switch' }));
  }

  const link = await linkOrConflict(service, loginMethod, session);
  if (link === 'linked') return answer(exchange, session);
  // Whose device this is, is no choice for the player to make.
  if (link.method === 'device') throw new Refusal('method_already_linked');
  const conflict = await openConflict(service, { link, session, device, show });
  throw new Refusal('profile_conflict', { conflict });
}

async function answer({ service, address }: Exchange, session: SessionRecord): Promise<Answer> {
  const methods = await methodsOf(service, ownerOf(session));
  return json({ ...(await answerFor(service, session, address)), methods });
}

/** Signing in, linking, conflicts and sessions. */
export const auth = {
  async signInAsGuest(exchange) {
    const request = readAs(guestRequest, (await exchange.body()).json);
    return enter(exchange, request, async (scope, device) => byDevice(scope, device));
  },

  signInWithName: signInWith('name'),
  signInWithIdentityToken: signInWith('identity'),
  signInWithSocialToken: signInWith('social'),
  signInWithRecoveryCode: signInWith('recovery'),

  async peek(exchange) {
    const { method = '' } = exchange.params;
    if (!Object.hasOwn(credentials, method)) throw new Refusal('not_found');
    const { request, prove } = await credentials[method as keyof typeof credentials](exchange);
    const scope = scopeOf(exchange, request);
    const session = bearerOf(exchange.request) === null ? null : await requirePlayer(exchange, scope);
    const loginMethod = await prove(scope, await deviceSubject(request.device_id));
    return json(await peek(exchange.service, loginMethod, { session, show: request.show ?? [] }));
  },

  async resolveConflict(exchange) {
    const { json: body, text } = await exchange.body();
    const request = readAs(conflictRequest, body);
    const { ticket, choice } = request;
    const { service } = exchange;
    const device = await deviceSubject(request.device_id);
    const scope = scopeOf(exchange, request);
    const merge = () => readMerge(service, text, request);
    return answer(exchange, await resolveConflict(service, { scope, ticket, device, choice, merge }));
  },

  async readConflictSides(exchange) {
    const request = readAs(conflictSidesRequest, (await exchange.body()).json);
    const device = await deviceSubject(request.device_id);
    const scope = scopeOf(exchange, request);
    return jsonText(await readConflictSides(exchange.service, { scope, ticket: request.ticket, device }));
  },

  async refreshSession(exchange) {
    const request = readAs(refreshRequest, (await exchange.body()).json);
    const scope = scopeOf(exchange, request);
    return answer(exchange, await refreshSession(exchange.service, request.refresh_token, scope));
  },

  async signOut(exchange) {
    const request = readAs(signOutRequest, (await exchange.body()).json);
    const scope = scopeOf(exchange, request);
    if (request.everywhere === true) {
      await exchange.service.store.endSessions(ownerOf(await requirePlayer(exchange, scope)));
      return empty();
    }
    const accessToken = bearerOf(exchange.request);
    await signOut(exchange.service, { refreshToken: request.refresh_token, accessToken, scope });
    return empty();
  },
} satisfies Handlers;
