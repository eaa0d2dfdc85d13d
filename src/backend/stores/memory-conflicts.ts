import type { ConflictChoice } from '../../protocol/conflict.js';
import { hasMethod, linkKey, type MemoryAccount, type MemoryTables } from './memory-tables.js';
import type { LinkRecord, NewSession, Scope, SessionRecord, TicketRecord } from './store.js';

interface Resolution {
  scope: Scope;
  ticket: string;
  device: string;
  choice: ConflictChoice;
  session: NewSession;
  now: number;
}

/** `Store.resolveConflict` on the tables; the session in the answer is the stored one. */
export function resolveInTables(
  tables: MemoryTables,
  { scope, ticket: hash, device, choice, session, now }: Resolution,
): SessionRecord | 'stale' | 'method_already_linked' {
  const ticket = tables.tickets.get(hash);
  if (ticket === undefined || ticket.expiresAt <= now || ticket.device !== device) return 'stale';
  if (ticket.gameId !== scope.gameId || ticket.environment !== scope.environment) return 'stale';
  const local = tables.account({ ...scope, accountId: ticket.localId });
  const cloud = tables.account({ ...scope, accountId: ticket.cloudId });
  if (local === undefined || cloud === undefined) return 'stale';
  if (ticket.choice !== null) {
    const reached = (choice === 'local' ? local : cloud).sessions.get(ticket.resolvedSessionId ?? '');
    return ticket.choice === choice && reached !== undefined ? reached : 'stale';
  }
  const link = tables.links.get(linkKey(ticket));
  const current = local.sessions.get(ticket.sessionId);
  if (link?.accountId !== ticket.cloudId || link.linkedAt !== ticket.linkedAt || current === undefined) return 'stale';
  if (choice === 'local' && hasMethod(local, ticket.method)) return 'method_already_linked';
  const reached =
    choice === 'local'
      ? takeLink(tables, { link, local, cloud, current, now })
      : goToOwner(tables, { ticket, link, local, cloud, session, now });
  ticket.choice = choice;
  ticket.resolvedSessionId = reached.sessionId;
  return reached;
}

interface Sides {
  link: LinkRecord;
  local: MemoryAccount;
  cloud: MemoryAccount;
  now: number;
}

function takeLink(
  tables: MemoryTables,
  { link, local, cloud, current, now }: Sides & { current: SessionRecord },
): SessionRecord {
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
  { ticket, link, local, cloud, session, now }: Sides & { ticket: TicketRecord; session: NewSession },
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
