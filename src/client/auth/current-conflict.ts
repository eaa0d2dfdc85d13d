import type { SdkError } from '../../errors.js';
import { onAbort } from '../../http/until-aborted.js';
import type { ConflictSides } from '../../protocol/conflict.js';
import type { ClientEventSource } from '../client-events.js';
import { superseded } from '../session/session-errors.js';
import type { OpenChoice } from '../session/session-store.js';
import { conflictCancelled, conflictPending } from './auth-errors.js';
import { type Conflict, conflictUnhandled, type OpenConflict, openConflict } from './conflict.js';
import type { OperationQueue } from './operation-queue.js';
import { type Choosing, type ChoosingDependencies, createChoosing } from './resolve-conflict.js';

/** The conflict of this client, of which at most one is open. */
export interface CurrentConflict {
  /** The open conflict, or null. */
  readonly conflict: Conflict | null;
  /** Whether the game had a listener when it was opened: then the call that met it waits for the choice. */
  readonly isAwaited: boolean;
  /** Opens a conflict that a call has met. Gives the id of the user whom the player's choice leads to. */
  open(sides: ConflictSides, signal: AbortSignal): Promise<string>;
  /** Opens a conflict again that was open when the page closed, and takes up the choice that was asked for in it. */
  reopen(sides: ConflictSides, choice: OpenChoice | null): Promise<void>;
  /** Finds out what became of a choice whose answer was lost. Never rejects. */
  settleChoice(): Promise<void>;
  /** What those are told who wait for a conflict that ends now. */
  endError(): SdkError;
  /** Ends it without a choice. */
  cancel(): void;
  /**
   * Makes room for another call of `client.auth`: ends a conflict that nobody listens for. Fails with
   * `conflict_pending` where the player has been asked, or a choice is being carried out.
   */
  giveWay(): void;
}

/** A conflict, the choice in it, and whether the game had a listener when it was opened. */
interface Current {
  readonly open: OpenConflict;
  readonly choosing: Choosing;
  readonly isAwaited: boolean;
}

export function createCurrentConflict(
  dependencies: ChoosingDependencies & {
    operations: OperationQueue;
    hasListener: ClientEventSource['hasListener'];
  },
): CurrentConflict {
  const { currentSession, operations } = dependencies;
  let current: Current | null = null;

  /** Makes a conflict of what the service has answered, and remembers it as the open one. */
  function remember(sides: ConflictSides): Current {
    // Events that the outcome raises find no conflict any more.
    const resolved = (): void => {
      if (current?.open === open) current = null;
    };
    const choosing = createChoosing(sides, resolved, dependencies);
    const open: OpenConflict = openConflict(sides, {
      serverTime: currentSession.serverTime,
      choosing,
      ended: async () => {
        current = null;
        choosing.forget();
        if (currentSession.state.name === 'conflict') await currentSession.closeConflict(sides);
      },
    });
    current = { open, choosing, isAwaited: dependencies.hasListener('conflict') };
    return current;
  }

  /** A choice that was asked for may have been carried out: nobody may be told that there was none. */
  const endError = (one = current): SdkError =>
    one !== current || one?.choosing.isUncertain === true ? superseded() : conflictCancelled();

  const cancel = (): void => current?.open.end(endError());

  /** The other tab may have carried out the choice that is made here as well. */
  const overtaken = (): void => current?.open.end(current.open.isResolving ? superseded() : endError());

  const refused = async (): Promise<void> => {
    current?.choosing.doubt();
    await current?.open.settleChoice();
  };

  currentSession.subscribe({ closeConflict: cancel, overtakeConflict: overtaken, refused });
  return {
    get conflict() {
      return current?.open.conflict ?? null;
    },
    get isAwaited() {
      return current?.isAwaited === true;
    },
    open: async (sides, signal) => {
      const made = remember(sides);
      const { open, isAwaited } = made;
      onAbort(signal, () => open.end(endError(made)));
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
    reopen: async (sides, choice) => {
      const { open, choosing } = remember(sides);
      if (choice !== null) await choosing.remember(choice);
      await currentSession.openConflict(sides, open.conflict);
    },
    settleChoice: async () => current?.open.settleChoice(),
    endError: () => endError(),
    cancel,
    giveWay: () => {
      if (current === null) return;
      if (current.isAwaited || current.open.isResolving) throw conflictPending();
      cancel();
    },
  };
}
