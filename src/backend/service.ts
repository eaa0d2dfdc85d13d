import type { Passwords } from './accounts/passwords.js';
import type { RateLimiter } from './accounts/rate-limits.js';
import type { Game, GameKeys } from './game.js';
import type { Tokens } from './sessions/tokens.js';
import type { Store } from './stores/store.js';

/** What the domain stands on: everything from outside comes through here. */
export interface Service {
  store: Store;
  games: ReadonlyMap<string, Game>;
  /** Used for games that are not there, so that they cost as much time. They open nothing. */
  decoyKeys: GameKeys;
  tokens: Tokens;
  passwords: Passwords;
  rateLimiter: RateLimiter;
  sizes: Sizes;
  /** Server time, ms since 1970. */
  now(): number;
  random(size: number): Uint8Array;
  /** A new UUID. */
  newId(): string;
  /** Tells the operator of trouble with something outside; what it threw may hold a secret, so only its name is told. */
  report(message: string, error: unknown): void;
  countryOf(address: string | undefined): Promise<string>;
}

/** Sizes that a service can have otherwise than by default. */
export interface Sizes {
  valueBytes: number;
  requestBytes: number;
  /** Of a choice in a conflict, which may carry a whole profile. */
  mergeRequestBytes: number;
  entriesPerCollection: number;
  noncesPerGame: number;
}
