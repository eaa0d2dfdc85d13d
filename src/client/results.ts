import { isSdkError, SdkError } from '../errors.js';

export interface Failed {
  success: false;
  error: SdkError;
}

/** @see Spec 2.6 */
export type AuthResult = { success: true; userId: string } | Failed;

/** `userId` is null where nobody is authenticated yet: with `autoLogin: false`. */
export type ReadyResult = { success: true; userId: string | null } | Failed;

export type SignOutResult = { success: true } | Failed;

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** A failure as a value: no operation rejects. What is no error of ours is a mistake of ours, and says so. */
export function failed(error: unknown): Failed {
  return {
    success: false,
    error: isSdkError(error) ? error : new SdkError('internal', 'The SDK failed.', { cause: error }),
  };
}
