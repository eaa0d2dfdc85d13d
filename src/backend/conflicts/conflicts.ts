import { base64url } from 'jose';
import type { ConflictField, ConflictSides } from '../../protocol/conflict.js';
import { accountDefaults } from '../../protocol/gaps/accounts.js';
import { accountBanned } from '../accounts/closed.js';
import { entriesText, lengthOf } from '../entries/entries.js';
import { newSnapshot } from '../entries/new-snapshot.js';
import { quotaExceeded } from '../quotas.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import { newSession } from '../sessions/sessions.js';
import { sha256 } from '../sha256.js';
import { type LinkRecord, ownerOf, type PlacedRecord, type Scope, type SessionRecord } from '../stores/records.js';
import { summarizeConflict } from './conflict-summary.js';
import { type ConflictRequest, mergeOf } from './merge-request.js';

const ticketBytes = 32;

/**
 * Opens a conflict over a link whose credential has been checked. The player gets a summary of both accounts and a
 * ticket, which is all that the choice needs; until then nothing else changes. Null where the link has changed since.
 *
 * @see docs/interface.md#states-and-transitions
 */
export async function openConflict(
  service: Service,
  {
    link,
    session,
    device,
    show,
    weigh,
  }: {
    link: LinkRecord;
    session: SessionRecord;
    device: string;
    show: readonly ConflictField[];
    /** Told how many bytes were read for it. */
    weigh: (bytes: number) => void;
  },
): Promise<ConflictSides | null> {
  const summary = await service.wholeReads({ line: session.accountId, weigh }, async (weighed) => {
    const reading = { store: service.store, slices: service.slices() };
    const made = await summarizeConflict(reading, { local: ownerOf(session), cloud: ownerOf(link) }, show);
    if (made === null) throw new Refusal('conflict_stale');
    const { read, ...summary } = made;
    weighed(read);
    return summary;
  });
  const ticket = base64url.encode(service.random(ticketBytes));
  const { gameId, environment, method, subject } = link;
  const openedAt = service.now();
  const expiresAt = openedAt + accountDefaults.ticketTtlMs;
  const outcome = await service.store.openTicket({
    gameId,
    environment,
    method,
    subject,
    linkRevision: link.revision,
    ticket: await ticketHash(ticket),
    localId: session.accountId,
    sessionId: session.sessionId,
    cloudId: link.accountId,
    device,
    expiresAt,
    choice: null,
    resolvedSessionId: null,
    openedAt,
  });
  if (outcome === 'no_session') throw new Refusal('unauthorized');
  if (outcome === 'link_changed') return null;
  return {
    ticket,
    method,
    expiresAt,
    ...summary,
    mergeable: isMergeAllowed(service, gameId),
  };
}

/** Whoever shows a ticket. `device` is the subject of the device. */
interface TicketHolder {
  scope: Scope;
  ticket: string;
  device: string;
}

/** The entries of both accounts in an open conflict, as JSON text, for a client that merges them. */
export async function readConflictSides(service: Service, { scope, ticket, device }: TicketHolder): Promise<string[]> {
  const use = { scope, ticket: await ticketHash(ticket), device, now: service.now() };
  const open = await service.store.findConflict(use);
  if (open === null) throw new Refusal('conflict_stale');
  return service.wholeReads({ line: open.local.accountId }, async (weigh) => {
    const sides = await service.store.readConflictSides(use);
    if (sides === null) throw new Refusal('conflict_stale');
    weigh(lengthOf(sides.local) + lengthOf(sides.cloud));
    const of = (side: readonly PlacedRecord[]): string[] => entriesText(side, 'player');
    return ['{"local":', ...of(sides.local), ',"cloud":', ...of(sides.cloud), ',"merged":', ...of(sides.merged), '}'];
  });
}

/**
 * Carries out the choice. The same ticket with the same choice gives the same outcome until the ticket expires.
 * A merge that was carried out brings nothing when it is asked for again. A choice reads whole accounts, and waits for its
 * turn as everything does that does so: else many at once would need the memory of all.
 */
export async function resolveConflict(
  service: Service,
  {
    scope,
    request,
    text,
    device,
  }: Omit<TicketHolder, 'ticket'> & {
    request: ConflictRequest;
    /** The body, from which a merge takes its values letter for letter. */
    text: string;
  },
): Promise<SessionRecord> {
  const { ticket, choice } = request;
  if (choice === 'merge' && !isMergeAllowed(service, scope.gameId)) throw new Refusal('merge_not_allowed');
  const use = { scope, ticket: await ticketHash(ticket), device, now: service.now() };
  const open = await service.store.findConflict(use);
  const merge = open === null ? null : mergeOf(service, text, request);
  const resolved = await service.wholeReads({ line: open?.local.accountId ?? use.ticket }, () =>
    service.store.resolveConflict({
      ...use,
      choice,
      merge: merge?.() ?? null,
      session: newSession(service),
      snapshots: [newSnapshot(service), newSnapshot(service)],
      quotas: service.quotas,
    }),
  );
  if (resolved.outcome === 'resolved') {
    service.happened({ kind: 'choice', choice });
    return resolved.session;
  }
  if (resolved.outcome === 'quota_exceeded') throw quotaExceeded(resolved);
  if (resolved.outcome === 'banned') throw accountBanned(resolved.ban);
  if (resolved.outcome === 'ended')
    throw new Refusal('unauthorized', { detail: 'The session of this choice has ended.' });
  throw new Refusal(resolved.outcome === 'stale' ? 'conflict_stale' : 'method_already_linked');
}

function isMergeAllowed({ games }: Service, gameId: string): boolean {
  return games.get(gameId)?.accountMerge ?? false;
}

async function ticketHash(ticket: string): Promise<string> {
  return base64url.encode(await sha256(ticket));
}
