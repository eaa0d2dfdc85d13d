/**
 * What the service tells a game's back end of its accounts, by a signed request of its own. Ours: the
 * interface has no such requests.
 */
import type { LinkMethod } from './conflict.js';
import type { Environment } from './environments.js';

/** The kinds of events. A newer service may have more. */
export const webhookKinds = ['linked', 'merged', 'orphaned', 'deleted', 'restored', 'banned', 'unbanned'] as const;

/**
 * What happened to an account. `linked`: one more login method leads to it. `merged`: another account's saves
 * were merged into it. `orphaned`: no login method leads to it any more. `deleted`: its deletion has begun.
 * `restored`: it was deleted or orphaned, and is not any longer. `banned`, `unbanned`: an operator said so; a ban
 * that ends by itself is not told of.
 */
export type WebhookKind = (typeof webhookKinds)[number];

/** What an event of each kind tells besides the kind. */
export interface WebhookDetails {
  /** The kind of the login method, with `linked`. */
  method?: LinkMethod;
  /**
   * The other account: with `merged` the one whose saves were merged into this one, with `orphaned` the one that its
   * last login method leads to now, with `linked` the one that the method led to before, where there was one.
   */
  otherUserId?: string;
  /** When the account is removed for good, in ms since 1970, with `deleted` and `orphaned`. */
  removedAt?: number;
  /** Until when the ban lasts, in ms since 1970, with `banned`; null for good. */
  until?: number | null;
  /** What the player is told, with `banned`. */
  reason?: string;
}

/** The body of a webhook. */
export interface WebhookEvent extends WebhookDetails {
  /** The event's id, a UUID. One event may come twice, with one id. */
  id: string;
  /** What happened. */
  kind: WebhookKind;
  /** The game's id. */
  gameId: string;
  /** 0 is Development, 1 Stage, 2 Production. */
  env: Environment;
  /** The player's user id. */
  userId: string;
  /** When it happened, by the service's clock in ms since 1970. */
  at: number;
  /** Higher in each later event of one account. */
  sequence: number;
}
