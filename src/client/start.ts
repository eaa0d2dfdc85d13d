import type { CurrentConflict } from './auth/current-conflict.js';
import type { Guest } from './auth/guest.js';
import type { Operation, OperationQueue } from './auth/operation-queue.js';
import type { ClientEventSource } from './client-events.js';
import type { Settings } from './config.js';
import { callSafely } from './events.js';
import type { Network } from './network.js';
import type { ProfileRoom } from './profile/profile.js';
import { failed, type ReadyResult } from './results.js';
import type { CurrentSession } from './session/current-session.js';

/**
 * Makes the first operation of a client, that of `init`. It never rejects, and calls `onReady` just before it
 * settles.
 */
export function createStart(dependencies: {
  settings: Settings;
  currentSession: CurrentSession;
  currentConflict: CurrentConflict;
  operations: OperationQueue;
  guest: Guest;
  network: Network;
  profile: ProfileRoom;
  emit: ClientEventSource['emit'];
  report(error: unknown): void;
}): () => Promise<ReadyResult> {
  const { settings, currentSession, currentConflict, operations, guest, network, profile, emit, report } = dependencies;

  async function restoreOrSignIn(operation: Operation): Promise<void> {
    const conflict = await currentSession.open({ restore: settings.autoLogin });
    if (conflict !== null) await currentConflict.reopen(conflict);
    if (currentSession.session !== null) return;
    // Nobody is signed in: the copy that is kept for the first account is loaded.
    await profile.reload();
    if (!network.isOn) emit('initialized', { userId: null, reason: 'start' });
    else if (settings.autoLogin) await guest.signIn(operation);
  }

  return async () => {
    let result: ReadyResult;
    try {
      await operations.start(restoreOrSignIn);
      result = { success: true, userId: currentSession.userId };
    } catch (error) {
      result = failed(error);
    }
    callSafely(report, settings.onReady, result);
    return result;
  };
}
