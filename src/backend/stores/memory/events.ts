import type { WebhookDetails, WebhookKind } from '../../../protocol/webhooks.js';
import {
  type ClaimEventsRequest,
  type DeadEventsRequest,
  type EventQueue,
  type EventQueueRequest,
  type EventRecord,
  type Notifying,
  newEvent,
  type RetryEventsRequest,
  type SettleEventRequest,
  type TrimEventsRequest,
} from '../event-requests.js';
import type { Owner } from '../records.js';
import { count } from './counts.js';
import { type MemoryAccount, type MemoryTables, ownerKey } from './tables.js';

/** Keeps what has happened to an account, if somebody is to be told of it. */
export function addEvent(
  tables: MemoryTables,
  owner: Owner,
  kind: WebhookKind,
  { notice, details = {} }: Notifying & { details?: WebhookDetails },
): void {
  if (notice?.kinds.includes(kind) !== true) return;
  const event = newEvent(owner, kind, { details, notice });
  tables.lastOrdinal += 1;
  tables.events.set(event.eventId, { ...event, ordinal: tables.lastOrdinal });
}

/** Tells that an orphan is back. It is called before a link leads there, for by that it is an orphan no more. */
export function addReturn(tables: MemoryTables, { record }: MemoryAccount, { notice }: Notifying): void {
  if (record.orphanedAt !== null) addEvent(tables, record, 'restored', { notice });
}

/** `Store.claimEvents`. */
export function claimEvents(tables: MemoryTables, { gameId, now, leaseUntil, max }: ClaimEventsRequest): EventRecord[] {
  const first = new Map<string, EventRecord>();
  for (const event of tables.events.values()) {
    const key = ownerKey(event);
    if (event.gameId === gameId && event.deadAt === null && !first.has(key)) first.set(key, event);
  }
  const due = [...first.values()].filter(({ dueAt }) => dueAt <= now).sort((one, other) => one.dueAt - other.dueAt);
  return due.slice(0, max).map((event) => {
    event.dueAt = leaseUntil;
    return structuredClone(event);
  });
}

/** `Store.settleEvent`. */
export function settleEvent(tables: MemoryTables, { event, failed }: SettleEventRequest): void {
  const kept = tables.events.get(event.eventId);
  if (failed === null) tables.events.delete(event.eventId);
  else if (kept?.dueAt === event.dueAt) {
    const { status: lastStatus, dueAt, deadAt } = failed;
    Object.assign(kept, { lastStatus, dueAt, deadAt, attempts: kept.attempts + 1 });
  }
}

/** `Store.readEventQueue`. */
export function readEventQueue(tables: MemoryTables, { gameId, max, lostFrom }: EventQueueRequest): EventQueue {
  const events = [...tables.events.values()].filter((event) => event.gameId === gameId);
  const waiting = events.filter(({ deadAt }) => deadAt === null);
  const oldestAt = waiting.reduce<number | null>((oldest, { at }) => Math.min(oldest ?? at, at), null);
  const dead = events.length - waiting.length;
  const lost = [...tables.counts.values()]
    .filter((counted) => counted.gameId === gameId && counted.kind === 'event_lost' && counted.day >= lostFrom)
    .reduce((sum, { n }) => sum + n, 0);
  return { waiting: Math.min(waiting.length, max), oldestAt, dead: Math.min(dead, max), lost };
}

/** `Store.trimEvents`. */
export function trimEvents(tables: MemoryTables, { gameId, max, batch, now }: TrimEventsRequest): number {
  const waiting = [...tables.events.values()].filter((event) => event.gameId === gameId && event.deadAt === null);
  const dead = deadEvents(tables, gameId).map(({ event }) => event);
  const excess = Math.max(0, waiting.length + dead.length - max);
  const lost = [...dead.reverse(), ...waiting].slice(0, Math.min(excess, batch));
  for (const event of lost) {
    tables.events.delete(event.eventId);
    count(tables, event, now, ['event_lost']);
  }
  return lost.length;
}

/** `Store.listDeadEvents`. */
export function listDeadEvents(tables: MemoryTables, { gameId, after, max }: DeadEventsRequest): EventRecord[] {
  return deadEvents(tables, gameId)
    .filter(({ event: { eventId }, deadAt }) => {
      return after === null || deadAt < after.at || (deadAt === after.at && eventId < after.id);
    })
    .slice(0, max)
    .map(({ event }) => structuredClone(event));
}

/** Has events delivered that wait for an operator. */
export function retryEvents(tables: MemoryTables, { gameId, eventId, now, max }: RetryEventsRequest): EventRecord[] {
  const events = deadEvents(tables, gameId)
    .map(({ event }) => event)
    .filter((event) => eventId === null || event.eventId === eventId)
    .slice(-max);
  for (const event of events) Object.assign(event, { attempts: 0, lastStatus: null, dueAt: now, deadAt: null });
  return structuredClone(events);
}

/** A game's events that wait for an operator, the latest first. */
function deadEvents(tables: MemoryTables, gameId: string): { event: EventRecord; deadAt: number }[] {
  return [...tables.events.values()]
    .filter((event) => event.gameId === gameId && event.deadAt !== null)
    .map((event) => ({ event, deadAt: event.deadAt ?? 0 }))
    .sort((one, other) => other.deadAt - one.deadAt || (one.event.eventId < other.event.eventId ? 1 : -1));
}
