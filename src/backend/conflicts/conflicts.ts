import { base64url } from 'jose';
import type { ConflictChoice, ConflictField, ConflictSides } from '../../protocol/conflict.js';
import { accountDefaults } from '../../protocol/gaps/accounts.js';
import { collectionFull, placedText } from '../entries/entries.js';
import { newSnapshot } from '../entries/new-snapshot.js';
import { sha256 } from '../game.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import { newSession, ownerOf } from '../sessions/sessions.js';
import type { LinkRecord, MergeRecord, Scope, SessionRecord } from '../stores/records.js';
import { compareSides, sideOf } from './conflict-summary.js';

const ticketBytes = 32;

/**
 * Opens a conflict over a link whose credential has been checked: both sides, and the ticket that alone authorises the
 * choice. Nothing else changes before it.
 *
 * @see Spec 3
 */
export async function openConflict(
  service: Service,
  { link, session, device, show }: { link: LinkRecord; session: SessionRecord; device: string; show: ConflictField[] },
): Promise<ConflictSides> {
  const [local, cloud] = await Promise.all([
    service.store.readProfile(ownerOf(session)),
    service.store.readProfile(ownerOf(link)),
  ]);
  if (local === null || cloud === null) throw new Refusal('conflict_stale');
  const ticket = base64url.encode(service.random(ticketBytes));
  const { gameId, environment, method, subject, linkedAt } = link;
  const expiresAt = service.now() + accountDefaults.ticketTtlMs;
  await service.store.openTicket({
    gameId,
    environment,
    method,
    subject,
    linkedAt,
    ticket: await ticketHash(ticket),
    localId: session.accountId,
    sessionId: session.sessionId,
    cloudId: link.accountId,
    device,
    expiresAt,
    choice: null,
    resolvedSessionId: null,
  });
  return {
    ticket,
    method,
    expiresAt,
    local: sideOf(local, show),
    cloud: sideOf(cloud, show),
    ...compareSides(local.entries, cloud.entries),
    mergeable: mayMerge(service, gameId),
  };
}

interface TicketUse {
  scope: Scope;
  ticket: string;
  device: string;
}

/** Both profiles of an open conflict as JSON text, for a client that merges them. */
export async function readConflictSides(service: Service, { scope, ticket, device }: TicketUse): Promise<string> {
  const now = service.now();
  const sides = await service.store.readConflict({ scope, ticket: await ticketHash(ticket), device, now });
  if (sides === null) throw new Refusal('conflict_stale');
  return `{"local":${placedText(sides.local)},"cloud":${placedText(sides.cloud)}}`;
}

/**
 * Carries out the choice. The same ticket with the same choice gives the same outcome until it ends. `merge` reads what a
 * merge brings; it is asked only where the ticket holds, so that megabytes are looked through for nobody else.
 */
export async function resolveConflict(
  service: Service,
  { scope, ticket, device, choice, merge }: TicketUse & { choice: ConflictChoice; merge: () => MergeRecord },
): Promise<SessionRecord> {
  if (choice === 'merge' && !mayMerge(service, scope.gameId)) throw new Refusal('merge_not_allowed');
  const use = { scope, ticket: await ticketHash(ticket), device, now: service.now() };
  const isOpenMerge = choice === 'merge' && (await service.store.readConflict(use)) !== null;
  const resolved = await service.store.resolveConflict({
    ...use,
    choice,
    merge: isOpenMerge ? merge() : null,
    session: newSession(service),
    lost: [newSnapshot(service), newSnapshot(service)],
  });
  if (resolved.outcome === 'resolved') return resolved.session;
  if (resolved.outcome === 'full') throw collectionFull(service);
  throw new Refusal(resolved.outcome === 'stale' ? 'conflict_stale' : 'method_already_linked');
}

function mayMerge({ games }: Service, gameId: string): boolean {
  return games.get(gameId)?.accountMerge ?? false;
}

async function ticketHash(ticket: string): Promise<string> {
  return base64url.encode(await sha256(ticket));
}
