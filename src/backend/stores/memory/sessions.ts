import type { LinkKey, Owner, SessionKey, SessionRecord } from '../records.js';
import type { DeviceRequest } from '../requests.js';
import { banOf } from '../rules/bans.js';
import { startOfDay } from '../rules/last-use.js';
import { sessionsInTheWay } from '../rules/longest-unused.js';
import { countsAsRecent } from '../rules/recent-methods.js';
import { comesFrom, formerLinksAfter } from '../rules/session-links.js';
import { addressedSince, linksSince, successorOf } from '../rules/sign-out-others.js';
import type {
  LoginQuotas,
  MarkUsedRequest,
  OpenSessionRequest,
  ReauthenticateOutcome,
  ReauthenticateRequest,
  SignOutOthersOutcome,
  SignOutOthersRequest,
} from '../session-requests.js';
import { count } from './counts.js';
import { linkKey, type MemoryAccount, type MemoryTables } from './tables.js';

/** `Store.openSession`. */
export function openSession(tables: MemoryTables, { session, linkRevision, quotas }: OpenSessionRequest): boolean {
  const account = tables.activeAccount(session);
  if (account === undefined || !tables.isUnchanged({ ...session, revision: linkRevision })) return false;
  if (banOf(account.record, session.openedAt) !== null) return false;
  addSession(account, session, quotas);
  markUsed(tables, { session, now: session.openedAt });
  count(tables, session, session.openedAt, [`sign_in_${session.method}`]);
  return true;
}

/** Keeps a session in the place of those that are in its way. */
export function addSession(account: MemoryAccount, session: SessionRecord, quotas: LoginQuotas): void {
  for (const { sessionId } of sessionsInTheWay([...account.sessions.values()], quotas.sessions)) {
    account.sessions.delete(sessionId);
  }
  account.sessions.set(session.sessionId, copySession(session));
}

/** `Store.signOutOthers`. */
export function signOutOthers(
  tables: MemoryTables,
  { session: key, next, unlinkSince }: SignOutOthersRequest,
): SignOutOthersOutcome {
  const account = tables.activeAccount(key);
  const asking = account?.sessions.get(key.sessionId);
  if (account === undefined || asking === undefined) return { outcome: 'no_session' };
  const links = [...account.links.values()];
  const leaving = linksSince(links, unlinkSince, asking);
  if (leaving.length === links.length) return { outcome: 'would_orphan' };
  for (const link of leaving) tables.removeLink(link);
  for (const link of addressedSince(account.links.values(), unlinkSince)) {
    Object.assign(link, { mailAddress: null, mailAddressAt: null });
  }
  for (const link of account.links.values()) tables.renewLink(link);
  const session = successorOf(asking, next);
  tables.endAllSessions(account);
  account.sessions.set(session.sessionId, copySession(session));
  return { outcome: 'signed_out', session: copySession(session) };
}

/** `Store.reauthenticate`. */
export function reauthenticate(
  tables: MemoryTables,
  { session: key, link, now }: ReauthenticateRequest,
): ReauthenticateOutcome {
  const account = tables.activeAccount(key);
  const session = account?.sessions.get(key.sessionId);
  if (account === undefined || session === undefined) return { outcome: 'no_session' };
  if (link.accountId !== key.accountId || !tables.isUnchanged(link)) return { outcome: 'link_changed' };
  const { method, subject } = link;
  const formerLinks = formerLinksAfter(session, link);
  if (!countsAsRecent([...account.links.values()], method, now)) {
    return { outcome: 'does_not_count', session: copySession(session) };
  }
  Object.assign(session, { method, subject, formerLinks, authenticatedAt: now, revision: session.revision + 1 });
  markUsed(tables, { session, now });
  return { outcome: 'authenticated', session: copySession(session) };
}

/** `Store.markUsed`. */
export function markUsed(tables: MemoryTables, { session, now }: MarkUsedRequest): void {
  const account = tables.account(session);
  if (account !== undefined && account.record.lastSeenAt < startOfDay(now)) {
    account.record.lastSeenAt = now;
    count(tables, session, now, ['active']);
  }
  const links = account?.links;
  for (const key of [session, { ...session, method: 'device' as const, subject: session.device }]) {
    const link = links?.get(linkKey(key));
    if (link !== undefined && link.lastUsedAt < startOfDay(now)) link.lastUsedAt = now;
  }
}

/** `Store.findSession`. */
export function findSession(tables: MemoryTables, key: SessionKey): SessionRecord | null {
  const session = tables.session(key);
  return session === undefined ? null : copySession(session);
}

/** `Store.knowsDevice`. */
export function knowsDevice(tables: MemoryTables, { owner, device }: DeviceRequest): boolean {
  const account = tables.account(owner);
  if (account === undefined) return false;
  if (account.links.has(linkKey({ ...owner, method: 'device', subject: device }))) return true;
  for (const session of account.sessions.values()) if (session.device === device) return true;
  return false;
}

/** `Store.updateSession`. */
export function updateSession(tables: MemoryTables, session: SessionRecord): boolean {
  const stored = tables.session(session);
  if (stored === undefined || stored.revision !== session.revision) return false;
  Object.assign(stored, copySession(session), { revision: session.revision + 1 });
  return true;
}

/** `Store.endSession`. */
export function endSession(tables: MemoryTables, key: SessionKey): void {
  tables.account(key)?.sessions.delete(key.sessionId);
}

/** `Store.listSessions`. */
export function listSessions(tables: MemoryTables, owner: Owner): SessionRecord[] {
  return [...(tables.account(owner)?.sessions.values() ?? [])].map(copySession);
}

/** `Store.endSessions`. */
export function endSessions(tables: MemoryTables, owner: Owner): number | null {
  const account = tables.account(owner);
  if (account === undefined) return null;
  const ended = account.sessions.size;
  tables.endAllSessions(account);
  for (const link of account.links.values()) tables.renewLink(link);
  return ended;
}

/** Ends the sessions that come from a link, or came from it before, except the one to keep. */
export function endSessionsFrom(account: MemoryAccount, link: LinkKey, keep: string | null): void {
  for (const session of account.sessions.values()) {
    if (comesFrom(session, link) && session.sessionId !== keep) account.sessions.delete(session.sessionId);
  }
}

/** Ends the sessions that are on a device, except the one to keep. */
export function endSessionsOn(account: MemoryAccount, device: string, keep: string | null): void {
  for (const session of account.sessions.values()) {
    if (session.device === device && session.sessionId !== keep) account.sessions.delete(session.sessionId);
  }
}

/** Sessions are copied on their way in and out, so that no caller holds a part of the store. */
export function copySession(session: SessionRecord): SessionRecord {
  return { ...session, refreshTokens: session.refreshTokens.map((token) => ({ ...token })) };
}
