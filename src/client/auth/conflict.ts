import { NoAnswerError, type SdkError, StateError } from '../../errors.js';
import { startTimer } from '../../http/timers.js';
import { followSignals } from '../../http/until-aborted.js';
import type {
  ConflictChoice,
  ConflictDifference,
  ConflictKind,
  ConflictSide,
  ConflictSides,
} from '../../protocol/conflict.js';
import { type AuthResult, type CallOptions, failed } from '../results.js';
import { superseded } from '../session/session-errors.js';
import { conflictCancelled, conflictExpired } from './auth-errors.js';

/**
 * A method belongs to another account than this client's, and the player has to choose. Nothing changes before a
 * choice. A client that starts while the conflict is open finds it open again.
 * docs/interface.md#states-and-transitions
 *
 * @example
 * ```ts
 * client.events.on('conflict', async (conflict) => {
 *   const choice = await askThePlayer(conflict);
 *   await conflict.resolve(choice);
 * });
 * ```
 */
export interface Conflict {
  /** The method that both accounts claim: `name`, `identity`, `social` or `recovery`. */
  readonly method: string;
  /** The account that this client is. */
  readonly local: ConflictSide;
  /** The account that owns the method. */
  readonly cloud: ConflictSide;
  /** `fast-forward`: one side has nothing of its own, so that nothing is lost by taking the other. Else `diverged`. */
  readonly kind: ConflictKind;
  /** The side that has all that the other one has; null where they diverged. */
  readonly ahead: 'local' | 'cloud' | null;
  /** The entries of both sides, up to 200, those that differ first. */
  readonly diff: readonly ConflictDifference[];
  /** Whether the game allows the choice `merge`. */
  readonly mergeable: boolean;
  /** When it ends by itself, with `conflict_expired`: by the service's clock, in ms since 1970. */
  readonly expiresAt: number;
  /**
   * Carries the player's choice out. What this device has not sent yet is sent first, and what loses is kept for 30
   * days (`client.account.snapshots()`).
   *
   * - `local` moves the method to this account.
   * - `cloud` signs in to the account that owns the method.
   * - `merge` does the same, and writes into it what the merge rules of the collections make of both profiles.
   * - `cancel` leaves everything as it is.
   *
   * Resolves to the result of the call that met the conflict, and never rejects. After these codes the conflict is
   * still open, and the call still waits; where the answer got lost, the outcome is found out as soon as the service
   * can be reached, and counts: `network`, `timeout`, `aborted`, `invalid_answer`, `method_already_linked`,
   * `merge_not_allowed`, `merge_failed` (a merge rule threw, or made a value that cannot be stored), `too_large`,
   * `quota_exceeded`, `invalid_argument` (a choice that is none), `conflict_pending` (another choice is being carried
   * out), each code of a 5xx, and each that the sending of what is unsent fails with. It ends with
   * `conflict_cancelled`, `conflict_expired` or `conflict_stale`; with `unauthorized` where a choice was carried out whose
   * answer was lost, and the player has signed out since; with `aborted` where its time was over before anybody could
   * find out what became of a choice.
   */
  resolve(choice: ConflictChoice | 'cancel', options?: CallOptions): Promise<AuthResult>;
}

/**
 * The error `conflict_unhandled` of a call that met a conflict while the event `conflict` had no listener. The
 * conflict is open all the same.
 */
export type ConflictUnhandledError = SdkError & {
  /** The open conflict. */
  readonly conflict: Conflict;
};

/** A conflict, with what only the client may do. */
export interface OpenConflict {
  readonly conflict: Conflict;
  /** Settles once it has ended. */
  readonly outcome: Promise<AuthResult>;
  /** Whether a choice is being carried out. */
  readonly isResolving: boolean;
  /** Ends it without a choice. */
  end(error: SdkError): void;
  /** Ends it with a choice whose answer was lost, where that is what became of it. Never rejects. */
  settleChoice(): Promise<void>;
}

/** What a conflict needs of the client. */
interface ConflictDependencies {
  readonly choosing: {
    /** Whether a choice was asked for and nobody knows what became of it. */
    readonly isUncertain: boolean;
    /** Sends what the present account has not sent yet. Where that fails, the account stays as it is. */
    prepare(choice: ConflictChoice, signal: AbortSignal): Promise<void>;
    /** Carries out the choice, and gives the id of the user whom it led to. */
    carryOut(choice: ConflictChoice, signal: AbortSignal): Promise<string>;
    /** Finds out what became of a choice whose answer got lost; null where there is none, or it was not carried out. */
    settle(): Promise<string | null>;
  };
  /** The conflict has ended without a choice. */
  ended(): Promise<void>;
  serverTime(): number;
}

/** Makes a conflict of what the service has answered. */
export function openConflict(offered: ConflictSides, dependencies: ConflictDependencies): OpenConflict {
  const { choosing } = dependencies;
  // Whoever has the ticket may choose: the game neither sees nor logs nor keeps it.
  const { ticket: _, ...sides } = offered;
  /** Aborts the choice that is being carried out. */
  let stopChoosing = (): void => {};
  let resolving: { choice: ConflictChoice; result: Promise<AuthResult> } | null = null;
  const leftMs = (): number => sides.expiresAt - dependencies.serverTime();
  const expire = (): void => {
    if (resolving !== null) return;
    if (leftMs() <= 0) ending.end(expired(choosing));
    else stopTimer = startTimer(leftMs(), expire);
  };
  let stopTimer = startTimer(leftMs(), expire);
  const ending = createEnding(() => {
    stopTimer();
    stopChoosing();
  }, dependencies.ended);

  async function choose(choice: ConflictChoice, callSignal: AbortSignal | undefined): Promise<AuthResult> {
    let isAsking = false;
    let stop = (): void => {};
    try {
      let signal: AbortSignal;
      ({ signal, stop, abort: stopChoosing } = followSignals(callSignal));
      isAsking = true;
      let userId = await choosing.settle();
      if (userId === null) {
        isAsking = false;
        await choosing.prepare(choice, signal);
        isAsking = true;
        userId = await choosing.carryOut(choice, signal);
      }
      ending.complete(userId);
    } catch (error) {
      const failure = failed(error);
      if (!ending.isEnded && (!isAsking || staysOpen(failure.error))) {
        resolving = null;
        expire();
        return ending.isEnded ? ending.outcome : failure;
      }
      endRefused(failure.error);
    } finally {
      stop();
    }
    return ending.outcome;
  }

  /** The service does not tell an expired ticket from one that never was. */
  function endRefused(error: SdkError): void {
    ending.end(leftMs() > 0 ? error : expired(choosing));
  }

  /** Gives the failure that keeps it from being found out; null where there is none. */
  async function settleChoice(): Promise<AuthResult | null> {
    if (ending.isEnded || resolving !== null) return null;
    try {
      const settled = await choosing.settle();
      if (settled !== null) ending.complete(settled);
    } catch (error) {
      const failure = failed(error);
      if (resolving !== null || staysOpen(failure.error)) return failure;
      // Neither that choice nor another one can be carried out any more.
      endRefused(failure.error);
    }
    return null;
  }

  const resolve: Conflict['resolve'] = async (choice, { signal } = {}) => {
    if (ending.isEnded) return ending.outcome;
    if (resolving?.choice === choice) return resolving.result;
    if (resolving !== null) return pending();
    if (choice === 'cancel') {
      const failure = await settleChoice();
      // The player has chosen meanwhile.
      if (resolving !== null && !ending.isEnded) return pending();
      // Where a choice may have been carried out, nobody may be told that there was none.
      if (failure !== null && !ending.isEnded) return failure;
      ending.end(conflictCancelled());
      return ending.outcome;
    }
    if (choice !== 'local' && choice !== 'cloud' && choice !== 'merge') {
      return failed(new StateError('invalid_argument', 'choice must be local, cloud, merge or cancel'));
    }
    // `resolving` is set before the choice is carried out, so that a second choice finds it.
    resolving = { choice, result: Promise.resolve().then(() => choose(choice, signal)) };
    return resolving.result;
  };

  return {
    conflict: { ...sides, resolve },
    outcome: ending.outcome,
    get isResolving() {
      return resolving !== null;
    },
    end: ending.end,
    settleChoice: async () => void (await settleChoice()),
  };
}

function pending(): AuthResult {
  return failed(new StateError('conflict_pending', 'Another choice is under way.'));
}

/** The service remembers a choice for as long as its ticket: after that, nobody can say that there was none. */
function expired({ isUncertain }: ConflictDependencies['choosing']): SdkError {
  return isUncertain ? superseded() : conflictExpired();
}

/** How a conflict ends: once. */
function createEnding(stop: () => void, ended: () => Promise<void>) {
  let isEnded = false;
  let settle: (result: AuthResult) => void;
  const outcome = new Promise<AuthResult>((resolve) => {
    settle = resolve;
  });

  function finish(): boolean {
    if (isEnded) return false;
    isEnded = true;
    stop();
    return true;
  }

  return {
    get isEnded() {
      return isEnded;
    },
    outcome,
    /** Ends it without a choice. The events are raised before the call that waits settles. */
    end: (error: SdkError): void => {
      if (!finish()) return;
      void ended()
        .catch(() => {})
        .then(() => settle(failed(error)));
    },
    /** Ends it with a choice that led to a user. */
    complete: (userId: string): void => {
      if (finish()) settle({ success: true, userId });
    },
  };
}

export function conflictUnhandled(conflict: Conflict): ConflictUnhandledError {
  const message = 'The method is linked to another account, and nobody listens for the conflict.';
  return Object.assign(new StateError('conflict_unhandled', message), { conflict });
}

/** Whether a failure says nothing about the ticket, or leaves the other choices. */
function staysOpen(error: SdkError): boolean {
  return (
    error instanceof NoAnswerError ||
    error.retryable ||
    /^(invalid_answer|method_already_linked|merge_not_allowed|merge_failed|too_large|quota_exceeded)$/.test(error.code)
  );
}
