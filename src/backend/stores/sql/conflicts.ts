import type { ConflictChoice, LinkMethod } from '../../../protocol/conflict.js';
import type { Environment } from '../../../protocol/environments.js';
import type {
  ChoiceRequest,
  ConflictOutcome,
  LinkRecord,
  MergeRecord,
  NewSession,
  NewSnapshot,
  Owner,
  PlacedRecord,
  SessionRecord,
  TicketRecord,
  TicketRequest,
} from '../records.js';
import { entryOf, holdEntries, putEntry as holdWrite, isRestingOn, overflows } from '../rules/held-entries.js';
import { lockAccounts, readAccount } from './accounts.js';
import { putEntry, readAllEntries } from './entries.js';
import { linkHash } from './link-hash.js';
import { moveLink, readLink, readLinks } from './links.js';
import { addSession, endSession, readSession, readSessions } from './sessions.js';
import { keepSnapshot } from './snapshots.js';
import {
  escaped,
  firstRow,
  integerOf,
  rows,
  type SqlRow,
  type Steps,
  textOf,
  textOrNull,
  unescaped,
} from './statement.js';

/** A conflict that is still open: the link is the one that the ticket was given for, and the session lives. */
interface OpenConflict {
  ticket: TicketRecord;
  local: Owner;
  cloud: Owner;
  link: LinkRecord;
  current: SessionRecord;
}

const columns = `ticket, game_id, environment, method, subject, linked_at, local_id, session_id, cloud_id, device,
  expires_at, choice, resolved_session_id`;

export function* openTicket(ticket: TicketRecord): Steps<void> {
  yield* rows(
    `INSERT INTO @tickets (${columns}, link_hash, revision)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 0) ON CONFLICT (ticket) DO NOTHING`,
    ticket.ticket,
    ticket.gameId,
    ticket.environment,
    ticket.method,
    escaped(ticket.subject),
    ticket.linkedAt,
    ticket.localId,
    ticket.sessionId,
    ticket.cloudId,
    ticket.device,
    ticket.expiresAt,
    ticket.choice,
    ticket.resolvedSessionId,
    linkHash(ticket),
  );
}

/** Ends the tickets over a link. */
export function* endTickets(link: LinkRecord): Steps<void> {
  yield* rows('DELETE FROM @tickets WHERE link_hash = $1', linkHash(link));
}

export function* readConflict(request: TicketRequest): Steps<{ local: PlacedRecord[]; cloud: PlacedRecord[] } | null> {
  const row = yield* firstRow(`SELECT ${columns} FROM @tickets WHERE ticket = $1`, request.ticket);
  const ticket = row === null ? null : heldTicket(ticketOf(row), request);
  if (ticket === null) return null;
  const { local, cloud } = sidesOf(ticket);
  for (const side of [local, cloud]) {
    const account = yield* readAccount(side);
    if (account?.deletedAt !== null) return null;
  }
  if ((yield* openOf(ticket)) === null) return null;
  return { local: yield* readAllEntries(local), cloud: yield* readAllEntries(cloud) };
}

/** `Store.resolveConflict`, in one transaction. All checks stand before the first change. */
export function* resolveConflict(request: ChoiceRequest): Steps<ConflictOutcome> {
  const { choice, merge, session, lost, now } = request;
  const ticket = yield* lockTicket(request);
  if (ticket === null) return { outcome: 'stale' };
  const { local, cloud } = sidesOf(ticket);
  const locked = yield* lockAccounts([local, cloud]);
  const isLiving = ({ accountId }: Owner): boolean => locked.get(accountId)?.deletedAt === null;
  if (!isLiving(local) || !isLiving(cloud)) return { outcome: 'stale' };
  if (ticket.choice !== null) return yield* sameOutcome(ticket, choice);
  const open = yield* openOf(ticket);
  if (open === null) return { outcome: 'stale' };
  if (choice === 'local' && (yield* readLinks(local)).some(({ method }) => method === ticket.method)) {
    return { outcome: 'method_already_linked' };
  }
  if (choice === 'merge') {
    const outcome = yield* mergeInto(open, { merge, lost: lost[1], now });
    if (outcome !== 'merged') return { outcome };
  }
  const [winner, loser] = choice === 'local' ? [local, cloud] : [cloud, local];
  const entries = yield* readAllEntries(loser);
  yield* keepSnapshot(winner, { reason: choice, entries, from: loser, lost: lost[0], now });
  const reached = choice === 'local' ? yield* takeLink(open, now) : yield* goToOwner(open, { session, now });
  const text = 'UPDATE @tickets SET choice = $2, resolved_session_id = $3 WHERE ticket = $1';
  yield* rows(text, ticket.ticket, choice, reached.sessionId);
  return { outcome: 'resolved', session: reached };
}

/** The ticket where it holds; until the transaction ends nobody else resolves by it. */
function* lockTicket(request: TicketRequest): Steps<TicketRecord | null> {
  const text = `UPDATE @tickets SET revision = revision + 1 WHERE ticket = $1 RETURNING ${columns}`;
  const row = yield* firstRow(text, request.ticket);
  return row === null ? null : heldTicket(ticketOf(row), request);
}

function heldTicket(ticket: TicketRecord, { scope, device, now }: TicketRequest): TicketRecord | null {
  const isOurs = ticket.gameId === scope.gameId && ticket.environment === scope.environment && ticket.device === device;
  return isOurs && ticket.expiresAt > now ? ticket : null;
}

function sidesOf({ gameId, environment, localId, cloudId }: TicketRecord): { local: Owner; cloud: Owner } {
  const scope = { gameId, environment };
  return { local: { ...scope, accountId: localId }, cloud: { ...scope, accountId: cloudId } };
}

function* openOf(ticket: TicketRecord): Steps<OpenConflict | null> {
  const { local, cloud } = sidesOf(ticket);
  const link = yield* readLink(ticket);
  const current = yield* readSession({ ...local, sessionId: ticket.sessionId });
  if (ticket.choice !== null || link === null || current === null) return null;
  const isTheOne = link.accountId === ticket.cloudId && link.linkedAt === ticket.linkedAt;
  return isTheOne ? { ticket, local, cloud, link, current } : null;
}

function* sameOutcome(ticket: TicketRecord, choice: ConflictChoice): Steps<ConflictOutcome> {
  const { local, cloud } = sidesOf(ticket);
  const sessionId = ticket.resolvedSessionId ?? '';
  const reached = yield* readSession({ ...(choice === 'local' ? local : cloud), sessionId });
  return ticket.choice === choice && reached !== null
    ? { outcome: 'resolved', session: reached }
    : { outcome: 'stale' };
}

/** The owner's own entries are kept first, whether they are written over or not: a merge is undone as a whole. */
function* mergeInto(
  { local, cloud }: OpenConflict,
  { merge, lost, now }: { merge: MergeRecord | null; lost: NewSnapshot; now: number },
): Steps<'merged' | 'stale' | 'full'> {
  if (merge === null) return 'stale';
  const { writes, restsOn, maxEntries } = merge;
  const entries = yield* readAllEntries(cloud);
  const held = holdEntries(entries);
  const isFirm =
    isRestingOn(held, restsOn.cloud) && isRestingOn(holdEntries(yield* readAllEntries(local)), restsOn.local);
  if (!isFirm) return 'stale';
  if (overflows(held, writes, maxEntries)) return 'full';
  yield* keepSnapshot(cloud, { reason: 'merge', entries, lost, now });
  for (const write of writes) {
    yield* putEntry(cloud, write, { current: entryOf(held, write) ?? null, now });
    holdWrite(held, write, now);
  }
  return 'merged';
}

function* takeLink({ link, local, cloud, current }: OpenConflict, now: number): Steps<SessionRecord> {
  const devices = (yield* readLinks(cloud)).filter(({ method }) => method === 'device').map(({ subject }) => subject);
  for (const session of yield* readSessions(cloud)) {
    const cameFrom = session.method === link.method && session.subject === link.subject;
    if (cameFrom && !devices.includes(session.device)) yield* endSession(session);
  }
  yield* moveLink(link, local, now);
  return current;
}

function* goToOwner(
  { ticket, link, local, cloud }: OpenConflict,
  { session, now }: { session: NewSession; now: number },
): Steps<SessionRecord> {
  yield* endSession({ ...local, sessionId: ticket.sessionId });
  const { gameId, environment, accountId, method, subject } = link;
  const device = yield* readLink({ gameId, environment, method: 'device', subject: ticket.device });
  if (device !== null && device.accountId === local.accountId) yield* moveLink(device, cloud, now);
  const opened = { gameId, environment, accountId, method, subject, device: ticket.device, revision: 0, ...session };
  yield* addSession(opened);
  return opened;
}

function ticketOf(row: SqlRow): TicketRecord {
  return {
    ticket: textOf(row, 'ticket'),
    gameId: textOf(row, 'game_id'),
    environment: integerOf(row, 'environment') as Environment,
    method: textOf(row, 'method') as LinkMethod,
    subject: unescaped(textOf(row, 'subject')),
    linkedAt: integerOf(row, 'linked_at'),
    localId: textOf(row, 'local_id'),
    sessionId: textOf(row, 'session_id'),
    cloudId: textOf(row, 'cloud_id'),
    device: textOf(row, 'device'),
    expiresAt: integerOf(row, 'expires_at'),
    choice: textOrNull(row, 'choice') as ConflictChoice | null,
    resolvedSessionId: textOrNull(row, 'resolved_session_id'),
  };
}
