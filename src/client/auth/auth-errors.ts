import { NoAnswerError, type SdkError, StateError } from '../../errors.js';

/** Fails what the client itself has ended. */
export function callAborted(message: string): SdkError {
  return new NoAnswerError('aborted', message);
}

export function alreadyAuthenticated(): StateError {
  return new StateError('already_authenticated', 'Another account is authenticated: sign out first.');
}

export function conflictPending(): StateError {
  return new StateError('conflict_pending', 'A conflict is open: the player has to choose first.');
}

export function conflictCancelled(): StateError {
  return new StateError('conflict_cancelled', 'The conflict was closed without a choice.');
}

export function conflictExpired(): StateError {
  return new StateError('conflict_expired', 'The conflict was open for too long.');
}
