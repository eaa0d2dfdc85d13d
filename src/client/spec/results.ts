import type { SdkError } from '../../errors.js';

/** What a call that has failed gives: it never rejects. */
export interface FailedResult {
  /** False: the call has failed. */
  Success: false;
  /** What happened: `Error.code` names it, `Error.retryable` says whether the same call may succeed later. */
  Error: SdkError;
}

/** What an authentication gives, to its callback and by its promise: docs/interface.md#authentication-result */
export type AuthResult =
  | {
      /** True: the player is authenticated. */
      Success: true;
      /** The id of the user who is authenticated now. */
      UserId: string;
    }
  | FailedResult;

/** What `Main.Init` gives, to `OnReadyCallback` and by its promise. */
export type ReadyResult =
  | {
      /** True: the client is ready. */
      Success: true;
      /** The user's id; null where nobody is authenticated yet: with `AutoLogin: false`, or with `Network: 'off'`. */
      UserId: string | null;
    }
  | FailedResult;

/** What `Auth.SignOut` gives, to its callback and by its promise. */
export type SignOutResult =
  | {
      /** True: nobody is authenticated on this device any more. */
      Success: true;
      /** How many entries wait on this device until that account signs in here again. */
      Unsent: number;
    }
  | FailedResult;
