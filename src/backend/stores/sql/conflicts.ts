import type { ConflictChoice, LinkMethod } from '../../../protocol/conflict.js';
import type { Environment } from '../../../protocol/environments.js';
import { accountDefaults } from '../../../protocol/gaps/accounts.js';
import type { QuotaRefusal } from '../entry-requests.js';
import {
  checkedLinkOf,
  type LinkRecord,
  type NewSnapshot,
  type Owner,
  type PlacedRecord,
  type SessionRecord,
  type SnapshotRecord,
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
import { exceededBy, growthBy, hasExactly, holdEntries } from '../rules/held-entries.js';
import { commonPast, isPastUnknown, type Side, snapshotsNamed } from '../rules/origins.js';
import { findAccountRecord, type LockedAccount, lockAccounts } from './accounts.js';
import { keepChoice } from './choices.js';
import { count } from './counts.js';
import { noteOriginOfAll, putEntries } from './entries.js';
import { addEvent, addReturn } from './events.js';
import { linkHash } from './link-hash.js';
import { findLink, isUnchanged, listLinks, makeRoomForDevice, markUsed, moveLink } from './links.js';
import { type EntriesOf, readInTurns, writeInTurns } from './read-in-turns.js';
import { addSession, countSessions, endSession, findSession, listSessions, makeRoomForSession } from './sessions.js';
import { hasSnapshot, keepSnapshot, lastSnapshot, readSnapshot } from './snapshots.js';
import {
  escaped,
  firstRow,
  integerOf,
  rows,
  type SqlRow,
  type SqlRunner,
  type Steps,
  textOf,
  textOrNull,
  unescaped,
} from './statement.js';

/** A conflict that no choice has ended: the link is still the one of the ticket, and the ticket's session lives. */
interface OpenConflict {
  ticket: TicketRecord;
  local: Owner;
  cloud: Owner;
  link: LinkRecord;
  /** The player's session on the local account. */
  localSession: SessionRecord;
}

const columns = `ticket, game_id, environment, method, subject, link_revision, local_id, session_id, cloud_id, device,
  expires_at, choice, resolved_session_id`;

/** Locks no account: where the link changes at the same moment, the ticket still says what it was opened by. */
export function* openTicket({
  openedAt,
  ...ticket
}: OpenTicketRequest): Steps<'opened' | 'link_changed' | 'no_session'> {
  if (!(yield* isUnchanged(checkedLinkOf(ticket)))) return 'link_changed';
  const { local } = sidesOf(ticket);
  if ((yield* findSession({ ...local, sessionId: ticket.sessionId })) === null) return 'no_session';
  // Nothing reads `linked_at` any more.
  yield* rows(
    `INSERT INTO @tickets (${columns}, link_hash, linked_at, revision)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 0, 0) ON CONFLICT (ticket) DO NOTHING`,
    ticket.ticket,
    ticket.gameId,
    ticket.environment,
    ticket.method,
    escaped(ticket.subject),
    ticket.linkRevision,
    ticket.localId,
    ticket.sessionId,
    ticket.cloudId,
    ticket.device,
    ticket.expiresAt,
    ticket.choice,
    ticket.resolvedSessionId,
    linkHash(ticket),
  );
  yield* removeOldTickets(ticket);
  if (openedAt !== undefined) yield* count(local, openedAt, ['conflict']);
  return 'opened';
}

/** Leaves the ticket and the latest others of its local account. Of those that are opened at once none sees the others. */
function* removeOldTickets({ ticket, localId, environment, gameId }: TicketRecord): Steps<void> {
  const others = '@tickets WHERE local_id = $1 AND environment = $2 AND game_id = $3 AND ticket <> $4';
  yield* rows(
    `DELETE FROM ${others} AND (expires_at, ticket) <= (
        SELECT expires_at, ticket FROM ${others} ORDER BY expires_at DESC, ticket DESC LIMIT 1 OFFSET $5)`,
    localId,
    environment,
    gameId,
    ticket,
    accountDefaults.ticketsPerAccount - 1,
  );
}

/** What came from one of the accounts into the other last, entry by entry. */
function* pastOf([local, cloud]: readonly [Owner & Side, Owner & Side], now: number): Steps<PlacedRecord[]> {
  const sources = new Map<string, SnapshotRecord>();
  for (const [owner, other] of [
    [local, cloud],
    [cloud, local],
  ] as const) {
    for (const snapshotId of snapshotsNamed(owner, other.accountId)) {
      const found = yield* readSnapshot({ ...owner, snapshotId }, now);
      if (found !== null) sources.set(snapshotId, found);
    }
  }
  const earlier = isPastUnknown([local, cloud]) ? yield* lastMerged(local, cloud, now) : [];
  return commonPast([local, cloud], sources, earlier);
}

/** What an earlier version has merged when one of the accounts was last merged into the other. */
function* lastMerged(local: Owner, cloud: Owner, now: number): Steps<PlacedRecord[]> {
  const there = yield* lastSnapshot(cloud, { reason: 'merge', from: local, now });
  const back = yield* lastSnapshot(local, { reason: 'merge', from: cloud, now });
  const last = (back?.createdAt ?? -1) > (there?.createdAt ?? -1) ? back : there;
  return last?.entries ?? [];
}

/** `Store.readConflictSides`. */
export function readConflictSides(runner: SqlRunner, request: TicketRequest): Promise<ConflictEntries | null> {
  return readInTurns(runner, {
    owners: () => sidesAhead(runner, request),
    *read(entriesOf): Steps<ConflictEntries | null> {
      const sides = yield* findConflict(request);
      if (sides === null) return null;
      const local = { ...sides.local, entries: yield* entriesOf(sides.local) };
      const cloud = { ...sides.cloud, entries: yield* entriesOf(sides.cloud) };
      return { local: local.entries, cloud: cloud.entries, merged: yield* pastOf([local, cloud], request.now) };
    },
  });
}

/** `Store.findConflict`. */
export function* findConflict(request: TicketRequest): Steps<ConflictAccounts | null> {
  const row = yield* firstRow(`SELECT ${columns} FROM @tickets WHERE ticket = $1`, request.ticket);
  const ticket = row === null ? null : ticketIfValid(ticketFromRow(row), request);
  if (ticket === null) return null;
  const { local, cloud } = sidesOf(ticket);
  for (const side of [local, cloud]) {
    const account = yield* findAccountRecord(side);
    if (account?.deletedAt !== null || banOf(account, request.now) !== null) return null;
  }
  return (yield* asOpen(ticket)) === null ? null : { local, cloud };
}

/** The sides of a conflict that is open, of which somebody reads all entries. */
async function sidesAhead(runner: SqlRunner, request: TicketRequest): Promise<readonly Owner[]> {
  const sides = await runner.read(() => findConflict(request));
  return sides === null ? [] : [sides.local, sides.cloud];
}

/** `Store.resolveConflict`. */
export function resolveConflictInTurns(runner: SqlRunner, request: ChoiceRequest): Promise<ConflictOutcome> {
  return writeInTurns(runner, {
    owners: () => sidesAhead(runner, request),
    write: (entriesOf) => resolveConflict(request, entriesOf),
  });
}

/** All checks stand before the first change. */
function* resolveConflict(request: ChoiceRequest, entriesOf: EntriesOf): Steps<ConflictOutcome> {
  const { choice, merge, snapshots, now } = request;
  const ticket = yield* lockTicket(request);
  if (ticket === null) return { outcome: 'stale' };
  const { local, cloud } = sidesOf(ticket);
  const locked = yield* lockAccounts([local, cloud]);
  const [localAccount, cloudAccount] = [locked.get(local.accountId), locked.get(cloud.accountId)];
  if (ticket.choice !== null) {
    return yield* repeatOutcome(ticket, { choice, now, account: choice === 'local' ? localAccount : cloudAccount });
  }
  if (localAccount?.deletedAt !== null || cloudAccount?.deletedAt !== null) return { outcome: 'stale' };
  const ban = banOf(localAccount, now) ?? banOf(cloudAccount, now);
  if (ban !== null) return { outcome: 'banned', ban };
  const open = yield* asOpen(ticket);
  if (open === null) return { outcome: 'stale' };
  if (choice === 'local' && (yield* listLinks(local)).some(({ method }) => method === ticket.method)) {
    return { outcome: 'method_already_linked' };
  }
  if (choice === 'merge') {
    const refused = yield* mergeIntoCloud(open, { merge, entriesOf, snapshot: snapshots[1], now });
    if (refused !== null) return refused;
  }
  const [chosen, other] = choice === 'local' ? [local, cloud] : [cloud, local];
  const entries = yield* entriesOf(other);
  const [kept, beside] = snapshots;
  yield* keepSnapshot(chosen, { reason: choice, entries, from: other, snapshot: kept, beside, now });
  if (choice === 'merge' && entries.length > 0) {
    yield* noteOriginOfAll(chosen, { fromId: other.accountId, snapshotId: kept.snapshotId });
  }
  const device = choice === 'local' ? null : yield* deviceOfLocal(open);
  const moved = choice === 'local' ? [open.link] : device === null ? [] : [device];
  const resolved =
    choice === 'local'
      ? yield* moveLinkToLocal(open, localAccount, request)
      : yield* switchToCloud(open, cloudAccount, request);
  const hasOwn = choice === 'merge' && (yield* hasSnapshot({ ...chosen, snapshotId: beside.snapshotId }));
  const own = hasOwn ? beside.snapshotId : null;
  yield* keepChoice(choiceRecord(chosen, { choice, from: other, moved, kept, own, now }));
  const text = 'UPDATE @tickets SET choice = $2, resolved_session_id = $3 WHERE ticket = $1';
  yield* rows(text, ticket.ticket, choice, resolved.sessionId);
  // With `local` the player's session goes on; each other choice begins one, which came from the conflict's link.
  const began = choice === 'local' ? [] : [`sign_in_${resolved.method}` as const];
  yield* count(chosen, now, [`choice_${choice}`, ...began]);
  return { outcome: 'resolved', session: resolved };
}

/**
 * The ticket, if it is valid for the request. Until the transaction ends, nobody else can resolve the conflict by it.
 */
function* lockTicket(request: TicketRequest): Steps<TicketRecord | null> {
  const text = `UPDATE @tickets SET revision = revision + 1 WHERE ticket = $1 RETURNING ${columns}`;
  const row = yield* firstRow(text, request.ticket);
  return row === null ? null : ticketIfValid(ticketFromRow(row), request);
}

function ticketIfValid(ticket: TicketRecord, { scope, device, now }: TicketRequest): TicketRecord | null {
  const isOurs = ticket.gameId === scope.gameId && ticket.environment === scope.environment && ticket.device === device;
  return isOurs && ticket.expiresAt > now ? ticket : null;
}

function sidesOf({ gameId, environment, localId, cloudId }: TicketRecord): ConflictAccounts {
  const scope = { gameId, environment };
  return { local: { ...scope, accountId: localId }, cloud: { ...scope, accountId: cloudId } };
}

function* asOpen(ticket: TicketRecord): Steps<OpenConflict | null> {
  const { local, cloud } = sidesOf(ticket);
  const link = yield* findLink(ticket);
  const localSession = yield* findSession({ ...local, sessionId: ticket.sessionId });
  if (ticket.choice !== null || link === null || localSession === null) return null;
  const isSameLink = link.accountId === ticket.cloudId && link.revision === ticket.linkRevision;
  return isSameLink ? { ticket, local, cloud, link, localSession } : null;
}

/** What became of the choice, for whoever asks again: the other account may have been deleted or banned since. */
function* repeatOutcome(
  ticket: TicketRecord,
  { choice, account, now }: { choice: ConflictChoice; account: LockedAccount | undefined; now: number },
): Steps<ConflictOutcome> {
  if (ticket.choice !== choice || account?.deletedAt !== null) return { outcome: 'stale' };
  const ban = banOf(account, now);
  if (ban !== null) return { outcome: 'banned', ban };
  const { local, cloud } = sidesOf(ticket);
  const sessionId = ticket.resolvedSessionId ?? '';
  const former = yield* findSession({ ...(choice === 'local' ? local : cloud), sessionId });
  return former === null ? { outcome: 'ended' } : { outcome: 'resolved', session: former };
}

/**
 * Keeps all entries of the cloud account first, those too that the merge leaves alone: a merge is undone as a whole.
 */
function* mergeIntoCloud(
  { local, cloud }: OpenConflict,
  {
    merge,
    entriesOf,
    snapshot,
    now,
  }: { merge: MergeRequest | null; entriesOf: EntriesOf; snapshot: NewSnapshot; now: number },
): Steps<{ outcome: 'stale' } | QuotaRefusal | null> {
  if (merge === null) return { outcome: 'stale' };
  const { writes, restsOn, quotas } = merge;
  const entries = yield* entriesOf(cloud);
  const held = holdEntries(entries);
  const isUnchanged = hasExactly(entries, restsOn.cloud) && hasExactly(yield* entriesOf(local), restsOn.local);
  if (!isUnchanged) return { outcome: 'stale' };
  const refused = exceededBy(held, growthBy(held, writes), quotas);
  if (refused !== null) return refused;
  yield* keepSnapshot(cloud, { reason: 'merge', entries, snapshot, now });
  yield* putEntries(cloud, held, { writes, now, quotas });
  return null;
}

/**
 * The choice `local`: the former owner's sessions from this link end, but for those on the former owner's own devices.
 */
function* moveLinkToLocal(
  { link, cloud, localSession }: OpenConflict,
  local: LockedAccount,
  { now, notice }: Pick<ChoiceRequest, 'now' | 'notice'>,
): Steps<SessionRecord> {
  const places = { leaving: [link], staying: yield* listLinks(cloud) };
  for (const session of sessionsThatLeave(yield* listSessions(cloud), places)) yield* endSession(session);
  yield* moveLink(link, { to: local, now, notice });
  const details = { method: link.method, otherUserId: cloud.accountId };
  yield* addReturn(local, { notice });
  yield* addEvent(local, 'linked', { notice, details });
  return localSession;
}

/** The link of the device that has the ticket, where it leads to the local account. */
function* deviceOfLocal({ ticket, local }: Pick<OpenConflict, 'ticket' | 'local'>): Steps<LinkRecord | null> {
  const { gameId, environment, device: subject } = ticket;
  const device = yield* findLink({ gameId, environment, method: 'device', subject });
  return device?.accountId === local.accountId ? device : null;
}

/**
 * The choices `cloud` and `merge`: the player gets a session of the link's owner, and the device leads there as well.
 */
function* switchToCloud(
  { ticket, link, local }: OpenConflict,
  cloud: LockedAccount,
  { choice, session, quotas, now, notice }: Omit<ChoiceRequest, 'merge'>,
): Steps<SessionRecord> {
  yield* endSession({ ...local, sessionId: ticket.sessionId });
  if (choice === 'merge') {
    yield* addEvent(cloud, 'merged', { notice, details: { otherUserId: local.accountId } });
  }
  const { gameId, environment, accountId, method, subject } = link;
  const device = yield* deviceOfLocal({ ticket, local });
  if (device !== null) {
    yield* makeRoomForDevice(cloud, { quotas, asking: null });
    yield* moveLink(device, { to: cloud, now, notice });
  }
  const opened = { gameId, environment, accountId, method, subject, device: ticket.device, revision: 0, ...session };
  const counted = yield* countSessions(cloud);
  yield* makeRoomForSession(cloud, counted, quotas);
  yield* addSession(opened, counted.newest);
  yield* markUsed({ session: opened, now });
  return opened;
}

function ticketFromRow(row: SqlRow): TicketRecord {
  return {
    ticket: textOf(row, 'ticket'),
    gameId: textOf(row, 'game_id'),
    environment: integerOf(row, 'environment') as Environment,
    method: textOf(row, 'method') as LinkMethod,
    subject: unescaped(textOf(row, 'subject')),
    linkRevision: integerOf(row, 'link_revision'),
    localId: textOf(row, 'local_id'),
    sessionId: textOf(row, 'session_id'),
    cloudId: textOf(row, 'cloud_id'),
    device: textOf(row, 'device'),
    expiresAt: integerOf(row, 'expires_at'),
    choice: textOrNull(row, 'choice') as ConflictChoice | null,
    resolvedSessionId: textOrNull(row, 'resolved_session_id'),
  };
}
