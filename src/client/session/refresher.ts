import { NoAnswerError, ServiceError } from '../../errors.js';
import { untilAborted } from '../../http/until-aborted.js';
import { accessTokens } from '../../protocol/gaps/access-tokens.js';
import type { ExternalValues } from '../config.js';
import { pauseAfter } from '../platform/back-off.js';
import { type Platform, startTimer } from '../platform/platform.js';
import type { PlayerOptions, Requests } from '../requests.js';
import { type CurrentSession, notAuthenticated } from './current-session.js';
import type { Session } from './session-store.js';

/** A request of a player who is signed in. */
export type AuthorizedRequest<T> = (player: PlayerOptions, userId: string) => Promise<T>;

export interface Refresher {
  /** Plans the next refresh; to be called when the session has changed. */
  schedule(): void;
  /** Refreshes now if it is due: a page that slept has missed its timer. */
  wake(): void;
  /** Runs a request with an access token that is good, once more with a new one where the service has had enough of it. */
  authorized<T>(request: AuthorizedRequest<T>, signal?: AbortSignal): Promise<T>;
  stop(): void;
}

/** An access token is not used for a request that it may not outlive. */
const leastLifeMs = 5_000;

export function createRefresher(options: {
  current: () => CurrentSession;
  requests: Requests;
  platform: Platform;
  lockName: string;
  deviceId: () => string;
  renewSession: (() => Promise<ExternalValues>) | undefined;
}): Refresher {
  const { requests, platform, renewSession } = options;
  let flight: Promise<void> | null = null;
  let failures = 0;
  let stopTimer = (): void => {};
  let stopped = false;

  const leftMs = (session: Session): number => session.expiresAt - options.current().serverTime();
  const canRenew = (session: Session): boolean => session.refreshToken !== null || renewSession !== undefined;

  function plan(ms: number): void {
    stopTimer();
    if (!stopped) stopTimer = startTimer(ms, () => void refresh().catch(() => {}));
  }

  function schedule(): void {
    const { session } = options.current();
    stopTimer();
    failures = 0;
    if (session === null) return;
    const left = leftMs(session);
    const ahead = canRenew(session)
      ? accessTokens.refreshAheadMs + accessTokens.refreshJitterMs * platform.random()
      : 0;
    // A service whose tokens live shorter than that must not be asked without end.
    plan(Math.max(left - ahead, canRenew(session) ? left / 2 : 0, accessTokens.refreshRetryMinMs));
  }

  /** One at a time, whoever asks. */
  function refresh(): Promise<void> {
    if (flight === null) {
      const before = options.current().session;
      const task = (): Promise<void> => run(before);
      // A lock is never held while the game's own hook runs.
      flight = (before?.refreshToken === null ? task() : platform.lock(options.lockName, task)).finally(() => {
        flight = null;
      });
    }
    return flight;
  }

  // Nothing in here may wait for what itself may wait for a token: a reload, the queue of operations.
  async function run(before: Session | null): Promise<void> {
    const current = options.current();
    if (before === null || stopped) return;
    await current.sync();
    const { session } = current;
    if (session === null || session.accessToken !== before.accessToken) return;
    try {
      await renew(current, session);
    } catch (error) {
      const now = current.session;
      // What another tab has stored meanwhile counts more than this answer.
      if (now?.accessToken !== session.accessToken) return;
      if (isRefusal(error)) return recover(current, session);
      failures += 1;
      plan(
        pauseAfter(failures, error, [accessTokens.refreshRetryMinMs, accessTokens.refreshRetryMaxMs], platform.random),
      );
      throw error;
    }
  }

  async function renew(current: CurrentSession, session: Session): Promise<void> {
    const { refreshToken } = session;
    if (refreshToken !== null) {
      const answer = await requests.refreshSession(refreshToken);
      if (current.session === session) await current.renew(current.read(answer, 'device'));
    } else if (renewSession !== undefined) {
      const values = await askGame(renewSession, platform.report);
      if (current.session === session) await current.renew(current.readExternal(session.userId, values));
    } else if (leftMs(session) <= 0) {
      expire(current);
    } else {
      // A timer may ring a little early.
      plan(leftMs(session));
    }
  }

  /** Spec gap: the device's own account is entered again by its id; any other is never replaced in silence. */
  async function recover(current: CurrentSession, session: Session): Promise<void> {
    if (session.refreshToken === null || current.deviceUserId !== session.userId) return expire(current);
    try {
      const next = current.read(await requests.signInWith('guest', { device_id: options.deviceId() }), 'device');
      if (current.session !== session) return;
      const type = next.userId === session.userId ? 'renew' : 'switch';
      current.apply({ type }, { session: next, deviceUserId: next.userId }).catch(() => {});
    } catch (error) {
      if (isRefusal(error)) return expire(current);
      plan(accessTokens.refreshRetryMaxMs * (1 + platform.random()) * 0.5);
      throw error;
    }
  }

  function expire(current: CurrentSession): void {
    current.apply({ type: 'expire' }, { session: null }).catch(() => {});
  }

  async function authorized<T>(request: AuthorizedRequest<T>, signal?: AbortSignal): Promise<T> {
    const ask = ({ accessToken, userId }: Session): Promise<T> => request({ bearer: accessToken, signal }, userId);
    const good = async (refused?: string): Promise<Session> => {
      const { session } = options.current();
      if (session === null) throw notAuthenticated();
      if (session.accessToken !== refused && leftMs(session) > leastLifeMs) return session;
      try {
        await untilAborted(refresh(), signal);
      } catch (error) {
        // It may still be good for a moment.
        if (session.accessToken === refused || leftMs(session) <= 0 || signal?.aborted === true) throw error;
      }
      const now = options.current().session;
      if (now === null) throw notAuthenticated();
      return now;
    };
    const session = await good();
    try {
      return await ask(session);
    } catch (error) {
      if (!(error instanceof ServiceError) || (error.code !== 'token_expired' && error.code !== 'unauthorized'))
        throw error;
      if (!canRenew(session)) expire(options.current());
      const fresh = await good(session.accessToken);
      if (fresh.userId !== session.userId || fresh.accessToken === session.accessToken) throw error;
      return ask(fresh);
    }
  }

  return {
    schedule,
    wake: () => {
      const { session } = options.current();
      if (session !== null && leftMs(session) < accessTokens.refreshAheadMs) refresh().catch(() => {});
    },
    authorized,
    stop: () => {
      stopped = true;
      stopTimer();
    },
  };
}

/** What the hook throws is the game's own: it is reported, and never part of an error of ours. */
async function askGame(
  renewSession: () => Promise<ExternalValues>,
  report: (error: unknown) => void,
): Promise<ExternalValues> {
  let values: ExternalValues | undefined;
  try {
    values = await renewSession();
  } catch (error) {
    report(error);
  }
  if (typeof values?.accessToken !== 'string' || values.accessToken === '') {
    throw new NoAnswerError('network', 'renewSession gave no access token.');
  }
  return values;
}

/** The service itself has turned the session away: a proxy's refusal has no problem body and is no `ServiceError`. */
function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && [401, 403, 404].includes(error.status);
}
