/** What operators ask of a game's webhook, and what they are answered. Ours: the interface has no such requests. */
import * as z from 'zod/mini';
import type { Environment } from './environments.js';
import { environment, uuid } from './messages.js';

const deadEvent = z.object({
  id: uuid,
  kind: z.string(),
  env: environment,
  userId: uuid,
  at: z.int(),
  attempts: z.int(),
  lastStatus: z.optional(z.int()),
  deadAt: z.int(),
  removedAt: z.int(),
});

/**
 * An event that was tried often enough, and waits for an operator. All times are by the
 * service's clock in ms since 1970.
 */
export interface DeadEvent {
  /** The event's id, as the receiver would have it. */
  id: string;
  /** What happened. A newer service may have more kinds. */
  kind: string;
  /** The environment of the player. */
  env: Environment;
  /** The user id of the player. */
  userId: string;
  /** When it happened. */
  at: number;
  /** How often it could not be delivered. */
  attempts: number;
  /** The HTTP status that the last try was answered with; absent where no answer came in time. */
  lastStatus?: number | undefined;
  /** Since when it is not tried any more. */
  deadAt: number;
  /** When it is removed. */
  removedAt: number;
}

export const webhookQueueAnswer = z.object({
  waiting: z.int(),
  oldestAt: z.optional(z.int()),
  dead: z.int(),
  lost: z.optional(z.int()),
  events: z.array(deadEvent),
  cursor: z.optional(z.string()),
});

/** What a game's back end has not been told yet. */
export interface WebhookQueue {
  /** How many events wait for their turn; counted up to 10,000. */
  waiting: number;
  /** When the oldest of these happened, by the service's clock in ms since 1970; absent where there is none. */
  oldestAt?: number | undefined;
  /** How many events were set aside, because they were tried often enough; counted up to 10,000. */
  dead: number;
  /**
   * How many events of the last 30 days were removed because there were more than the service keeps of a game; absent
   * where none was.
   */
  lost?: number | undefined;
  /** A page of those that were set aside, the latest first. */
  events: DeadEvent[];
  /** Asks for the next page; absent on the last one. */
  cursor?: string | undefined;
}

/** The event that is to be sent again; all that were set aside if left out. */
export const retryWebhooksRequest = z.object({ id: z.optional(uuid) });

export const retriedWebhooksAnswer = z.object({ retried: z.int(), hasMore: z.boolean() });

/** What is sent again. */
export interface RetriedWebhooks {
  /** How many events are sent again. */
  retried: number;
  /** Whether more of them wait for an operator: one request takes a thousand. */
  hasMore: boolean;
}
