import type { Client } from '../client/create-client.js';
import { initialisedClient, watchInitialisedClient } from '../client/spec/initialised-client.js';
import { english } from './texts/en.js';
import type { Texts } from './texts/texts.js';

/** What an element takes where it is given nothing itself. */
export interface Defaults {
  /** The client; null for the one that `Main.Init` has made. */
  client: Client | null;
  texts: Texts;
}

const given: Defaults = { client: null, texts: english };
const listeners = new Set<() => void>();

/** Changes what is given; what is undefined stays as it is. */
export function setDefaults(client = given.client, texts = given.texts): void {
  Object.assign(given, { client, texts });
  for (const listener of [...listeners]) listener();
}

/** The texts, and the client; null where there is none yet. */
export function getDefaults(): Defaults {
  return { texts: given.texts, client: given.client ?? initialisedClient() };
}

/** Calls the listener when `getDefaults` may give something else; gives what ends that. */
export function watchDefaults(listener: () => void): () => void {
  listeners.add(listener);
  const stop = watchInitialisedClient(listener);
  return () => {
    listeners.delete(listener);
    stop();
  };
}
