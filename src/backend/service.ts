import type { Deliveries } from './accounts/deliveries.js';
import type { Passwords } from './accounts/passwords.js';
import type { RateLimiter } from './accounts/rate-limits.js';
import type { Exports } from './accounts/running-exports.js';
import type { Game, GameKeys } from './game.js';
import type { DoorRates } from './http/door-rates.js';
import type { ServiceEvent } from './observer.js';
import type { TokenChecks } from './providers/token-checks.js';
import type { PseudonymOf } from './pseudonyms.js';
import type { Quotas } from './quotas.js';
import type { PlatformRegistry } from './registry/registry.js';
import type { Tokens } from './sessions/tokens.js';
import type { Slices } from './slices.js';
import type { Store } from './stores/store.js';
import type { WebhookQueues } from './webhooks/queues.js';
import type { WholeReads } from './whole-reads.js';

/** What every operation works with: the store, the games, and all that comes from outside. */
export interface Service {
  store: Store;
  /** By id, in lower case. */
  games: ReadonlyMap<string, Game>;
  /** Checked in place of the keys of a game that does not exist, so that both take as long. They match nothing. */
  decoyKeys: GameKeys;
  /** The operator's key that the environment gives; it matches nothing where there is none. */
  firstOperatorKey: Pick<GameKeys, 'accepts'>;
  tokens: Tokens;
  passwords: Passwords;
  rateLimiter: RateLimiter;
  /** Has the game deliver codes. */
  deliveries: Deliveries;
  doorRates: DoorRates;
  tokenChecks: TokenChecks;
  /** The platforms that operators have registered. */
  registry: PlatformRegistry;
  sizes: Sizes;
  quotas: Quotas;
  /** The service's clock, in ms since 1970. */
  now(): number;
  random(size: number): Uint8Array;
  /** A new UUID. */
  newId(): string;
  /** What the log calls an account. */
  pseudonymOf: PseudonymOf;
  /** Tells whoever watches. */
  happened(event: ServiceEvent): void;
  /** Logs that something outside failed. Of `error` only its name is logged, for its message may hold a secret. */
  report(message: string, error: unknown): void;
  countryOf(address: string | undefined): Promise<string>;
  /** How long a social verifier may take, in ms. */
  verifierMs: number;
  /** How long a player counts as recently authenticated, in ms. */
  recentAuthenticationMs: number;
  /** How many events of the games' webhooks wait. */
  webhookQueues: WebhookQueues;
  /** The exports that run. */
  exports: Exports;
  /** Reads whole collections and profiles, in the line of their account: they take memory. */
  wholeReads: WholeReads;
  /** Lets others be served. */
  pause(): Promise<void>;
  /** Begins work that is done in slices. */
  slices(): Slices;
}

/** Sizes that a service may be given. */
export interface Sizes {
  /** The bytes of an entry's value as JSON; 150 KiB by default. */
  valueBytes: number;
  /** The bytes of a request's body; 256 KiB by default. */
  requestBytes: number;
  /** The bytes of the body of a choice in a conflict, which may carry a whole profile; 4 MiB by default. */
  mergeRequestBytes: number;
  /**
   * How many nonces of signed requests are remembered for a game, each for six minutes; 1,000,000 by default. Where
   * there are more, signed requests are refused with `nonce_store_full`.
   */
  noncesPerGame: number;
  /**
   * How many events of a game's webhook wait for delivery or were set aside; 100,000 by default, some 60 MB. Beyond
   * that, once a minute, those that were set aside are removed first, and then the oldest; the log says so.
   */
  webhookEventsPerGame: number;
}
