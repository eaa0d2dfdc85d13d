import type { Client } from '../client/create-client.js';
import { type AccountElement, SavepointAccount } from './account/account-element.js';
import { type ConflictElement, SavepointConflict } from './conflict-element.js';
import { setDefaults } from './defaults.js';
import { type HistoryElement, SavepointHistory } from './history-element.js';
import { makeReactive } from './savepoint-element.js';
import { SavepointSync, type SyncElement } from './sync-element.js';
import type { Texts } from './texts/texts.js';

/** What the elements of a page have in common. */
export interface ElementsOptions {
  /** The client whose player they show. Default: that of `Main`, as soon as there is one. */
  readonly client?: Client | undefined;
  /** What they say. Default: English. */
  readonly texts?: Texts | undefined;
}

declare global {
  /** The elements by their names, for `document.querySelector` and `document.createElement`. */
  interface HTMLElementTagNameMap {
    /** Who plays, and all that a player can do about it. */
    'savepoint-account': AccountElement;
    /** Asks the player which save counts. */
    'savepoint-conflict': ConflictElement;
    /** How the saves stand. */
    'savepoint-sync': SyncElement;
    /** What was set aside, and brings it back. */
    'savepoint-history': HistoryElement;
  }
}

/**
 * Makes `<savepoint-account>`, `<savepoint-conflict>`, `<savepoint-sync>` and `<savepoint-history>` known to the page.
 * Called again, it changes the client and the texts of those that have none of their own. Where there are no elements,
 * as on a server that renders pages, it does nothing. Throws TypeError for a client that `createClient` has not made.
 *
 * @example
 * ```ts
 * import { Main } from 'savepoint';
 * import { defineElements } from 'savepoint/elements';
 *
 * defineElements();
 * document.body.append(document.createElement('savepoint-account'), document.createElement('savepoint-conflict'));
 * await Main.Init({ GameId: gameId, Environment: 0, BaseUrl: 'https://saves.example.com' });
 * ```
 */
export function defineElements({ client, texts }: ElementsOptions = {}): void {
  // A page without types may give `Main`, which is none, and is shown by itself.
  if (client && !client.init) throw new TypeError('client is not of createClient');
  setDefaults(client, texts);
  if (typeof window === 'undefined' || typeof customElements === 'undefined') return;
  const all = {
    'savepoint-account': SavepointAccount,
    'savepoint-conflict': SavepointConflict,
    'savepoint-sync': SavepointSync,
    'savepoint-history': SavepointHistory,
  };
  for (const [name, element] of Object.entries(all)) {
    // Two copies of the package in one page, as after a hot reload, are no mistake: the first one counts.
    if (customElements.get(name) !== undefined) continue;
    makeReactive(element);
    customElements.define(name, element);
  }
}
