import type { Settings } from '../config.js';
import type { Network } from '../network.js';
import type { Requests } from '../requests.js';
import { type ReadyResult, resultOf } from '../results.js';
import type { CurrentSession } from '../session/current-session.js';
import { alreadyAuthenticated } from './auth-errors.js';
import type { Operation, OperationQueue } from './operation-queue.js';

/** The account that the device's own id leads to. */
export interface Guest {
  /**
   * Signs in by the device's id, and gives the user's id. Fails with `already_authenticated` where another account is
   * here.
   */
  signIn(operation: Operation): Promise<string>;
  /**
   * Signs in by the device's id where the start could not, for want of a network. Does nothing where an account is
   * here, where the network is off, and with `autoLogin: false`.
   */
  resume(): Promise<ReadyResult>;
}

export function createGuest(dependencies: {
  settings: Settings;
  currentSession: CurrentSession;
  operations: OperationQueue;
  requests: Requests;
  network: Network;
}): Guest {
  const { settings, currentSession, operations, requests, network } = dependencies;

  async function signIn({ signal, stopDeadline }: Operation): Promise<string> {
    const { userId, deviceUserId } = currentSession;
    if (userId !== null && userId !== deviceUserId) throw alreadyAuthenticated();
    if (userId !== null) return userId;
    currentSession.requireOpen();
    const answer = await requests.signInWith('guest', { device_id: currentSession.deviceId }, { signal });
    const session = currentSession.readAnswer(answer, 'device');
    stopDeadline();
    const applying = currentSession.apply('signIn', { session, deviceUserId: session.userId }, { yields: true });
    // Another tab may have signed somebody in meanwhile, whose place no guest takes.
    await applying.catch((error: unknown) => {
      if (currentSession.userId === null) throw error;
    });
    return currentSession.userId ?? session.userId;
  }

  return {
    signIn,
    resume: () =>
      resultOf(async () => {
        const { userId } = currentSession;
        if (!network.isOn || !settings.autoLogin || userId !== null) return { userId };
        operations.requireStarted();
        return { userId: await operations.run(signIn) };
      }),
  };
}
