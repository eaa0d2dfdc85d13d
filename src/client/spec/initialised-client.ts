import { StateError } from '../../errors.js';
import type { Client } from '../create-client.js';

let client: Client | null = null;

/** The client that `Main.Init` has made; null before it, and after `Main.Dispose`. */
export function initialisedClient(): Client | null {
  return client;
}

/** The same; throws `not_initialised` where there is none. */
export function requireClient(): Client {
  if (client === null) throw new StateError('not_initialised', 'Init has not been called.');
  return client;
}

export function setClient(next: Client | null): void {
  client = next;
}
