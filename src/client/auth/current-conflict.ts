import type { ConflictSides } from '../../protocol/conflict.js';
import type { ProfileRoom } from '../profile/profile.js';
import type { CurrentSession } from '../session/current-session.js';
import { conflictCancelled, conflictPending } from './auth-errors.js';
import { type Conflict, conflictUnhandled, type OpenConflict, openConflict } from './conflict.js';
import type { OperationQueue } from './operation-queue.js';
import type { ChoiceMaker } from './resolve-conflict.js';

/** The conflict of this client, of which at most one is open. */
export interface CurrentConflict {
  /** The open conflict, or null. */
  readonly conflict: Conflict | null;
  /** Whether the game had a listener when it was opened: then the call that met it waits for the choice. */
  readonly isAwaited: boolean;
  /** Opens a conflict that a call has met. Gives the id of the user whom the player's choice leads to. */
  open(sides: ConflictSides, signal: AbortSignal): Promise<string>;
  /** Opens a conflict again that was open when the page closed. */
  reopen(sides: ConflictSides): Promise<void>;
  /** Ends it without a choice. */
  cancel(): void;
  /**
   * Makes room for another call of `client.auth`: ends a conflict that nobody listens for. Fails with
   * `conflict_pending` where the player has been asked, or a choice is being carried out.
   */
  giveWay(): void;
}

export function createCurrentConflict(dependencies: {
  currentSession: CurrentSession;
  operations: OperationQueue;
  profile: ProfileRoom;
  hasConflictListener(): boolean;
  carryOut: ChoiceMaker;
}): CurrentConflict {
  const { currentSession, operations, profile } = dependencies;
  let current: { readonly open: OpenConflict; readonly isAwaited: boolean } | null = null;

  /** Makes a conflict of what the service has answered, and remembers it as the open one. */
  function remember(sides: ConflictSides): { open: OpenConflict; isAwaited: boolean } {
    const open = openConflict(sides, {
      flush: profile.flush,
      serverTime: currentSession.serverTime,
      carryOut: (choice, signal) =>
        dependencies.carryOut(sides, choice, signal, () => {
          // Events that the outcome raises find no conflict any more.
          if (current?.open.isResolving) current = null;
        }),
      ended: async () => {
        current = null;
        if (currentSession.state.name === 'conflict') await currentSession.closeConflict(sides);
      },
    });
    current = { open, isAwaited: dependencies.hasConflictListener() };
    return current;
  }

  const cancel = (): void => current?.open.end(conflictCancelled());

  currentSession.subscribe({ closeConflict: cancel });
  return {
    get conflict() {
      return current?.open.conflict ?? null;
    },
    get isAwaited() {
      return current?.isAwaited === true;
    },
    open: async (sides, signal) => {
      const { open, isAwaited } = remember(sides);
      signal.addEventListener('abort', () => open.end(conflictCancelled()));
      // The player may take long: what waits behind this call is told so.
      if (isAwaited) operations.cancelWaiting(conflictPending());
      try {
        await currentSession.openConflict(sides, open.conflict);
      } catch (error) {
        open.end(conflictCancelled());
        throw error;
      }
      if (!isAwaited) throw conflictUnhandled(open.conflict);
      const result = await open.outcome;
      if (!result.success) throw result.error;
      return result.userId;
    },
    reopen: (sides) => currentSession.openConflict(sides, remember(sides).open.conflict),
    cancel,
    giveWay: () => {
      if (current === null) return;
      if (current.isAwaited || current.open.isResolving) throw conflictPending();
      cancel();
    },
  };
}
