import { type TimelineEvent, type TimelineKind, timelineKinds } from '../../protocol/admin-timeline.js';
import { accountDefaults } from '../../protocol/gaps/accounts.js';
import { isUuid } from '../../protocol/ids.js';
import { describeChoice } from '../accounts/accounts.js';
import { summarizeSnapshot } from '../entries/snapshots.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import { latestRefreshToken } from '../sessions/tokens.js';
import type { AccountDetails, Owner, SnapshotInfo } from '../stores/records.js';
import { showEntry } from './audit.js';
import { isName, type Page, type PlaceForm, pageOf } from './pages.js';
import { showLink } from './players.js';

/**
 * The place of an event: of two with the same time and kind it is told by the id, of two writes by collection and key.
 */
interface Place {
  at: number;
  kind: TimelineKind;
  id: string;
  /** The key of an entry; empty for all other events. */
  key: string;
}

/** An event, and what tells it from others of its time and kind. */
interface Placed {
  id: string;
  key?: string;
  event: TimelineEvent;
}

/** The place of an event, in a cursor. Nothing goes to the store that it could not have said itself. */
export const byEvent: PlaceForm<Place> = {
  write: ({ at, kind, id, key }) => [at, kind, id, ...(key === '' ? [] : [key])],
  read([at, of, id, key = '', ...more]) {
    const kind = timelineKinds.find((known) => known === of);
    if (!isMoment(at) || kind === undefined || typeof id !== 'string' || more.length > 0) return null;
    if (kind === 'written') return isName(id) && isName(key) ? { at, kind, id, key } : null;
    if (key !== '' || (kind === 'operator' && !isUuid(id))) return null;
    return { at, kind, id, key: '' };
  },
};

function isMoment(at: unknown): at is number {
  return Number.isSafeInteger(at) && (at as number) < Number.MAX_SAFE_INTEGER;
}

/**
 * A page of what happened to a player, newest first: of all that the store keeps with a time. Nothing is kept for it
 * alone, so that a sign-in and a write cost what they did: a session is known as long as it is open, and of an entry
 * the last write. What operators have done is told also of an account that is gone.
 */
export async function readTimeline(
  service: Service,
  owner: Owner,
  page: Page<Place>,
): Promise<{ events: TimelineEvent[]; cursor?: string }> {
  const max = page.max + 1;
  const { after } = page;
  const details = await service.store.readAccount(owner);
  const held = details === null ? [] : await readHeld(service, owner, details);
  const found = [
    ...held.filter((placed) => after === null || comesAfter(placeOf(placed), after)),
    ...(details === null ? [] : await readWrites(service, owner, { after, max })),
    ...(await readDeeds(service, owner, { after, max })),
  ];
  if (found.length === 0 && after === null) throw new Refusal('user_not_found');
  // The sort keeps the order in which each source has the events of one time and kind.
  found.sort(({ event: one }, { event: other }) => other.at - one.at || rankOf(one.kind) - rankOf(other.kind));
  const { items, ...next } = pageOf(page, found.slice(0, max), placeOf);
  return { events: items.map(({ event }) => event), ...next };
}

function placeOf({ id, key = '', event: { at, kind } }: Placed): Place {
  return { at, kind, id, key };
}

function rankOf(kind: TimelineKind): number {
  return timelineKinds.indexOf(kind);
}

function comesAfter(place: Place, after: Place): boolean {
  if (place.at !== after.at) return place.at < after.at;
  const order = rankOf(place.kind) - rankOf(after.kind);
  return order === 0 ? place.id < after.id : order > 0;
}

/** Where a page begins in a list of the store that has one kind of events: nothing comes before an empty id. */
function startIn(kind: TimelineKind, after: Place | null): { at: number; id: string; key: string } | null {
  if (after === null || after.kind === kind) return after;
  return { at: rankOf(kind) > rankOf(after.kind) ? after.at + 1 : after.at, id: '', key: '' };
}

interface Part {
  after: Place | null;
  max: number;
}

async function readWrites({ store }: Service, owner: Owner, { after, max }: Part): Promise<Placed[]> {
  const start = startIn('written', after);
  const place = start === null ? null : { at: start.at, collection: start.id, key: start.key };
  return (await store.listWrites({ owner, after: place, max })).map((entry) => {
    const { collection: id, key, changedAt: at } = entry;
    return { id, key, event: { kind: 'written', at, entry } };
  });
}

async function readDeeds({ store }: Service, owner: Owner, { after, max }: Part): Promise<Placed[]> {
  return (await store.readAudit({ owner, after: startIn('operator', after), max })).map((record) => {
    const deed = showEntry(record);
    return { id: deed.id, event: { kind: 'operator', at: deed.at, deed } };
  });
}

/** All events of which an account has no more than its quotas allow, those of one time and kind in their order. */
async function readHeld(service: Service, owner: Owner, details: AccountDetails): Promise<Placed[]> {
  const found = [
    ...accountEvents(details),
    ...(await linkEvents(service, details)),
    ...(await sessionEvents(service, owner)),
    ...(await conflictEvents(service, owner)),
    ...(await snapshotEvents(service, owner)),
  ];
  return found.sort((one, other) => Number(one.id < other.id) - Number(one.id > other.id));
}

function accountEvents({ account }: AccountDetails): Placed[] {
  const { createdAt, orphanedAt, deletedAt, deletedBy } = account;
  const found: Placed[] = [{ id: '', event: { kind: 'made', at: createdAt } }];
  if (orphanedAt !== null) {
    const removedAt = orphanedAt + accountDefaults.orphanKeptMs;
    found.push({ id: '', event: { kind: 'orphaned', at: orphanedAt, removedAt } });
  }
  if (deletedAt !== null) {
    const by = deletedBy === null ? 'operator' : 'player';
    const removedAt = deletedAt + accountDefaults.deletionGraceMs;
    found.push({ id: '', event: { kind: 'deleted', at: deletedAt, by, removedAt } });
  }
  return found;
}

/** Nobody may know a device's id, and what leads by a recovery code is secret. */
async function linkEvents({ tokens }: Service, { links }: AccountDetails): Promise<Placed[]> {
  const found: Placed[] = [];
  for (const link of links) {
    const { linkedAt: at, lastUsedAt, method } = link;
    if (method === 'device') {
      const device = await tokens.deviceName(link.subject);
      found.push({ id: device, event: { kind: 'linked', at, method, device, lastUsedAt } });
    } else {
      const { linkedAt: _, lastUsedAt: __, ...shown } = showLink(link, null);
      found.push({ id: method, event: { kind: 'linked', at, lastUsedAt, ...shown } });
    }
  }
  return found;
}

async function sessionEvents({ store, now, tokens }: Service, owner: Owner): Promise<Placed[]> {
  const found: Placed[] = [];
  for (const session of await store.listSessions(owner)) {
    const { sessionId: id, openedAt: at, method, authenticatedAt, expiresAt } = session;
    if (expiresAt <= now()) continue;
    const device = await tokens.deviceName(session.device);
    // Tokens count in seconds.
    const refreshedAt = Math.max(at, latestRefreshToken(session).iat * 1000);
    const about = { session: id, method, device, authenticatedAt, refreshedAt, expiresAt };
    found.push({ id, event: { kind: 'signed_in', at, ...about } });
  }
  return found;
}

async function conflictEvents({ store, now }: Service, owner: Owner): Promise<Placed[]> {
  const open = await store.listConflicts({ owner, now: now() });
  return open.map(({ method, localId: localUserId, cloudId: cloudUserId, expiresAt }) => {
    const at = expiresAt - accountDefaults.ticketTtlMs;
    const event = { kind: 'conflict', at, method, localUserId, cloudUserId, expiresAt } as const;
    return { id: `${localUserId} ${cloudUserId} ${method}`, event };
  });
}

/**
 * The latest choice as long as it can be taken back; the earlier ones by what was not chosen; what was written back, and all
 * else that is kept.
 */
async function snapshotEvents({ store, now }: Service, owner: Owner): Promise<Placed[]> {
  const asked = { owner, now: now() };
  const latest = await store.readChoice(asked);
  const snapshots = await store.listSnapshots(asked);
  const found: Placed[] = [];
  for (const info of snapshots) {
    const { snapshotId: id, createdAt: at, fromId: fromUserId } = info;
    const choice = choiceOf(info, owner);
    const snapshot = summarizeSnapshot(info);
    const kind = info.reason === 'restore' ? 'undone' : 'kept';
    if (choice === null) found.push({ id, event: { kind, at, snapshot } });
    else if (id !== latest?.choiceId) found.push({ id, event: { kind: 'chosen', at, choice, fromUserId, snapshot } });
  }
  if (latest !== null) {
    const { id, choice, madeAt: at, fromUserId, methods, expiresAt } = describeChoice(latest);
    const other = snapshots.find(({ snapshotId }) => snapshotId === id);
    const undo = { id, methods, expiresAt };
    const snapshot = other === undefined ? {} : { snapshot: summarizeSnapshot(other) };
    found.push({ id, event: { kind: 'chosen', at, choice, fromUserId, undo, ...snapshot } });
  }
  return found;
}

/** The choice by which an account has a snapshot of another one's entries; null for a snapshot of its own. */
function choiceOf({ reason, fromId }: SnapshotInfo, { accountId }: Owner): 'local' | 'cloud' | 'merge' | null {
  const isChoice = reason === 'local' || reason === 'cloud' || reason === 'merge';
  return isChoice && fromId !== accountId ? reason : null;
}
