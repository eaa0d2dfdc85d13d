import { type Client, isSdkError, Main, StateError } from '../index.js';

/** The client that `Main.Init` has made; null before it, and after `Main.Dispose`. */
export function mainClient(): Client | null {
  try {
    return Main.Client();
  } catch (error) {
    if (isSdkError(error) && error.code === 'not_initialised') return null;
    throw error;
  }
}

/** There is no client for a component. `how` names what gives it one. */
export function noClient(how: string): StateError {
  return new StateError(
    'not_initialised',
    `A component has no client: ${how}, or call Main.Init before it is mounted.`,
  );
}
