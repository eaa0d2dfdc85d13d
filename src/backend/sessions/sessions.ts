import type { Environment } from '../../protocol/environments.js';
import { tokenDefaults } from '../../protocol/gaps/tokens.js';
import type { PlayerAuthAnswer } from '../../protocol/player-messages.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { LinkKey, NewSession, Owner, RefreshRecord, Scope, SessionRecord } from '../stores/records.js';
import { latestRefreshToken, sessionKeyOf } from './tokens.js';

/** A try's outcome depends on what it read; another request may have changed that, and then it starts again. */
const maxTries = 100;

/** A session that has not met its account yet. */
export function newSession(service: Service): NewSession {
  const openedAt = service.now();
  const token = newToken(service, openedAt, openedAt);
  return { sessionId: service.newId(), openedAt, expiresAt: token.exp * 1000, refreshTokens: [token] };
}

/** A session that comes from a link. */
export function newSessionOf(
  service: Service,
  { via, accountId, device }: { via: LinkKey; accountId: string; device: string },
): SessionRecord {
  const { gameId, environment, method, subject } = via;
  return { gameId, environment, accountId, method, subject, device, revision: 0, ...newSession(service) };
}

/**
 * The answer of Spec 2.5 for a session as it is. It carries the session's latest refresh token, written again: asking
 * twice costs nothing, and neither does an answer that is lost.
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

/** The session that an access token belongs to. Refuses what is for another game or environment, and what was signed out. */
export async function requireSession(service: Service, token: string, scope?: Scope): Promise<SessionRecord> {
  const claims = await service.tokens.readAccessToken(token, service.now());
  requireScope(claims, scope);
  const session = await service.store.findSession(sessionKeyOf(claims));
  if (session === null) throw new Refusal('unauthorized');
  return session;
}

/**
 * Takes a refresh token for its successor. Spec gap: the parent is honoured until its successor has been used, then
 * 30 s more, and gives the same successor: a lost answer, a closed page or a second tab cost nothing. Older reuse
 * means that two hold the session, and ends it.
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

/** Ends the session of a refresh token (a used one too) or of an access token. Twice is as good as once. */
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

/** The rotation as a pure function of the session as it is; `fresh` is the token to add where one is due. */
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

/** More than this within the 30 s is no player. */
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
