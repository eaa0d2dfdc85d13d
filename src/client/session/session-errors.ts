import { SdkError, StateError } from '../../errors.js';

/** Fails a call that needs an account. */
export function notAuthenticated(): StateError {
  return new StateError('not_authenticated', 'Nobody is authenticated.');
}

/** Fails what was begun for an account that is no longer the present one. */
export function superseded(): SdkError {
  return new SdkError('aborted', 'The account was signed out or switched in the meantime.');
}
