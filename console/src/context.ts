import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ServiceWords } from '../../src/cli/console/words/words.js';
import type { OperatorScope } from '../../src/protocol/admin-messages.js';
import type { Environment } from '../../src/protocol/environments.js';
import type { JsonObject } from '../../src/protocol/messages.js';
import type { AdminPlayers } from '../../src/server/admin-players.js';
import type { Route } from './route.js';
import type { Texts } from './texts/texts.js';
import type { Gateway } from './wire/gateway.js';
import type { Session } from './wire/messages.js';

/** The game and environment that are looked at. */
export interface Place {
  readonly gameId: string;
  readonly environment: Environment;
}

/** What every part of the page may need. */
export interface Console {
  readonly session: Session;
  /** Whether the session has ended, and the page waits until its operator has signed in again. */
  readonly isAway: boolean;
  readonly gateway: Gateway;
  readonly texts: Texts;
  /** What the service says in this language; null in English, and until it is there. */
  readonly words: ServiceWords | null;
  /** The language, as `Intl` takes it. */
  readonly language: string;
  readonly place: Place;
  /** The players of that place. */
  readonly players: AdminPlayers;
  readonly route: Route;
  /** So far the service's clock is ahead of this machine's, in ms. */
  readonly clockOffset: number;
  /** What was typed of saves and is not saved: it stays while its operator looks at other pages. */
  readonly drafts: Map<string, EntryDraft>;
  /** The address of another route at the same place. */
  href(path: readonly string[], query?: { readonly [name: string]: string | undefined }): string;
  /** The address of a route at another place. */
  hrefAt(place: Place, path: readonly string[]): string;
  /** Whether whoever is signed in may do what takes this scope. */
  allows(scope: OperatorScope): boolean;
  /** Tells a result, on the screen and to a screen reader. */
  announce(text: string): void;
}

/** A save that is being edited: what was typed, and the version that it rests on. */
export interface EntryDraft {
  readonly text: string;
  readonly base: { readonly value: JsonObject; readonly version: number };
}

export const ConsoleContext = createContext<Console | null>(null);

export function useConsole(): Console {
  const found = useContext(ConsoleContext);
  if (found === null) throw new TypeError('this part of the page stands outside of the console');
  return found;
}

export const useTexts = (): Texts => useConsole().texts;
