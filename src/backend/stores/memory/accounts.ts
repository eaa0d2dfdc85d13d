import type { UndeleteRequest } from '../operator-requests.js';
import type { AccountDetails, AccountRecord, LinkRecord, Owner, ProfileRecord } from '../records.js';
import type {
  CancelDeletionRequest,
  DeleteAccountRequest,
  EnsureAccountRequest,
  EnsureCustomAccountRequest,
  EnsuredAccount,
  RestoreAccountRequest,
} from '../requests.js';
import { banOf } from '../rules/bans.js';
import { isGuest } from '../rules/guests.js';
import { listEntries } from '../rules/held-entries.js';
import { count } from './counts.js';
import { addEvent } from './events.js';
import { copyLink, makeRoomForDevice, moveLink } from './links.js';
import { copySession, endSessionsFrom } from './sessions.js';
import { linkKey, type MemoryAccount, type MemoryTables } from './tables.js';

/** `Store.ensureAccount`. */
export function ensureAccount(tables: MemoryTables, request: EnsureAccountRequest): EnsuredAccount {
  const { link, accountId, session, now } = request;
  const existing = tables.links.get(linkKey(link));
  if (existing !== undefined) return { created: false, link: copyLink(existing) };
  const { gameId, environment } = link;
  const account = tables.addAccount({ gameId, environment, accountId }, now);
  if (session !== undefined) account.sessions.set(session.sessionId, copySession(session));
  count(tables, link, now, session === undefined ? ['new'] : ['active', 'new', `sign_in_${session.method}`]);
  return { created: true, link: copyLink(tables.addLink(account, link, now)) };
}

/** `Store.ensureCustomAccount`. */
export function ensureCustomAccount(
  tables: MemoryTables,
  { custom, device, accountId, now, quotas, notice }: EnsureCustomAccountRequest,
): LinkRecord {
  const known = tables.links.get(linkKey(custom));
  const onDevice = tables.accountOfLink(device);
  const isBanned = (one: MemoryAccount): boolean => banOf(one.record, now) !== null;
  const mayTake = onDevice !== undefined && isGuest(onDevice.links.values()) && !isBanned(onDevice);
  const guest = mayTake ? onDevice : undefined;
  const found = tables.accountOfLink(custom) ?? guest;
  const account = found ?? tables.addAccount({ ...custom, accountId }, now);
  if (found === undefined) count(tables, custom, now, ['active', 'new']);
  const link = known ?? tables.addLink(account, custom, now);
  if (known === undefined && account === guest) {
    addEvent(tables, account.record, 'linked', { notice, details: { method: custom.method } });
  }
  if (onDevice === undefined && account.record.deletedAt === null && !isBanned(account)) {
    makeRoomForDevice(tables, account, { quotas, asking: null });
    tables.addLink(account, device, now);
  }
  return copyLink(link);
}

/** `Store.restoreAccount`. */
export function restoreAccount(tables: MemoryTables, request: RestoreAccountRequest): boolean {
  const { owner, link, now, quotas, notice } = request;
  const account = tables.account(owner);
  if (account === undefined) return false;
  const wasLost = isLost(account.record);
  const existing = tables.links.get(linkKey(link));
  const isNew = existing?.accountId !== owner.accountId;
  if (link.method === 'device' && isNew) {
    makeRoomForDevice(tables, account, { quotas, asking: null });
  }
  if (existing === undefined) tables.addLink(account, link, now);
  else if (isNew) {
    const former = tables.account(existing);
    if (former !== undefined) endSessionsFrom(former, existing, null);
    moveLink(tables, existing, { to: account, now, notice });
  }
  Object.assign(account.record, { deletedAt: null, deletedBy: null });
  if (wasLost) addEvent(tables, owner, 'restored', { notice });
  else if (isNew) addEvent(tables, owner, 'linked', { notice, details: { method: link.method } });
  return true;
}

/** Whether an account can be restored: by then it is removed for good otherwise. */
function isLost({ deletedAt, orphanedAt }: AccountRecord): boolean {
  return deletedAt !== null || orphanedAt !== null;
}

/** `Store.readAccount`. */
export function readAccount(tables: MemoryTables, owner: Owner): AccountDetails | null {
  const account = tables.account(owner);
  return account === undefined ? null : detailsOf(account);
}

/** `Store.readProfile`. */
export function readProfile(tables: MemoryTables, owner: Owner): ProfileRecord | null {
  const account = tables.account(owner);
  return account === undefined ? null : { ...detailsOf(account), entries: listEntries(account) };
}

/** `Store.deleteAccount`. */
export function deleteAccount(tables: MemoryTables, request: DeleteAccountRequest): number | null {
  const { session, recovery, now, notice } = request;
  const account = tables.account(session);
  if (account === undefined) return null;
  const { record } = account;
  if (!mayDelete(account, session)) return null;
  tables.endAllSessions(account);
  tables.addLink(account, recovery, now);
  for (const link of account.links.values()) {
    const isFormer = link.method === 'recovery' && link.subject !== recovery.subject;
    if (link.method === 'device' || isFormer) tables.removeLink(link);
    else tables.renewLink(link);
  }
  if (record.deletedAt === null) addEvent(tables, record, 'deleted', { notice });
  record.deletedAt ??= now;
  record.deletedBy = session.sessionId;
  return record.deletedAt;
}

/** A player whose session lives, or who began it; an operator where nobody has begun it. */
function mayDelete({ record, sessions }: MemoryAccount, { sessionId }: DeleteAccountRequest['session']): boolean {
  if (sessionId === null) return record.deletedAt === null;
  return record.deletedAt === null ? sessions.has(sessionId) : record.deletedBy === sessionId;
}

/** Takes a deletion back at an operator's word. */
export function undelete(
  tables: MemoryTables,
  { owner, notice }: UndeleteRequest,
): 'restored' | 'not_deleted' | 'no_account' {
  const account = tables.account(owner);
  if (account === undefined) return 'no_account';
  if (account.record.deletedAt === null) return 'not_deleted';
  Object.assign(account.record, { deletedAt: null, deletedBy: null });
  addEvent(tables, owner, 'restored', { notice });
  return 'restored';
}

/** `Store.cancelDeletion`. */
export function cancelDeletion(
  tables: MemoryTables,
  { link, device, now, notice }: CancelDeletionRequest,
): 'restored' | 'not_deleted' | 'link_changed' {
  const account = tables.account(link);
  if (account === undefined || !tables.isUnchanged(link)) return 'link_changed';
  if (account.record.deletedAt === null) return 'not_deleted';
  Object.assign(account.record, { deletedAt: null, deletedBy: null });
  if (!tables.links.has(linkKey(device))) tables.addLink(account, device, now);
  addEvent(tables, account.record, 'restored', { notice });
  return 'restored';
}

export function detailsOf(account: MemoryAccount): AccountDetails {
  return { account: { ...account.record }, links: [...account.links.values()].map((link) => ({ ...link })) };
}
