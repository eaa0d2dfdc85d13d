import type {
  ChoiceRequest,
  LinkRecord,
  MergeRecord,
  NewSession,
  NewSnapshot,
  SessionRecord,
  TicketRecord,
  TicketRequest,
} from '../records.js';
import { isRestingOn, overflows, putEntry, readAllFrom } from '../rules/held-entries.js';
import { keepSnapshot } from './snapshots.js';
import { hasMethod, linkKey, type MemoryAccount, type MemoryTables } from './tables.js';

/** A conflict as it stands: the ticket holds, and both accounts are there. */
interface Sides {
  ticket: TicketRecord;
  local: MemoryAccount;
  cloud: MemoryAccount;
}

/** One that is still open: the link is the one that the ticket was given for, and the session lives. */
interface OpenConflict extends Sides {
  link: LinkRecord;
  current: SessionRecord;
}

export function findConflict(tables: MemoryTables, request: TicketRequest): OpenConflict | null {
  const sides = findSides(tables, request);
  return sides === null ? null : openOf(tables, sides);
}

/** `Store.resolveConflict` on the tables; the session in the answer is the stored one. */
export function resolveInTables(
  tables: MemoryTables,
  request: ChoiceRequest,
): SessionRecord | 'stale' | 'method_already_linked' | 'full' {
  const { choice, merge, session, lost, now } = request;
  const sides = findSides(tables, request);
  if (sides === null) return 'stale';
  const { ticket, local, cloud } = sides;
  if (ticket.choice !== null) {
    const reached = (choice === 'local' ? local : cloud).sessions.get(ticket.resolvedSessionId ?? '');
    return ticket.choice === choice && reached !== undefined ? reached : 'stale';
  }
  const open = openOf(tables, sides);
  if (open === null) return 'stale';
  if (choice === 'local' && hasMethod(local, ticket.method)) return 'method_already_linked';
  if (choice === 'merge') {
    const outcome = mergeInto(open, { merge, lost: lost[1], now });
    if (outcome !== 'merged') return outcome;
  }
  const [winner, loser] = choice === 'local' ? [local, cloud] : [cloud, local];
  keepSnapshot(winner, { reason: choice, entries: readAllFrom(loser), from: loser.record, lost: lost[0], now });
  const reached = choice === 'local' ? takeLink(tables, open, now) : goToOwner(tables, open, { session, now });
  ticket.choice = choice;
  ticket.resolvedSessionId = reached.sessionId;
  return reached;
}

function findSides(tables: MemoryTables, { scope, ticket: hash, device, now }: TicketRequest): Sides | null {
  const ticket = tables.tickets.get(hash);
  if (ticket === undefined || ticket.expiresAt <= now || ticket.device !== device) return null;
  if (ticket.gameId !== scope.gameId || ticket.environment !== scope.environment) return null;
  const local = tables.living({ ...scope, accountId: ticket.localId });
  const cloud = tables.living({ ...scope, accountId: ticket.cloudId });
  return local === undefined || cloud === undefined ? null : { ticket, local, cloud };
}

function openOf(tables: MemoryTables, sides: Sides): OpenConflict | null {
  const { ticket, local } = sides;
  const link = tables.links.get(linkKey(ticket));
  const current = local.sessions.get(ticket.sessionId);
  if (ticket.choice !== null || link === undefined || current === undefined) return null;
  return link.accountId === ticket.cloudId && link.linkedAt === ticket.linkedAt ? { ...sides, link, current } : null;
}

/** The owner's own entries are kept first, whether they are written over or not: a merge is undone as a whole. */
function mergeInto(
  { local, cloud }: Sides,
  { merge, lost, now }: { merge: MergeRecord | null; lost: NewSnapshot; now: number },
): 'merged' | 'stale' | 'full' {
  if (merge === null) return 'stale';
  const { writes, restsOn, maxEntries } = merge;
  if (!isRestingOn(local, restsOn.local) || !isRestingOn(cloud, restsOn.cloud)) return 'stale';
  if (overflows(cloud, writes, maxEntries)) return 'full';
  keepSnapshot(cloud, { reason: 'merge', entries: readAllFrom(cloud), lost, now });
  for (const write of writes) putEntry(cloud, write, now);
  return 'merged';
}

function takeLink(tables: MemoryTables, { link, local, cloud, current }: OpenConflict, now: number): SessionRecord {
  for (const session of cloud.sessions.values()) {
    if (session.method !== link.method || session.subject !== link.subject) continue;
    const deviceKey = linkKey({ ...session, method: 'device', subject: session.device });
    if (!cloud.links.has(deviceKey)) cloud.sessions.delete(session.sessionId);
  }
  tables.moveLink(link, local, now);
  return current;
}

function goToOwner(
  tables: MemoryTables,
  { ticket, link, local, cloud }: OpenConflict,
  { session, now }: { session: NewSession; now: number },
): SessionRecord {
  local.sessions.delete(ticket.sessionId);
  const deviceKey = linkKey({ ...ticket, method: 'device', subject: ticket.device });
  const deviceLink = local.links.get(deviceKey);
  if (deviceLink !== undefined) tables.moveLink(deviceLink, cloud, now);
  const { gameId, environment, accountId, method, subject } = link;
  const opened = { gameId, environment, accountId, method, subject, device: ticket.device, revision: 0, ...session };
  cloud.sessions.set(opened.sessionId, opened);
  return opened;
}
