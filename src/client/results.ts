import { isSdkError, SdkError } from '../errors.js';
import type { ConflictSide } from '../protocol/conflict.js';
import type { PeekAnswer } from '../protocol/player-messages.js';

export interface Failed {
  success: false;
  error: SdkError;
}

/** @see Spec 2.6 */
export type AuthResult = { success: true; userId: string } | Failed;

/** `userId` is null where nobody is authenticated yet: with `autoLogin: false`. */
export type ReadyResult = { success: true; userId: string | null } | Failed;

/** `unsent`: how many entries wait on this device until that account is here again. */
export type SignOutResult = { success: true; unsent: number } | Failed;

/**
 * What a credential would do: be linked (`free`), nothing (`mine`), or meet another account, with that side. Signed out,
 * `other` is the account that it signs in to, and `free` a new one.
 */
export type PeekResult = { success: true; outcome: PeekAnswer['outcome']; side?: ConflictSide | undefined } | Failed;

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** A failure as a value: no operation rejects. What is no error of ours is a mistake of ours, and says so. */
export function failed(error: unknown): Failed {
  return {
    success: false,
    error: isSdkError(error) ? error : new SdkError('sdk_failed', 'The SDK failed.', { cause: error }),
  };
}
