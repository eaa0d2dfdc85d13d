import type { WebhookDetails, WebhookKind } from '../../protocol/webhooks.js';
import type { ListPlace, Owner } from './records.js';
import type { Timed } from './session-requests.js';

// What the operations of a store on events of accounts are asked, and what they answer.

/** Of which events the game's back end is told, and how those are called that the operation makes. */
export interface Notice {
  /** The kinds that are kept until the game's back end has them; what happens of others is told to nobody. */
  kinds: readonly WebhookKind[];
  /** The id for the event of the account that the operation is about, a UUID. */
  eventId: string;
  /** The id for the event of an account that the operation leaves as an orphan, a UUID. */
  orphanedEventId: string;
  /** The id for the event that an account is back, which may come before another one of the same account, a UUID. */
  restoredEventId: string;
  /** The service's clock, in ms since 1970. */
  at: number;
  /** Until when the events are kept, in ms since 1970. */
  expiresAt: number;
}

/** A request after which somebody may have to be told. */
export interface Notifying {
  /** Whom to tell of what; nobody of anything if left out. */
  notice?: Notice | undefined;
}

/** An event's place: one account has one at each. */
export interface EventKey extends Owner {
  /** Higher in each later event of the account. */
  ordinal: number;
}

/** An event that has not been delivered. */
export interface EventRecord extends EventKey {
  /** The event's id, a UUID. */
  eventId: string;
  /** What happened. */
  kind: WebhookKind;
  /** When it happened. */
  at: number;
  /** What else there is to tell. */
  details: WebhookDetails;
  /** How often it could not be delivered. */
  attempts: number;
  /** The HTTP status that the last of these tries was answered with; null where no answer came. */
  lastStatus: number | null;
  /** Not before this is it delivered. */
  dueAt: number;
  /** Since when it waits for an operator, because it was tried often enough; null where it does not. */
  deadAt: number | null;
  /** Until when it is kept. */
  expiresAt: number;
}

/** What `Store.claimEvents` is asked. */
export interface ClaimEventsRequest extends Timed {
  /** The game. */
  gameId: string;
  /** Until then nobody else gets what is claimed. */
  leaseUntil: number;
  /** How many events to claim at most. */
  max: number;
}

/** What `Store.settleEvent` is asked. */
export interface SettleEventRequest {
  /** The event as it was claimed. */
  event: EventRecord;
  /** What is to become of it after a try that failed; null where it was delivered. */
  failed: {
    /** The HTTP status of the answer; null where none came. */
    status: number | null;
    /** When to try again. */
    dueAt: number;
    /** Since when it waits for an operator instead; null where it does not. */
    deadAt: number | null;
  } | null;
}

/** What `Store.readEventQueue` is asked. */
export interface EventQueueRequest {
  /** The game. */
  gameId: string;
  /** How far to count what is there: where there are more it is this many. */
  max: number;
  /** The first day that `lost` counts, in days since 1970 in UTC. */
  lostFrom: number;
}

/** How many events have not been delivered. */
export interface EventQueue {
  /** How many will be tried again. */
  waiting: number;
  /** When the oldest of these happened; null where there is none. */
  oldestAt: number | null;
  /** How many wait for an operator. */
  dead: number;
  /** How many `Store.trimEvents` has removed. */
  lost: number;
}

/** What `Store.trimEvents` is asked. */
export interface TrimEventsRequest extends Timed {
  /** The game. */
  gameId: string;
  /** How many events the game may have. */
  max: number;
  /** How many to remove at most. */
  batch: number;
}

/** What `Store.listDeadEvents` is asked. */
export interface DeadEventsRequest {
  /** The game. */
  gameId: string;
  /** The event after which the page begins; null for the first page. */
  after: ListPlace | null;
  /** How many events the page may have. */
  max: number;
}

/** Which events are to be delivered once more. */
export interface RetryEventsRequest extends Timed {
  /** The game. */
  gameId: string;
  /** The one event; null for all that wait for an operator. */
  eventId: string | null;
  /** How many events at most: those that have waited for longest. */
  max: number;
}

/** An event that has just happened, as a store keeps it. */
export function newEvent(
  { gameId, environment, accountId }: Owner,
  kind: WebhookKind,
  { details, notice }: { details: WebhookDetails; notice: Notice },
): Omit<EventRecord, 'ordinal'> {
  const { orphanedEventId: orphaned, restoredEventId: restored, at, expiresAt } = notice;
  const eventId = kind === 'orphaned' ? orphaned : kind === 'restored' ? restored : notice.eventId;
  const state = { attempts: 0, lastStatus: null, dueAt: at, deadAt: null, expiresAt };
  return { gameId, environment, accountId, eventId, kind, at, details, ...state };
}
