import { accountDefaults } from '../../../protocol/gaps/accounts.js';
import type { QuotaRefusal } from '../entry-requests.js';
import {
  type AccountLink,
  checkedLinkOf,
  type NewSnapshot,
  ownerOf,
  type PlacedRecord,
  type SessionRecord,
  type TicketRecord,
} from '../records.js';
import type {
  ChoiceRequest,
  ConflictAccounts,
  ConflictEntries,
  ConflictOutcome,
  MergeRequest,
  OpenTicketRequest,
  TicketRequest,
} from '../requests.js';
import { banOf } from '../rules/bans.js';
import { choiceRecord, sessionsThatLeave } from '../rules/choices.js';
import { exceededBy, growthBy, hasExactly, listEntries, putEntry } from '../rules/held-entries.js';
import { commonPast, noteOrigin, type Side, snapshotsNamed } from '../rules/origins.js';
import { count } from './counts.js';
import { addEvent, addReturn } from './events.js';
import { hasMethod, makeRoomForDevice, moveLink } from './links.js';
import { addSession, copySession, markUsed } from './sessions.js';
import { keepSnapshot } from './snapshots.js';
import { linkKey, type MemoryAccount, type MemoryTables } from './tables.js';

/** A conflict whose ticket is valid for the request, and both of whose accounts are there. */
interface Conflict {
  ticket: TicketRecord;
  local: MemoryAccount;
  cloud: MemoryAccount;
}

/** A conflict that no choice has ended: the link is still the one of the ticket, and the ticket's session lives. */
interface OpenConflict extends Conflict {
  link: AccountLink;
  /** The player's session on the local account. */
  localSession: SessionRecord;
}

/** `Store.openTicket`. */
export function openTicket(
  tables: MemoryTables,
  { openedAt, ...ticket }: OpenTicketRequest,
): 'opened' | 'link_changed' | 'no_session' {
  if (!tables.isUnchanged(checkedLinkOf(ticket))) return 'link_changed';
  if (tables.session({ ...ticket, accountId: ticket.localId }) === undefined) return 'no_session';
  tables.tickets.set(ticket.ticket, ticket);
  const others = [...tables.tickets.values()].filter((other) => other !== ticket && isOfSameAccount(other, ticket));
  others.sort((one, other) => other.expiresAt - one.expiresAt);
  for (const oldest of others.slice(accountDefaults.ticketsPerAccount - 1)) tables.tickets.delete(oldest.ticket);
  if (openedAt !== undefined) count(tables, ticket, openedAt, ['conflict']);
  return 'opened';
}

function isOfSameAccount(one: TicketRecord, other: TicketRecord): boolean {
  return one.localId === other.localId && one.environment === other.environment && one.gameId === other.gameId;
}

/** `Store.findConflict`. */
export function findConflict(tables: MemoryTables, request: TicketRequest): ConflictAccounts | null {
  const open = findOpen(tables, request);
  return open && { local: ownerOf(open.local.record), cloud: ownerOf(open.cloud.record) };
}

/** `Store.readConflictSides`. */
export function readConflictSides(tables: MemoryTables, request: TicketRequest): ConflictEntries | null {
  const open = findOpen(tables, request);
  if (open === null) return null;
  const { local, cloud } = open;
  const sides = [sideOf(local), sideOf(cloud)] as const;
  return { local: sides[0].entries, cloud: sides[1].entries, merged: pastOf(open, sides, request.now) };
}

/** A conflict that is open; null where a choice would be refused. */
function findOpen(tables: MemoryTables, request: TicketRequest): OpenConflict | null {
  const ticket = findTicket(tables, request);
  const conflict = ticket && conflictOf(tables, ticket);
  const open = conflict === null ? null : asOpen(tables, conflict);
  if (open === null) return null;
  const ban = banOf(open.local.record, request.now) ?? banOf(open.cloud.record, request.now);
  return ban === null ? open : null;
}

function sideOf(account: MemoryAccount) {
  return { accountId: account.record.accountId, entries: listEntries(account) };
}

/** What came from one of the accounts into the other last, entry by entry. */
function pastOf({ local, cloud }: Conflict, sides: readonly [Side, Side], now: number): PlacedRecord[] {
  const [mine, theirs] = sides;
  const named = [
    ...snapshotsNamed(mine, theirs.accountId).map((id) => local.snapshots.get(id)),
    ...snapshotsNamed(theirs, mine.accountId).map((id) => cloud.snapshots.get(id)),
  ];
  const sources = named.flatMap((one) => (one !== undefined && one.expiresAt > now ? [one] : []));
  return commonPast(sides, new Map(sources.map((one) => [one.snapshotId, one])));
}

/** `Store.resolveConflict`. */
export function resolveConflict(tables: MemoryTables, request: ChoiceRequest): ConflictOutcome {
  const resolved = carryOutChoice(tables, request);
  if (typeof resolved === 'string') return { outcome: resolved };
  return 'outcome' in resolved ? resolved : { outcome: 'resolved', session: copySession(resolved) };
}

/** Gives the stored session that the player goes on with, or why nothing was done. */
function carryOutChoice(
  tables: MemoryTables,
  request: ChoiceRequest,
):
  | SessionRecord
  | 'stale'
  | 'ended'
  | 'method_already_linked'
  | Extract<ConflictOutcome, { outcome: 'banned' }>
  | QuotaRefusal {
  const { choice, merge, snapshots, now } = request;
  const ticket = findTicket(tables, request);
  if (ticket === null) return 'stale';
  if (ticket.choice !== null) return repeatOutcome(tables, ticket, request);
  const conflict = conflictOf(tables, ticket);
  if (conflict === null) return 'stale';
  const { local, cloud } = conflict;
  const ban = banOf(local.record, now) ?? banOf(cloud.record, now);
  if (ban !== null) return { outcome: 'banned', ban };
  const [chosen, other] = choice === 'local' ? [local, cloud] : [cloud, local];
  const open = asOpen(tables, conflict);
  if (open === null) return 'stale';
  if (choice === 'local' && hasMethod(local, ticket.method)) return 'method_already_linked';
  if (choice === 'merge') {
    const outcome = mergeIntoCloud(open, { merge, snapshot: snapshots[1], now });
    if (outcome !== 'merged') return outcome;
  }
  const entries = listEntries(other);
  const [kept, beside] = snapshots;
  keepSnapshot(chosen, { reason: choice, entries, from: other.record, snapshot: kept, beside, now });
  if (choice === 'merge' && entries.length > 0) {
    noteOrigin(chosen, { fromId: other.record.accountId, snapshotId: kept.snapshotId });
  }
  const device = local.links.get(deviceKeyOf(ticket));
  const moved = choice === 'local' ? [open.link] : device === undefined ? [] : [device];
  const resolved = choice === 'local' ? moveLinkToLocal(tables, open, request) : switchToCloud(tables, open, request);
  const own = choice === 'merge' && chosen.snapshots.has(beside.snapshotId) ? beside.snapshotId : null;
  chosen.choice = choiceRecord(chosen.record, { choice, from: other.record, moved, kept, own, now });
  ticket.choice = choice;
  ticket.resolvedSessionId = resolved.sessionId;
  // With `local` the player's session goes on; each other choice begins one, which came from the conflict's link.
  const began = choice === 'local' ? [] : [`sign_in_${resolved.method}` as const];
  count(tables, chosen.record, now, [`choice_${choice}`, ...began]);
  return resolved;
}

/** What became of the choice, for whoever asks again: the other account may have been deleted or banned since. */
function repeatOutcome(
  tables: MemoryTables,
  ticket: TicketRecord,
  { scope, choice, now }: ChoiceRequest,
): SessionRecord | 'stale' | 'ended' | Extract<ConflictOutcome, { outcome: 'banned' }> {
  const accountId = choice === 'local' ? ticket.localId : ticket.cloudId;
  const chosen = tables.activeAccount({ ...scope, accountId });
  if (ticket.choice !== choice || chosen === undefined) return 'stale';
  const ban = banOf(chosen.record, now);
  return ban === null ? (chosen.sessions.get(ticket.resolvedSessionId ?? '') ?? 'ended') : { outcome: 'banned', ban };
}

function findTicket(tables: MemoryTables, { scope, ticket: hash, device, now }: TicketRequest): TicketRecord | null {
  const ticket = tables.tickets.get(hash);
  if (ticket === undefined || ticket.expiresAt <= now || ticket.device !== device) return null;
  return ticket.gameId === scope.gameId && ticket.environment === scope.environment ? ticket : null;
}

/** Null where one of both accounts is being deleted. */
function conflictOf(tables: MemoryTables, ticket: TicketRecord): Conflict | null {
  const { gameId, environment, localId, cloudId } = ticket;
  const local = tables.activeAccount({ gameId, environment, accountId: localId });
  const cloud = tables.activeAccount({ gameId, environment, accountId: cloudId });
  return local === undefined || cloud === undefined ? null : { ticket, local, cloud };
}

function asOpen(tables: MemoryTables, conflict: Conflict): OpenConflict | null {
  const { ticket, local } = conflict;
  const link = tables.links.get(linkKey(ticket));
  const localSession = local.sessions.get(ticket.sessionId);
  if (ticket.choice !== null || link === undefined || localSession === undefined) return null;
  return tables.isUnchanged(checkedLinkOf(ticket)) ? { ...conflict, link, localSession } : null;
}

function deviceKeyOf(ticket: TicketRecord): string {
  return linkKey({ ...ticket, method: 'device', subject: ticket.device });
}

/**
 * Keeps all entries of the cloud account first, those too that the merge leaves alone: a merge is undone as a whole.
 */
function mergeIntoCloud(
  { local, cloud }: Conflict,
  { merge, snapshot, now }: { merge: MergeRequest | null; snapshot: NewSnapshot; now: number },
): 'merged' | 'stale' | QuotaRefusal {
  if (merge === null) return 'stale';
  const { writes, restsOn, quotas } = merge;
  const entries = listEntries(cloud);
  if (!hasExactly(listEntries(local), restsOn.local) || !hasExactly(entries, restsOn.cloud)) return 'stale';
  const growth = growthBy(cloud, writes);
  const refused = exceededBy(cloud, growth, quotas);
  if (refused !== null) return refused;
  keepSnapshot(cloud, { reason: 'merge', entries, snapshot, now });
  for (const write of writes) putEntry(cloud, write, now);
  cloud.valueBytes += growth.bytes;
  return 'merged';
}

/**
 * The choice `local`: the former owner's sessions from this link end, but for those on the former owner's own devices.
 */
function moveLinkToLocal(
  tables: MemoryTables,
  { link, local, cloud, localSession }: OpenConflict,
  { now, notice }: Pick<ChoiceRequest, 'now' | 'notice'>,
): SessionRecord {
  const places = { leaving: [link], staying: [...cloud.links.values()] };
  for (const { sessionId } of sessionsThatLeave([...cloud.sessions.values()], places)) cloud.sessions.delete(sessionId);
  const details = { method: link.method, otherUserId: cloud.record.accountId };
  addReturn(tables, local, { notice });
  moveLink(tables, link, { to: local, now, notice });
  addEvent(tables, local.record, 'linked', { notice, details });
  return localSession;
}

/**
 * The choices `cloud` and `merge`: the player gets a session of the link's owner, and the device leads there as well.
 */
function switchToCloud(
  tables: MemoryTables,
  { ticket, link, local, cloud }: OpenConflict,
  { choice, session, quotas, now, notice }: Omit<ChoiceRequest, 'merge'>,
): SessionRecord {
  local.sessions.delete(ticket.sessionId);
  if (choice === 'merge') {
    addEvent(tables, cloud.record, 'merged', { notice, details: { otherUserId: local.record.accountId } });
  }
  const deviceLink = local.links.get(deviceKeyOf(ticket));
  if (deviceLink !== undefined) {
    makeRoomForDevice(tables, cloud, { quotas, asking: null });
    moveLink(tables, deviceLink, { to: cloud, now, notice });
  }
  const { gameId, environment, accountId, method, subject } = link;
  const opened = { gameId, environment, accountId, method, subject, device: ticket.device, revision: 0, ...session };
  addSession(cloud, opened, quotas);
  markUsed(tables, { session: opened, now });
  return opened;
}
