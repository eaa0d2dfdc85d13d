import type { Environment } from '../../protocol/environments.js';
import { busyRetryMs } from '../../protocol/gaps/retry-hints.js';
import { tokenDefaults } from '../../protocol/gaps/tokens.js';
import type { AccessClaims, PlayerAuthAnswer } from '../../protocol/player-messages.js';
import { refuseIfBanned } from '../accounts/closed.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { LinkKey, NewSession, RefreshRecord, Scope, SessionKey, SessionRecord } from '../stores/records.js';
import { startOfDay } from '../stores/rules/last-use.js';
import { latestRefreshToken, sessionKeyOf } from './tokens.js';

/** How often a refresh starts again, because another request changed the session between read and write. */
const maxTries = 100;

/** A session whose account is not known yet. */
export function newSession(service: Service): NewSession {
  const openedAt = service.now();
  const token = newToken(service, openedAt, openedAt);
  const expiresAt = token.exp * 1000;
  return { sessionId: service.newId(), openedAt, authenticatedAt: openedAt, expiresAt, refreshTokens: [token] };
}

/** A session that comes from a link; `via` names it. */
export function newSessionOf(
  service: Service,
  { via, accountId, device }: { via: LinkKey; accountId: string; device: string },
): SessionRecord {
  const { gameId, environment, method, subject } = via;
  const { sessionId, openedAt, authenticatedAt, expiresAt, refreshTokens } = newSession(service);
  return {
    gameId,
    environment,
    accountId,
    sessionId,
    method,
    subject,
    device,
    openedAt,
    authenticatedAt,
    expiresAt,
    refreshTokens,
    revision: 0,
  };
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

/** Counts a request for the account that its token names, before the store is asked. Refuses with `rate_limited`. */
type CountAccount = (accountId: string) => void;

interface Expected {
  /** What the token must be for; any game where the request names none. */
  scope: Scope | undefined;
  count: CountAccount;
}

/** What an access token says: its session, which may have ended. */
export interface ShownSession extends SessionKey {
  /** When the player had last shown a login method, in seconds since 1970; 0 in the tokens of earlier versions. */
  authTime: number;
  /** The kind of that login method; undefined in the tokens of earlier versions. */
  authMethod: string | undefined;
}

/** The session that an access token names. Refuses a token for another game or environment. */
export async function readShownSession(
  service: Service,
  token: string,
  { scope, count }: Expected,
): Promise<ShownSession> {
  const claims = await service.tokens.readAccessToken(token, service.now());
  requireScope(claims, scope);
  count(claims.sub);
  // Listed, as each request with a token comes by here: V8 takes 5 µs for a spread among other members.
  const { gameId, environment, accountId, sessionId } = sessionKeyOf(claims);
  const { auth_time: authTime = 0, amr } = claims;
  return { gameId, environment, accountId, sessionId, authTime, authMethod: amr?.[0] };
}

/** The session of this key. Refuses one that has ended. */
export async function requireSession({ store }: Service, key: SessionKey): Promise<SessionRecord> {
  const session = await store.findSession(key);
  if (session === null) throw new Refusal('unauthorized');
  return session;
}

/**
 * Exchanges a refresh token for its successor. Spec gap: a used token gives the same successor again until that has
 * been used, and for 30 s more, so that a lost answer, a closed page or a second tab do no harm. A token that is used
 * later than that, or that has three successors, shows that somebody else has the session as well, and ends it; so do
 * three successors in a row that are asked for once more, late. A player who is banned is told so.
 */
export async function refreshSession(
  service: Service,
  token: string,
  { scope, count }: { scope: Scope; count: CountAccount },
): Promise<SessionRecord> {
  const claims = await service.tokens.readRefreshToken(token, service.now());
  requireScope(claims, scope);
  count(claims.sub);
  const key = sessionKeyOf(claims);
  for (let attempt = 0; attempt < maxTries; attempt += 1) {
    const stored = await service.store.findSession(key);
    if (stored === null) {
      await refuseIfBanned(service, key);
      throw new Refusal('unauthorized');
    }
    const session = resume(stored, claims);
    const now = service.now();
    const fresh = newToken(service, now, session.openedAt, latestRefreshToken(session).iat);
    const step = rotate(session, claims.jti, now, fresh);
    if (step === 'reused') {
      await service.store.endSession(key);
      throw new Refusal('refresh_token_reused');
    }
    if (step.changed === null) return step.answer;
    if (await service.store.updateSession(step.changed)) {
      await markUsed(service, session, now);
      return step.answer;
    }
  }
  throw new Refusal('unavailable', { retryAfterMs: busyRetryMs, limitName: 'refreshRaces' });
}

/**
 * Removes the methods and devices that were linked since a moment, but for the one that the player has shown,
 * and ends every session of the account. The player goes on with a new one: whoever has copied the tokens of
 * the former is out as well.
 */
export async function signOutOthers(
  service: Service,
  session: SessionKey,
  unlinkSince: number,
): Promise<SessionRecord> {
  const done = await service.store.signOutOthers({ session, next: newSession(service), unlinkSince });
  if (done.outcome === 'signed_out') return done.session;
  throw new Refusal(done.outcome === 'no_session' ? 'unauthorized' : 'would_orphan');
}

/** Ends the session of a refresh token, be it a used one, or of an access token. To end it twice does no harm. */
export async function signOut(
  service: Service,
  {
    refreshToken,
    accessToken,
    scope,
    count,
  }: {
    refreshToken?: string | undefined;
    accessToken: string | null;
    scope: Scope;
    count: CountAccount;
  },
): Promise<void> {
  const now = service.now();
  if (refreshToken === undefined && accessToken === null) throw new Refusal('unauthorized');
  const claims =
    refreshToken === undefined
      ? await service.tokens.readAccessToken(accessToken ?? '', now)
      : await service.tokens.readRefreshToken(refreshToken, now);
  requireScope(claims, scope);
  const session = sessionKeyOf(claims);
  count(session.accountId);
  await service.store.endSession(session);
}

/**
 * The session as it was when the service issued the token. The store may know less: it was restored from a backup, or a
 * standby took over. Only the service issues tokens, each later than the one before it, so that a token later than all
 * that the store has is the player's latest one, and what came before it has been used.
 */
function resume(stored: SessionRecord, { jti, iat, exp }: AccessClaims): SessionRecord {
  if (iat <= latestRefreshToken(stored).iat) return stored;
  return { ...stored, refreshTokens: [{ jti, iat, exp, usedAt: null }] };
}

/**
 * Keeps the first refresh of a day as a use of the session's login method and device. The
 * player has the tokens already.
 */
async function markUsed({ store, report }: Service, session: SessionRecord, now: number): Promise<void> {
  if (latestRefreshToken(session).iat * 1000 >= startOfDay(now)) return;
  try {
    await store.markUsed({ session, now });
  } catch (error) {
    report('The use of a login method could not be kept.', error);
  }
}

type Step = 'reused' | { answer: SessionRecord; changed: SessionRecord | null };

/**
 * What a refresh makes of a session. `fresh` becomes its next token, if it needs one; `changed` is null if it does not.
 */
function rotate(session: SessionRecord, jti: string, now: number, fresh: RefreshRecord): Step {
  const chain = session.refreshTokens;
  const index = chain.findIndex((token) => token.jti === jti);
  const token = chain[index];
  if (token === undefined) return 'reused';
  const successor = chain[index + 1];
  if (successor === undefined) {
    const used = chain.map((one) => (one === token ? { ...one, usedAt: now } : one));
    const kept = [...used.filter((_, at) => isHonoured(used, at, now)), fresh];
    const refreshTokens = kept.slice(-tokenDefaults.refreshSuccessors);
    const changed = { ...session, refreshTokens, expiresAt: fresh.exp * 1000 };
    return { answer: changed, changed };
  }
  if (!isHonoured(chain, index, now)) return 'reused';
  const answer = { ...session, refreshTokens: chain.slice(0, index + 2) };
  const isLate = now > (token.usedAt ?? now) + tokenDefaults.refreshGraceMs;
  if (!isLate || successor.repeats !== undefined) return { answer, changed: null };
  const repeats = (token.repeats ?? 0) + 1;
  if (repeats >= tokenDefaults.refreshRepeats) return 'reused';
  const refreshTokens = chain.map((one) => (one === successor ? { ...one, repeats } : one));
  return { answer, changed: { ...session, refreshTokens } };
}

function isHonoured(chain: readonly RefreshRecord[], index: number, now: number): boolean {
  const usedAt = chain[index + 1]?.usedAt ?? null;
  return usedAt === null || now <= usedAt + tokenDefaults.refreshGraceMs;
}

/** A token that is later than the one before it also where the clock is not. */
function newToken(service: Service, now: number, openedAt: number, after = 0): RefreshRecord {
  const end = Math.min(now + tokenDefaults.refreshIdleMs, openedAt + tokenDefaults.refreshAbsoluteMs);
  const iat = Math.max(Math.floor(now / 1000), after + 1);
  return { jti: service.newId(), iat, exp: Math.floor(end / 1000), usedAt: null };
}

function requireScope(claims: { aud: string; env: Environment }, scope: Scope | undefined): void {
  if (scope === undefined) return;
  if (claims.aud !== scope.gameId) throw new Refusal('wrong_game');
  if (claims.env !== scope.environment) throw new Refusal('wrong_env');
}
