import type { ConflictChoice, LinkMethod } from '../../protocol/conflict.js';
import type { Scope } from './records.js';

// What the operation of a store on counts is asked, and what it answers.

/**
 * What is counted, by days in UTC: accounts that are made; accounts that somebody comes to, each once a day; conflicts
 * that are met, and what was chosen in them; sessions that are opened, by their login methods; events that were removed
 * because there were too many.
 */
export type CountKind =
  | 'new'
  | 'active'
  | 'conflict'
  | `choice_${ConflictChoice}`
  | `sign_in_${LinkMethod}`
  | 'event_lost';

/** How often something happened on a day. */
export interface CountRecord {
  /** The day, in days since 1970 in UTC. */
  day: number;
  /** What happened. */
  kind: CountKind;
  /** How often. */
  n: number;
}

/** What `Store.readCounts` is asked. */
export interface CountsRequest {
  /** The game and environment. */
  scope: Scope;
  /** The first day, in days since 1970 in UTC. */
  from: number;
  /** The last day. */
  to: number;
}
