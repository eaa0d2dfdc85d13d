import { StateError } from '../../errors.js';
import type { Client } from '../create-client.js';

let client: Client | null = null;
const listeners = /* @__PURE__ */ new Set<() => void>();

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
  for (const listener of [...listeners]) listener();
}

/**
 * Calls the listener when `Main.Init` has made a client, and when `Main.Dispose` has ended it; gives what ends that.
 */
export function watchInitialisedClient(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
