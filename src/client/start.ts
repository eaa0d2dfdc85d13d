import { withinTime } from '../http/timers.js';
import type { CurrentConflict } from './auth/current-conflict.js';
import type { Guest } from './auth/guest.js';
import type { Operation, OperationQueue } from './auth/operation-queue.js';
import type { ClientEventSource } from './client-events.js';
import type { Settings } from './config.js';
import { callSafely } from './events.js';
import type { Network } from './network.js';
import type { ProfileRoom } from './profile/profile.js';
import { type ReadyResult, resultOf } from './results.js';
import type { CurrentSession } from './session/current-session.js';
import { storageUnavailable } from './session/session-errors.js';

/** How long the start waits for the device's storage, in ms. */
const homeMs = 5_000;

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

  /** Does what the start could not: the home was not there. */
  async function startLate(): Promise<void> {
    await currentSession.identify();
    await operations.run(restoreOrSignIn);
  }

  async function restoreOrSignIn(operation: Operation): Promise<void> {
    // A player who has signed out meanwhile stays signed out.
    const restore = settings.autoLogin && currentSession.state.name === 'starting';
    const conflict = await currentSession.open({ restore });
    if (conflict !== null) {
      await currentConflict.reopen(conflict.sides, conflict.choice);
      // The start waits for no network.
      void currentConflict.settleChoice();
    }
    if (currentSession.session !== null) return;
    // Nobody is signed in: the copy that is kept for the first account is loaded.
    await profile.reload();
    if (!network.isOn) emit('initialized', { userId: null, reason: 'start' });
    else if (restore) await guest.signIn(operation);
  }

  return async () => {
    const result: ReadyResult = await resultOf(async () => {
      profile.start();
      await operations.start(async (operation) => {
        // The start gives up after a while, so that the game can begin.
        await withinTime(homeMs, currentSession.identify(), storageUnavailable);
        await restoreOrSignIn(operation);
      });
      return { userId: currentSession.userId };
    });
    // It is as with a start without a network: where this fails too, the next wake tries again.
    if (!result.success && result.error.code === 'storage_unavailable') startLate().catch(() => {});
    callSafely(report, settings.onReady, result);
    return result;
  };
}
