import type { ConflictField, LinkMethod } from '../../protocol/conflict.js';
import type { Environment } from '../../protocol/environments.js';
import type { SaveLimits } from '../../protocol/gaps/save-limits.js';
import {
  conflictRequest,
  conflictSidesRequest,
  guestRequest,
  identityRequest,
  nameRequest,
  newPasswordRequest,
  recoveryRequest,
  refreshRequest,
  resetRequest,
  signOutOthersRequest,
  signOutRequest,
  socialRequest,
} from '../../protocol/player-requests.js';
import { listMethods } from '../accounts/accounts.js';
import {
  deviceLogin,
  deviceSubject,
  identityTokenLogin,
  type LoginMethod,
  nameLogin,
  recoveryCodeLogin,
  socialTokenLogin,
} from '../accounts/login-methods.js';
import { requestReset, resetPassword } from '../accounts/password-reset.js';
import { reauthenticate, requireRecentSession } from '../accounts/recent-authentication.js';
import { cancelDeletion, linkOrConflict, peek, signIn } from '../accounts/sign-in.js';
import { readConflictSides, resolveConflict } from '../conflicts/conflicts.js';
import { type Answer, empty, json, jsonText } from '../http/answers.js';
import {
  bearerToken,
  type Exchange,
  type Handler,
  type Handlers,
  languageOf,
  requireBody,
  requireGame,
  requirePlayer,
  requireScope,
  requireShownSession,
  validate,
} from '../http/exchange.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import { authAnswer, refreshSession, requireSession, signOut, signOutOthers } from '../sessions/sessions.js';
import { ownerOf, type Scope, type SessionRecord } from '../stores/records.js';

/** Reads a request, and how the credential in it becomes a login method. */
type ReadLogin = (exchange: Exchange) => Promise<{ request: LoginRequest; createLoginMethod: CreateLoginMethod }>;

/** What a login method is made for; `mayCreate` says whether it may become a new account. */
type LoginPurpose = { scope: Scope; device: string; mayCreate: boolean };

type CreateLoginMethod = (purpose: LoginPurpose) => Promise<LoginMethod>;

const logins: { readonly [method in 'name' | 'identity' | 'social' | 'recovery']: ReadLogin } = {
  async name(exchange) {
    const request = validate(nameRequest, (await exchange.body()).json);
    const { username, password } = request;
    const { service, address } = exchange;
    const { signal } = exchange.request;
    const shown = { username, password, address, signal };
    return {
      request,
      createLoginMethod: async ({ scope, ...purpose }) => nameLogin(service, scope, { ...shown, ...purpose }),
    };
  },
  async identity(exchange) {
    const request = validate(identityRequest, (await exchange.body()).json);
    const { service, address } = exchange;
    const game = () => requireGame(service, request.game_id);
    const shown = { token: request.token, address, signal: exchange.request.signal };
    return { request, createLoginMethod: ({ scope }) => identityTokenLogin(service, scope, game(), shown) };
  },
  async social(exchange) {
    const request = validate(socialRequest, (await exchange.body()).json);
    const { token, platform } = request;
    const { service, address } = exchange;
    const game = () => requireGame(service, request.game_id);
    const shown = { token, platform, address, signal: exchange.request.signal };
    return { request, createLoginMethod: ({ scope }) => socialTokenLogin(service, scope, game(), shown) };
  },
  async recovery(exchange) {
    const request = validate(recoveryRequest, (await exchange.body()).json);
    const { code } = request;
    const { service, address } = exchange;
    return { request, createLoginMethod: ({ scope }) => recoveryCodeLogin(service, scope, { code, address }) };
  },
};

/** The handler that signs in by a credential of one method, or links it. */
function signInWith(method: keyof typeof logins): Handler {
  return async (exchange) => {
    const { request, createLoginMethod } = await logins[method](exchange);
    return signInOrLink(exchange, request, createLoginMethod);
  };
}

interface LoginRequest {
  game_id: string;
  env: Environment;
  device_id: string;
  show?: ConflictField[] | undefined;
  intent?: 'link' | 'switch' | 'reauthenticate' | undefined;
  restore?: boolean | undefined;
}

/**
 * Links the credential to the player's account where the request has an access token, and signs in where it has none.
 * Spec gap: `intent` decides instead where it is given. `switch` signs in only to an account that is there already, and
 * `reauthenticate` links nothing.
 */
async function signInOrLink(
  exchange: Exchange,
  request: LoginRequest,
  createLoginMethod: CreateLoginMethod,
): Promise<Answer> {
  const { service, address } = exchange;
  const { intent, restore, show = [] } = request;
  const scope = requireScope(exchange, request);
  const signsIn = intent === 'switch' || (intent === undefined && bearerToken(exchange.request) === null);
  const shown = signsIn ? null : await requireShownSession(exchange, scope);
  const session = shown === null ? null : await requireSession(service, shown);
  const device = await deviceSubject(request.device_id);
  const mayCreate = session === null && intent !== 'switch';
  const loginMethod = await createLoginMethod({ scope, device, mayCreate });
  const restored = restore === true && (await cancelDeletion(service, loginMethod, device));
  // Whoever takes a deletion back is signed in to that account, whatever account the access token is of.
  if (shown === null || session === null || restored) {
    const opened = await signIn(service, loginMethod, { device, address, mayCreate });
    return authAnswerOf(exchange, opened.session, opened.isNew ? [opened.session.method] : undefined);
  }
  if (intent === 'reauthenticate') return authAnswerOf(exchange, await reauthenticate(service, loginMethod, session));
  const { weigh } = exchange;
  const linked = await linkOrConflict(service, loginMethod, session, { shown, device, show, weigh });
  if ('conflict' in linked) throw new Refusal('profile_conflict', { conflict: linked.conflict });
  return authAnswerOf(exchange, linked.session);
}

/** `known` are the login methods of the account, where the store need not be asked. */
async function authAnswerOf(exchange: Exchange, session: SessionRecord, known?: LinkMethod[]): Promise<Answer> {
  const { service, address } = exchange;
  exchange.isForAccount(session.accountId);
  const methods = known ?? (await listMethods(service, ownerOf(session)));
  const answer = await authAnswer(service, session, address);
  answer.methods = methods;
  answer.limits = saveLimitsOf(service);
  return json(answer);
}

/** What the device refuses at once, before the player believes that it is saved. */
function saveLimitsOf({ sizes: { valueBytes }, quotas: { values, entries, collections } }: Service): SaveLimits {
  return { valueBytes: Math.min(valueBytes, values), entries, collections };
}

/** Signing in, linking, conflicts and sessions. */
export const auth = {
  async signInAsGuest(exchange) {
    const request = validate(guestRequest, (await exchange.body()).json);
    return signInOrLink(exchange, request, async ({ scope, device }) => deviceLogin(scope, device));
  },

  signInWithName: signInWith('name'),
  signInWithIdentityToken: signInWith('identity'),
  signInWithSocialToken: signInWith('social'),
  signInWithRecoveryCode: signInWith('recovery'),

  async requestReset(exchange) {
    const request = validate(resetRequest, (await exchange.body()).json);
    const scope = requireScope(exchange, request);
    const { service, address } = exchange;
    const { username } = request;
    const device = await deviceSubject(request.device_id);
    await requestReset(service, scope, { username, device, address, language: languageOf(exchange.request) });
    return empty();
  },

  async resetPassword(exchange) {
    const request = validate(newPasswordRequest, (await exchange.body()).json);
    const scope = requireScope(exchange, request);
    const { service, address } = exchange;
    const { username, code, new_password: to } = request;
    const device = await deviceSubject(request.device_id);
    const { signal } = exchange.request;
    await resetPassword(service, scope, { username, device, address, code, to, signal });
    return empty();
  },

  async peek(exchange) {
    const { method = '' } = exchange.params;
    if (!Object.hasOwn(logins, method)) throw new Refusal('not_found');
    const { request, createLoginMethod } = await logins[method as keyof typeof logins](exchange);
    const scope = requireScope(exchange, request);
    const session = bearerToken(exchange.request) === null ? null : await requirePlayer(exchange, scope);
    const device = await deviceSubject(request.device_id);
    const loginMethod = await createLoginMethod({ scope, device, mayCreate: false });
    const { service, weigh } = exchange;
    return json(await peek(service, loginMethod, { session, show: request.show ?? [], weigh }));
  },

  async resolveConflict(exchange) {
    const { json: body, text } = await exchange.body();
    const request = validate(conflictRequest, body);
    const { service } = exchange;
    const device = await deviceSubject(request.device_id);
    const scope = requireScope(exchange, request);
    exchange.count(request.ticket);
    return authAnswerOf(exchange, await resolveConflict(service, { scope, request, text, device }));
  },

  async readConflictSides(exchange) {
    const request = validate(conflictSidesRequest, (await exchange.body()).json);
    const device = await deviceSubject(request.device_id);
    const scope = requireScope(exchange, request);
    exchange.count(request.ticket);
    return jsonText(await readConflictSides(exchange.service, { scope, ticket: request.ticket, device }));
  },

  async refreshSession(exchange) {
    const request = validate(refreshRequest, (await exchange.body()).json);
    const scope = requireScope(exchange, request);
    return authAnswerOf(
      exchange,
      await refreshSession(exchange.service, request.refresh_token, { scope, count: exchange.countAccount }),
    );
  },

  async signOutOthers(exchange) {
    const shown = await requireShownSession(exchange);
    const { request } = await requireBody(exchange, shown, signOutOthersRequest);
    const { service } = exchange;
    const session = await requireRecentSession(service, shown);
    return authAnswerOf(exchange, await signOutOthers(service, session, request.unlink_since));
  },

  async signOut(exchange) {
    const request = validate(signOutRequest, (await exchange.body()).json);
    const scope = requireScope(exchange, request);
    if (request.everywhere === true) {
      await exchange.service.store.endSessions(ownerOf(await requirePlayer(exchange, scope)));
      return empty();
    }
    const accessToken = bearerToken(exchange.request);
    await signOut(exchange.service, {
      refreshToken: request.refresh_token,
      accessToken,
      scope,
      count: exchange.countAccount,
    });
    return empty();
  },
} satisfies Handlers;
