import { base64url } from 'jose';
import type {
  ConflictChoice,
  ConflictField,
  ConflictSide,
  ConflictSides,
  ShownField,
} from '../../protocol/conflict.js';
import { accounts as gaps } from '../../protocol/gaps.js';
import { isPlainObject } from '../../protocol/value-text.js';
import type { AccountSummary, LinkRecord, Scope, SessionRecord } from '../stores/store.js';
import { sha256 } from './game.js';
import { Refusal } from './refusal.js';
import type { Service } from './service.js';
import { newSession, ownerOf } from './sessions.js';

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
  const wanted = show.map(({ collection, key }) => ({ collection, key }));
  const [local, cloud] = await Promise.all([
    service.store.summarize({ owner: ownerOf(session), wanted }),
    service.store.summarize({ owner: ownerOf(link), wanted }),
  ]);
  if (local === null || cloud === null) throw new Refusal('conflict_stale');
  const ticket = base64url.encode(service.random(ticketBytes));
  const { gameId, environment, method, subject, linkedAt } = link;
  const expiresAt = service.now() + gaps.ticketTtlMs;
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
  return { ticket, method, expiresAt, local: sideOf(local, show), cloud: sideOf(cloud, show) };
}

/** Carries out the choice. The same ticket with the same choice gives the same outcome until it ends. */
export async function resolveConflict(
  service: Service,
  { scope, ticket, device, choice }: { scope: Scope; ticket: string; device: string; choice: ConflictChoice },
): Promise<SessionRecord> {
  const resolved = await service.store.resolveConflict({
    scope,
    ticket: await ticketHash(ticket),
    device,
    choice,
    session: newSession(service),
    now: service.now(),
  });
  if (resolved.outcome === 'resolved') return resolved.session;
  throw new Refusal(resolved.outcome === 'stale' ? 'conflict_stale' : 'method_already_linked');
}

async function ticketHash(ticket: string): Promise<string> {
  return base64url.encode(await sha256(ticket));
}

function sideOf(summary: AccountSummary, show: readonly ConflictField[]): ConflictSide {
  const values = new Map(summary.wanted.map((entry) => [JSON.stringify([entry.collection, entry.key]), entry.text]));
  return {
    userId: summary.account.accountId,
    methods: [...new Set(summary.links.map((link) => link.method))],
    createdAt: summary.account.createdAt,
    changedAt: summary.changedAt,
    entries: summary.entries,
    bytes: summary.bytes,
    fields: show.map((field) => showField(field, values.get(JSON.stringify([field.collection, field.key])))),
  };
}

/** Scalars only, and long text cut: it is for a dialog, not a way to read entries. */
function showField(field: ConflictField, text: string | undefined): ShownField {
  if (text === undefined) return field;
  let value: unknown = JSON.parse(text);
  for (const name of field.field.split('.')) {
    value = isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  if (typeof value === 'string') return { ...field, value: cut(value) };
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return { ...field, value };
  return field;
}

function cut(text: string): string {
  if (text.length <= gaps.maxConflictFieldText) return text;
  // A surrogate pair is not cut in two.
  return text.slice(0, gaps.maxConflictFieldText).replace(/[\uD800-\uDBFF]$/, '');
}
