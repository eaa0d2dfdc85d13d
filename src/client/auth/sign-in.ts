import { InvalidAnswerError, ServiceError } from '../../errors.js';
import type { PeekAnswer } from '../../protocol/player-messages.js';
import type { Settings } from '../config.js';
import type { ProfileRoom } from '../profile/profile.js';
import type { RequestOptions, Requests } from '../requests.js';
import type { Authorized } from '../session/authorized-requests.js';
import type { CurrentSession } from '../session/current-session.js';
import { notAuthenticated } from '../session/session-errors.js';
import type { Session } from '../session/session-store.js';
import type { EncodedCredential } from './credentials.js';
import type { CurrentConflict } from './current-conflict.js';
import type { Operation } from './operation-queue.js';

/** Signs in, links and switches by a credential. Each gives the id of the user who is authenticated then. */
export interface SignIn {
  /** Signs in with a session that is made already. */
  withSession(session: Session, operation: Operation): Promise<string>;
  /**
   * Links the method to the account that is here, or opens a conflict. Fails with `not_authenticated` where none is
   * here.
   */
  link(credential: EncodedCredential, operation: Operation): Promise<string>;
  /** Links where an account is here, and signs in where none is. */
  linkOrSignIn(credential: EncodedCredential, operation: Operation): Promise<string>;
  /** Signs in to the account that the credential leads to, whoever is here; `restore` takes its deletion back. */
  switchTo(credential: EncodedCredential, operation: Operation, restore: boolean): Promise<string>;
  /** Asks what the credential would do. */
  peek(credential: EncodedCredential, signal: AbortSignal | undefined): Promise<PeekAnswer>;
}

export function createSignIn(dependencies: {
  settings: Settings;
  currentSession: CurrentSession;
  currentConflict: CurrentConflict;
  requests: Requests;
  authorized: Authorized;
  profile: ProfileRoom;
  /** Ends a session at the service, in the background. */
  revoke(session: Session): void;
}): SignIn {
  const { settings, currentSession, currentConflict, requests, authorized, profile } = dependencies;

  const bodyOf = ({ fields }: EncodedCredential, intent?: object): object => ({
    device_id: currentSession.deviceId,
    show: settings.conflictFields,
    ...fields,
    ...intent,
  });

  async function withSession(session: Session, operation: Operation): Promise<string> {
    operation.stopDeadline();
    await currentSession.apply('signIn', { session });
    return session.userId;
  }

  /** The service shows both sides of a conflict as it knows them, so that it gets first what it does not have yet. */
  const sendUnsent = (signal: AbortSignal): Promise<void> => profile.flush({ signal }).catch(() => {});

  async function link(credential: EncodedCredential, { signal, stopDeadline }: Operation): Promise<string> {
    if (currentSession.session === null) throw notAuthenticated();
    await sendUnsent(signal);
    const { method } = credential;
    const body = bodyOf(credential);
    try {
      const answer = await authorized((player) => requests.signInWith(method, body, player), signal);
      stopDeadline();
      if (answer.userId !== currentSession.userId) {
        throw new InvalidAnswerError(200, 'The service answered for another account than the present one.');
      }
      const session = currentSession.readAnswer(answer, method);
      await currentSession.apply('link', { session });
      return session.userId;
    } catch (error) {
      const sides = error instanceof ServiceError ? error.sides : undefined;
      if (sides === undefined || signal.aborted) throw error;
      stopDeadline();
      return currentConflict.open(sides, signal);
    }
  }

  async function linkOrSignIn(credential: EncodedCredential, operation: Operation): Promise<string> {
    if (currentSession.session !== null) return link(credential, operation);
    const { method } = credential;
    const answer = await requests.signInWith(method, bodyOf(credential), { signal: operation.signal });
    return withSession(currentSession.readAnswer(answer, method), operation);
  }

  async function switchTo(credential: EncodedCredential, operation: Operation, restore: boolean): Promise<string> {
    const { signal } = operation;
    // What cannot be sent now stays on this device, for the account that it belongs to.
    if (currentSession.session !== null) await sendUnsent(signal);
    const { method } = credential;
    const answer = await requests.signInWith(method, bodyOf(credential, { intent: 'switch', restore }), { signal });
    const before = currentSession.session;
    const session = currentSession.readAnswer(answer, method);
    if (before === null) return withSession(session, operation);
    operation.stopDeadline();
    await currentSession.apply(session.userId === before.userId ? 'renew' : 'switch', { session });
    dependencies.revoke(before);
    return session.userId;
  }

  return {
    withSession,
    link,
    linkOrSignIn,
    switchTo,
    peek: (credential, signal) => {
      const ask = (options: RequestOptions) => requests.peek(credential.method, bodyOf(credential), options);
      return currentSession.session === null ? ask({ signal }) : authorized(ask, signal);
    },
  };
}
