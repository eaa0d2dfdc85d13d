import { NoAnswerError, type SdkError, StateError } from '../errors.js';
import type {
  ConflictChoice,
  ConflictDifference,
  ConflictKind,
  ConflictSide,
  ConflictSides,
} from '../protocol/conflict.js';
import { type AuthResult, type CallOptions, failed } from './results.js';
import { startTimer } from './runtime.js';

/** What this client can choose, besides `cancel`. */
export type Choice = Exclude<ConflictChoice, 'merge'>;

/** A method belongs to another account than this client's. Nothing changes before a choice. @see Spec 3 */
export interface Conflict {
  /** `name`, `identity` or `social`. */
  readonly method: string;
  /** The account that this client is. */
  readonly local: ConflictSide;
  /** The account that owns the method. */
  readonly cloud: ConflictSide;
  /** `fast-forward`: one side has nothing of its own, so that nothing is lost by taking the other. */
  readonly kind: ConflictKind;
  /** The side that has all that the other one has; null where they diverged. */
  readonly ahead: Choice | null;
  /** The entries of both sides, up to 200, the ones that differ first. */
  readonly diff: readonly ConflictDifference[];
  /** By the service's clock, ms since 1970: then it ends with `conflict_expired`. */
  readonly expiresAt: number;
  /**
   * `local` moves the method to this account; `cloud` becomes the account that owns it; `cancel` leaves all as it is.
   * Resolves to the pending call's result and never rejects. After `network`, `timeout`, `aborted`, 5xx and `method_already_linked`
   * the conflict is still open, and so is the pending call.
   */
  resolve(choice: Choice | 'cancel', options?: CallOptions): Promise<AuthResult>;
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
    /** Carries out the choice and gives the user id of the account that it led to. */
    choose(sides: ConflictSides, choice: Choice, signal: AbortSignal | undefined): Promise<string>;
    /** The conflict has ended without a choice. */
    closed(): Promise<void>;
    serverTime(): number;
  },
): OpenConflict {
  // The ticket alone authorises the choice: it is no part of what a game sees, logs or keeps.
  const { ticket: _, mergeable: __, ...sides } = offered;
  let ended = false;
  let under: { choice: Choice; result: Promise<AuthResult> } | null = null;
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
      .closed()
      .catch(() => {})
      .then(() => settle(failed(error)));
  }

  function finish(): void {
    ended = true;
    stopTimer();
  }

  async function choose(choice: Choice, signal: AbortSignal | undefined): Promise<AuthResult> {
    try {
      const userId = await ports.choose(offered, choice, signal);
      finish();
      settle({ success: true, userId });
    } catch (error) {
      const failure = failed(error);
      if (!ended && staysOpen(failure.error)) {
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
      if (choice !== 'local' && choice !== 'cloud') {
        return failed(new StateError('invalid_argument', 'choice must be local, cloud or cancel'));
      }
      under = { choice, result: choose(choice, signal) };
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
  const message = 'The method is linked to another account, and nothing listens for the event of a conflict.';
  return Object.assign(new StateError('conflict_unhandled', message), { conflict });
}

/** What says nothing about the ticket, or leaves the other choice. */
function staysOpen(error: SdkError): boolean {
  return (
    error instanceof NoAnswerError ||
    error.retryable ||
    error.code === 'invalid_answer' ||
    error.code === 'method_already_linked'
  );
}
