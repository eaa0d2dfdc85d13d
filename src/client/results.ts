import { isSdkError, SdkError } from '../errors.js';
import type { ConflictSide } from '../protocol/conflict.js';
import type { PeekAnswer } from '../protocol/player-messages.js';

/** What a call that has failed gives. */
export interface Failed {
  /** False: the call has failed. */
  success: false;
  /** What happened: `error.code` names it, `error.retryable` says whether the same call may succeed later. */
  error: SdkError;
}

/** What an authentication gives: docs/interface.md#authentication-result */
export type AuthResult =
  | {
      /** True: the player is authenticated. */
      success: true;
      /** The id of the user who is authenticated now. */
      userId: string;
    }
  | Failed;

/** What `init` and `setNetwork` give. */
export type ReadyResult =
  | {
      /** True: the client is ready. */
      success: true;
      /** The user's id; null where nobody is authenticated yet: with `autoLogin: false`, or with `network: 'off'`. */
      userId: string | null;
    }
  | Failed;

/** What `auth.signOut` gives. */
export type SignOutResult =
  | {
      /** True: nobody is authenticated on this device any more. */
      success: true;
      /** How many entries wait on this device until that account signs in here again. */
      unsent: number;
    }
  | Failed;

/** What a call gives that has nothing more to say. */
export type DoneResult =
  | {
      /** True: it is done. */
      success: true;
    }
  | Failed;

/** What `auth.peek` gives. */
export type PeekResult =
  | {
      /** True: the service has said what the credential would do. */
      success: true;
      /**
       * `free`: nobody has it, and it would be linked, or lead to a new account where nobody is authenticated.
       * `mine`: it leads to this account already. `other`: it leads to another account, and would meet a conflict, or
       * sign in to that account where nobody is authenticated.
       */
      outcome: PeekAnswer['outcome'];
      /** What the other account holds, with the outcome `other`. */
      side?: ConflictSide | undefined;
    }
  | Failed;

/** Options of a call that waits for the service. */
export interface CallOptions {
  /** Cancels the call: it fails with `aborted` at once, and an answer that comes later changes nothing. */
  signal?: AbortSignal | undefined;
}

/** Makes the result of a call from what its task gives or throws: no operation rejects. */
export async function resultOf<Fields extends object>(
  task: () => Promise<Fields>,
): Promise<({ success: true } & Fields) | Failed> {
  try {
    return { success: true, ...(await task()) };
  } catch (error) {
    return failed(error);
  }
}

/** Makes a result of what was thrown. An error that is not ours is a bug of ours, code `sdk_failed`. */
export function failed(error: unknown): Failed {
  return {
    success: false,
    error: isSdkError(error) ? error : new SdkError('sdk_failed', 'The SDK failed.', { cause: error }),
  };
}
