import type { Environment } from '../../protocol/environments.js';
import { tokenDefaults } from '../../protocol/gaps/tokens.js';
import type { PlayerAuthAnswer } from '../../protocol/player-messages.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { LinkKey, NewSession, RefreshRecord, Scope, SessionKey, SessionRecord } from '../stores/records.js';
import { latestRefreshToken, sessionKeyOf } from './tokens.js';

/** How often a refresh starts again, because another request changed the session between read and write. */
const maxTries = 100;

/** A session whose account is not known yet. */
export function newSession(service: Service): NewSession {
  const openedAt = service.now();
  const token = newToken(service, openedAt, openedAt);
  return { sessionId: service.newId(), openedAt, expiresAt: token.exp * 1000, refreshTokens: [token] };
}

/** A session that comes from a link; `via` names it. */
export function newSessionOf(
  service: Service,
  { via, accountId, device }: { via: LinkKey; accountId: string; device: string },
): SessionRecord {
  const { gameId, environment, method, subject } = via;
  return { gameId, environment, accountId, method, subject, device, revision: 0, ...newSession(service) };
}

/**
 * The answer for a session: docs/interface.md#server-authentication-response. It carries the session's latest refresh
 * token, which is written anew each time
 * with the same text: a client that asks again because an answer got lost has lost nothing.
 */
export async function authAnswer(
  service: Service,
  session: SessionRecord,
  address: string | undefined,
): Promise<PlayerAuthAnswer> {
  return {
    userId: session.accountId,
    accessToken: await service.tokens.writeAccessToken(session, service.newId(), service.now()),
    refreshToken: await service.tokens.writeRefreshToken(session, latestRefreshToken(session)),
    status: tokenDefaults.status,
    country: await service.countryOf(address),
    time: service.now(),
  };
}

/** The session of an access token. Refuses a token for another game or environment, and one whose session has ended. */
export async function requireSession(service: Service, token: string, scope?: Scope): Promise<SessionRecord> {
  const session = await service.store.findSession(await readSessionKey(service, token, scope));
  if (session === null) throw new Refusal('unauthorized');
  return session;
}

/**
 * The session that an access token names, for a write that itself sees whether the session lives. Refuses a token for
 * another game or environment.
 */
export async function readSessionKey(service: Service, token: string, scope?: Scope): Promise<SessionKey> {
  const claims = await service.tokens.readAccessToken(token, service.now());
  requireScope(claims, scope);
  return sessionKeyOf(claims);
}

/**
 * Exchanges a refresh token for its successor. Spec gap: a used token gives the same successor again until that has
 * been used, and for 30 s more, so that a lost answer, a closed page or a second tab do no harm. A token that is used
 * later than that shows that somebody else has the session as well, and ends it.
 */
export async function refreshSession(service: Service, token: string, scope: Scope): Promise<SessionRecord> {
  const claims = await service.tokens.readRefreshToken(token, service.now());
  requireScope(claims, scope);
  const key = sessionKeyOf(claims);
  for (let attempt = 0; attempt < maxTries; attempt += 1) {
    const session = await service.store.findSession(key);
    if (session === null) throw new Refusal('unauthorized');
    const now = service.now();
    const step = rotate(session, claims.jti, now, newToken(service, now, session.openedAt));
    if (step === 'reused') {
      await service.store.endSession(key);
      throw new Refusal('refresh_token_reused');
    }
    if (step.changed === null) return step.answer;
    if (await service.store.updateSession(step.changed)) return step.answer;
  }
  throw new Refusal('unavailable', { retryAfterMs: 1_000 });
}

/** Ends the session of a refresh token, be it a used one, or of an access token. To end it twice does no harm. */
export async function signOut(
  service: Service,
  { refreshToken, accessToken, scope }: { refreshToken?: string | undefined; accessToken: string | null; scope: Scope },
): Promise<void> {
  const now = service.now();
  if (refreshToken === undefined && accessToken === null) throw new Refusal('unauthorized');
  const claims =
    refreshToken === undefined
      ? await service.tokens.readAccessToken(accessToken ?? '', now)
      : await service.tokens.readRefreshToken(refreshToken, now);
  requireScope(claims, scope);
  await service.store.endSession(sessionKeyOf(claims));
}

type Step = 'reused' | { answer: SessionRecord; changed: SessionRecord | null };

/**
 * What a refresh makes of a session. `fresh` becomes its next token, if it needs one; `changed` is null if it does not.
 */
function rotate(session: SessionRecord, jti: string, now: number, fresh: RefreshRecord): Step {
  const chain = session.refreshTokens;
  const index = chain.findIndex((token) => token.jti === jti);
  if (index < 0) return 'reused';
  const successor = chain[index + 1];
  if (successor === undefined) {
    const used = chain.map((token, at) => (at === index ? { ...token, usedAt: now } : token));
    const kept = [...used.filter((_, at) => isHonoured(used, at, now)), fresh];
    const changed = { ...session, refreshTokens: kept.slice(-maxChain), expiresAt: fresh.exp * 1000 };
    return { answer: changed, changed };
  }
  if (!isHonoured(chain, index, now)) return 'reused';
  return { answer: { ...session, refreshTokens: chain.slice(0, index + 2) }, changed: null };
}

/** How many tokens a session keeps: no player makes more within 30 s. */
const maxChain = 32;

function isHonoured(chain: readonly RefreshRecord[], index: number, now: number): boolean {
  const usedAt = chain[index + 1]?.usedAt ?? null;
  return usedAt === null || now <= usedAt + tokenDefaults.refreshGraceMs;
}

function newToken(service: Service, now: number, openedAt: number): RefreshRecord {
  const end = Math.min(now + tokenDefaults.refreshIdleMs, openedAt + tokenDefaults.refreshAbsoluteMs);
  return { jti: service.newId(), iat: Math.floor(now / 1000), exp: Math.floor(end / 1000), usedAt: null };
}

function requireScope(claims: { aud: string; env: Environment }, scope: Scope | undefined): void {
  if (scope === undefined) return;
  if (claims.aud !== scope.gameId) throw new Refusal('wrong_game');
  if (claims.env !== scope.environment) throw new Refusal('wrong_env');
}
