import { SdkError, StateError } from '../../errors.js';

/** Fails a call that needs an account. */
export function notAuthenticated(): StateError {
  return new StateError('not_authenticated', 'Nobody is authenticated.');
}

/** Fails a call that needs what this device has stored, while that cannot be read. */
export function storageUnavailable(): SdkError {
  return new SdkError('storage_unavailable', 'The storage of this device does not answer.', { retryable: true });
}

/** Fails what was begun for an account that is no longer the present one. */
export function superseded(): SdkError {
  return new SdkError('aborted', 'The account was signed out or switched in the meantime.');
}
