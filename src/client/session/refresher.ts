import { ServiceError } from '../../errors.js';
import { startTimer } from '../../http/timers.js';
import * as accessTokens from '../../protocol/gaps/access-tokens.js';
import type { ExternalValues } from '../config.js';
import { backOff } from '../platform/back-off.js';
import type { Platform } from '../platform/platform.js';
import type { Requests } from '../requests.js';
import type { CurrentSession } from './current-session.js';
import { renewTokens } from './renew-tokens.js';
import type { Session } from './session-store.js';

/** Keeps the access token fresh: ahead of its end by a timer, and whenever a request needs it. */
export interface Refresher {
  /** Asks for a new access token now. While one is being asked for, every caller waits for the same answer. */
  refresh(): Promise<void>;
  /** Refreshes now if it is due: a page that slept has missed its timer. */
  refreshIfDue(): void;
  /** Whether the session can get new tokens: it has a refresh token, or the game has given `renewSession`. */
  canRefresh(session: Session): boolean;
  /** Ends a session that the service does not take any more. */
  expire(): void;
  stop(): void;
}

export function createRefresher(dependencies: {
  currentSession: CurrentSession;
  requests: Requests;
  platform: Platform;
  /** Only one tab refreshes at a time. */
  lockName: string;
  renewSession: (() => Promise<ExternalValues>) | undefined;
}): Refresher {
  const { currentSession, requests, platform, renewSession } = dependencies;
  let underWay: Promise<void> | null = null;
  let failures = 0;
  let stopTimer = (): void => {};
  let isStopped = false;

  const leftMs = (session: Session): number => session.expiresAt - currentSession.serverTime();
  const canRefresh = (session: Session): boolean => session.refreshToken !== null || renewSession !== undefined;

  function refreshAfter(ms: number): void {
    stopTimer();
    if (!isStopped) stopTimer = startTimer(ms, () => void refresh().catch(() => {}));
  }

  function schedule(): void {
    const { session } = currentSession;
    stopTimer();
    failures = 0;
    if (session !== null) refreshAfter(dueInMs(leftMs(session), canRefresh(session), platform.random()));
  }

  function refresh(): Promise<void> {
    if (underWay !== null) return underWay;
    const before = currentSession.session;
    const task = (): Promise<void> => refreshOnce(before);
    // No lock is held while the game's own function runs.
    const result = before?.refreshToken === null ? task() : platform.lock(dependencies.lockName, task);
    underWay = result.finally(() => {
      underWay = null;
    });
    return underWay;
  }

  // Nothing in here may wait for a reload or for the queue of operations: both may be waiting for a token themselves.
  async function refreshOnce(before: Session | null): Promise<void> {
    if (before === null || isStopped) return;
    await currentSession.sync();
    const { session } = currentSession;
    // Another tab has refreshed meanwhile.
    if (session === null || session.accessToken !== before.accessToken) return;
    // A timer may ring a little early.
    if (!canRefresh(session)) return leftMs(session) > 0 ? refreshAfter(leftMs(session)) : expire();
    try {
      await renewTokens(session, dependencies);
    } catch (error) {
      // What another tab has stored meanwhile counts more than this answer.
      if (currentSession.session?.accessToken !== session.accessToken) return;
      if (isRefusal(error)) return replaceSession(session);
      failures += 1;
      const bounds = { minMs: accessTokens.refreshRetryMinMs, maxMs: accessTokens.refreshRetryMaxMs };
      refreshAfter(backOff(failures, error, bounds, platform.random));
      throw error;
    }
  }

  /** Spec gap: a guest whose session the service has ended signs in again by the device's id. Any other one expires. */
  async function replaceSession(session: Session): Promise<void> {
    await currentSession.refused();
    if (currentSession.session !== session) return;
    if (session.refreshToken === null || currentSession.deviceUserId !== session.userId) return expire();
    try {
      const answer = await requests.signInWith('guest', { device_id: currentSession.deviceId });
      const next = currentSession.readAnswer(answer, 'device');
      if (currentSession.session !== session) return;
      const type = next.userId === session.userId ? 'renew' : 'switch';
      currentSession.apply(type, { session: next, deviceUserId: next.userId }).catch(() => {});
    } catch (error) {
      if (isRefusal(error)) return expire();
      refreshAfter(accessTokens.refreshRetryMaxMs * (1 + platform.random()) * 0.5);
      throw error;
    }
  }

  function expire(): void {
    currentSession.apply('expire', { session: null }).catch(() => {});
  }

  currentSession.subscribe({ sessionChanged: schedule });
  return {
    refresh,
    refreshIfDue: () => {
      const { session } = currentSession;
      if (session !== null && leftMs(session) < accessTokens.refreshAheadMs) refresh().catch(() => {});
    },
    canRefresh,
    expire,
    stop: () => {
      isStopped = true;
      stopTimer();
    },
  };
}

/** When a session with so much left is refreshed; one that cannot be refreshed is looked at again when it ends. */
function dueInMs(leftMs: number, canRefresh: boolean, random: number): number {
  const aheadMs = accessTokens.refreshAheadMs + accessTokens.refreshJitterMs * random;
  // A service whose tokens live for less than that must not be asked without a pause.
  const dueMs = canRefresh ? Math.max(leftMs - aheadMs, leftMs / 2) : leftMs;
  return Math.max(dueMs, accessTokens.refreshRetryMinMs);
}

/** The service itself has refused the session. A proxy's refusal has no problem body, and is no `ServiceError`. */
function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && [401, 403, 404].includes(error.status);
}
