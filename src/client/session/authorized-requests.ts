import { ServiceError } from '../../errors.js';
import { untilAborted } from '../../http/until-aborted.js';
import type { PlayerOptions } from '../requests.js';
import type { CurrentSession } from './current-session.js';
import type { Refresher } from './refresher.js';
import { notAuthenticated } from './session-errors.js';
import type { Session } from './session-store.js';

/** A request of a player who is signed in. */
export type AuthorizedRequest<T> = (player: PlayerOptions, userId: string) => Promise<T>;

/**
 * Runs a request with an access token that is good, and once more with a new one where the service has refused that
 * one. Fails with `not_authenticated` where nobody is signed in.
 */
export type Authorized = <T>(request: AuthorizedRequest<T>, signal?: AbortSignal) => Promise<T>;

/** A request may outlive an access token that has less than this left, so that a new one is asked for first. */
const leastLifeMs = 5_000;

export function createAuthorized(currentSession: CurrentSession, refresher: Refresher): Authorized {
  const leftMs = ({ expiresAt }: Session): number => expiresAt - currentSession.serverTime();

  /** The session with an access token that is good; `refused` is the token that the service does not take any more. */
  async function usableSession(signal: AbortSignal | undefined, refused?: string): Promise<Session> {
    const { session } = currentSession;
    if (session === null) throw notAuthenticated();
    if (session.accessToken !== refused && leftMs(session) > leastLifeMs) return session;
    try {
      await untilAborted(refresher.refresh(), signal);
    } catch (error) {
      // The token that there is may still be good for a moment.
      if (session.accessToken === refused || leftMs(session) <= 0 || signal?.aborted === true) throw error;
    }
    const refreshed = currentSession.session;
    if (refreshed === null) throw notAuthenticated();
    return refreshed;
  }

  return async (request, signal) => {
    const send = ({ accessToken, userId }: Session) => request({ bearer: accessToken, signal }, userId);
    const session = await usableSession(signal);
    try {
      return await send(session);
    } catch (error) {
      const isTokenRefused =
        error instanceof ServiceError && (error.code === 'token_expired' || error.code === 'unauthorized');
      if (!isTokenRefused) throw error;
      if (!refresher.canRefresh(session)) refresher.expire();
      const fresh = await usableSession(signal, session.accessToken);
      if (fresh.userId !== session.userId || fresh.accessToken === session.accessToken) throw error;
      return send(fresh);
    }
  };
}
