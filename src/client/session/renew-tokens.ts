import { NoAnswerError } from '../../errors.js';
import { type ExternalValues, isBearerToken } from '../config.js';
import type { Platform } from '../platform/platform.js';
import type { Requests } from '../requests.js';
import type { CurrentSession } from './current-session.js';
import type { Session } from './session-store.js';

/**
 * Gets new tokens for a session: from the service where it has a refresh token, else from the game's own
 * `renewSession`. They are dropped where another session has taken its place meanwhile.
 */
export async function renewTokens(
  session: Session,
  dependencies: {
    currentSession: CurrentSession;
    requests: Requests;
    platform: Pick<Platform, 'report'>;
    renewSession: (() => Promise<ExternalValues>) | undefined;
  },
): Promise<void> {
  const { currentSession, requests, platform, renewSession } = dependencies;
  const isPresent = (): boolean => currentSession.session === session;
  if (session.refreshToken !== null) {
    const answer = await requests.refreshSession(session.refreshToken);
    if (isPresent()) await currentSession.renewTokens(currentSession.readAnswer(answer, 'device'));
  } else if (renewSession !== undefined) {
    const values = await askGame(renewSession, platform.report);
    if (isPresent()) await currentSession.renewTokens(currentSession.readExternal(session.userId, values));
  }
}

/** What the game's function throws is the game's own: it is reported, and is never part of an error of ours. */
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
  if (values === undefined || !isBearerToken(values.accessToken)) {
    throw new NoAnswerError('network', 'renewSession gave no access token.');
  }
  return values;
}
