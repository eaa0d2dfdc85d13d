import { NoAnswerError, type SdkError, StateError } from '../../errors.js';
import type {
  ConflictChoice,
  ConflictDifference,
  ConflictKind,
  ConflictSide,
  ConflictSides,
} from '../../protocol/conflict.js';
import { startTimer } from '../platform/platform.js';
import { type AuthResult, type CallOptions, failed } from '../results.js';

/**
 * A method belongs to another account than this client's. Nothing changes before a choice. A client that starts while it
 * is open knows it again. @see Spec 3
 */
export interface Conflict {
  /** `name`, `identity`, `social` or `recovery`. */
  readonly method: string;
  /** The account that this client is. */
  readonly local: ConflictSide;
  /** The account that owns the method. */
  readonly cloud: ConflictSide;
  /** `fast-forward`: one side has nothing of its own, so that nothing is lost by taking the other. */
  readonly kind: ConflictKind;
  /** The side that has all that the other one has; null where they diverged. */
  readonly ahead: 'local' | 'cloud' | null;
  /** The entries of both sides, up to 200, the ones that differ first. */
  readonly diff: readonly ConflictDifference[];
  /** Whether the game allows `merge`. */
  readonly mergeable: boolean;
  /** By the service's clock, ms since 1970: then it ends with `conflict_expired`. */
  readonly expiresAt: number;
  /**
   * `local` moves the method to this account; `cloud` becomes the account that owns it; `merge` does too, and writes into it
   * what the rules of the collections make of both profiles; `cancel` leaves all as it is. What this device owes is sent
   * first, and what loses can be restored (`client.account.snapshots()`).
   * Resolves to the pending call's result and never rejects. After `network`, `timeout`, `aborted`, 5xx, `method_already_linked`,
   * `merge_not_allowed`, `merge_failed` (a rule threw, or made what cannot be stored), `too_large`, and where what is owed cannot
   * be sent, nothing has changed: the conflict is still open, and so is the pending call.
   */
  resolve(choice: ConflictChoice | 'cancel', options?: CallOptions): Promise<AuthResult>;
}

/** The error of a call that met a conflict that nobody listened for; the conflict is open all the same. */
export type ConflictUnhandledError = SdkError & { readonly conflict: Conflict };

export interface OpenConflict {
  readonly conflict: Conflict;
  /** What becomes of it, once it has ended. */
  readonly outcome: Promise<AuthResult>;
  /** Whether a choice is under way. */
  readonly busy: boolean;
  end(error: SdkError): void;
}

export function openConflict(
  offered: ConflictSides,
  ports: {
    /** Sends what the present account owes. */
    flush(options: { signal: AbortSignal }): Promise<void>;
    /** Carries out the choice and gives the user id of the account that it led to. */
    choose(sides: ConflictSides, choice: ConflictChoice, signal: AbortSignal): Promise<string>;
    /** The conflict has ended without a choice. */
    closed(sides: ConflictSides): Promise<void>;
    serverTime(): number;
  },
): OpenConflict {
  // The ticket alone authorises the choice: it is no part of what a game sees, logs or keeps.
  const { ticket: _, ...sides } = offered;
  // Ends what is under way for it.
  const over = new AbortController();
  let ended = false;
  let under: { choice: ConflictChoice; result: Promise<AuthResult> } | null = null;
  let settle: (result: AuthResult) => void;
  const outcome = new Promise<AuthResult>((resolve) => {
    settle = resolve;
  });
  const leftMs = (): number => sides.expiresAt - ports.serverTime();
  const expire = (): void => {
    if (under === null && leftMs() <= 0) end(expired());
    else if (under === null) stopTimer = startTimer(leftMs(), expire);
  };
  let stopTimer = startTimer(leftMs(), expire);

  function end(error: SdkError): void {
    if (ended) return;
    finish();
    // The events are raised before the pending call settles.
    void ports
      .closed(offered)
      .catch(() => {})
      .then(() => settle(failed(error)));
  }

  function finish(): void {
    ended = true;
    stopTimer();
    over.abort();
  }

  async function choose(choice: ConflictChoice, given: AbortSignal | undefined): Promise<AuthResult> {
    let isOwed = true;
    try {
      const signal = given === undefined ? over.signal : AbortSignal.any([given, over.signal]);
      // What loses must be whole in the service's snapshot.
      await ports.flush({ signal });
      isOwed = false;
      const userId = await ports.choose(offered, choice, signal);
      finish();
      settle({ success: true, userId });
    } catch (error) {
      const failure = failed(error);
      if (!ended && (isOwed || staysOpen(failure.error))) {
        under = null;
        expire();
        return ended ? outcome : failure;
      }
      // The service does not tell a ticket that has ended from one that never was.
      end(leftMs() > 0 ? failure.error : expired());
    }
    return outcome;
  }

  const conflict: Conflict = {
    ...sides,
    resolve: async (choice, { signal } = {}) => {
      if (ended) return outcome;
      if (under !== null) {
        return choice === under.choice
          ? under.result
          : failed(new StateError('conflict_pending', 'Another choice is under way.'));
      }
      if (choice === 'cancel') {
        end(cancelled());
        return outcome;
      }
      if (choice !== 'local' && choice !== 'cloud' && choice !== 'merge') {
        return failed(new StateError('invalid_argument', 'choice must be local, cloud, merge or cancel'));
      }
      // It starts once it is known to be under way.
      under = { choice, result: Promise.resolve().then(() => choose(choice, signal)) };
      return under.result;
    },
  };
  return {
    conflict,
    outcome,
    get busy() {
      return under !== null;
    },
    end,
  };
}

export function cancelled(): StateError {
  return new StateError('conflict_cancelled', 'The conflict was closed without a choice.');
}

function expired(): StateError {
  return new StateError('conflict_expired', 'The conflict was open for too long.');
}

export function unhandled(conflict: Conflict): ConflictUnhandledError {
  const message = 'The method is linked to another account, and nobody listens for the conflict.';
  return Object.assign(new StateError('conflict_unhandled', message), { conflict });
}

/** What says nothing about the ticket, or leaves the other choices. */
function staysOpen(error: SdkError): boolean {
  return (
    error instanceof NoAnswerError ||
    error.retryable ||
    /^(invalid_answer|method_already_linked|merge_not_allowed|merge_failed|too_large)$/.test(error.code)
  );
}
