import type { AccountDetails, LinkRecord, Owner, ProfileRecord } from '../records.js';
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
import { copyLink, makeRoomForDevice } from './links.js';
import { copySession, endSessionsFrom } from './sessions.js';
import { linkKey, type MemoryAccount, type MemoryTables } from './tables.js';

/** `Store.ensureAccount`. */
export function ensureAccount(tables: MemoryTables, request: EnsureAccountRequest): EnsuredAccount {
  const { link, accountId, session, now } = request;
  const existing = tables.links.get(linkKey(link));
  if (existing !== undefined) return { created: false, link: copyLink(existing) };
  const account = tables.addAccount({ ...link, accountId }, now);
  if (session !== undefined) account.sessions.set(session.sessionId, copySession(session));
  return { created: true, link: copyLink(tables.addLink(account, link, now)) };
}

/** `Store.ensureCustomAccount`. */
export function ensureCustomAccount(
  tables: MemoryTables,
  { custom, device, accountId, now, quotas }: EnsureCustomAccountRequest,
): LinkRecord {
  const known = tables.links.get(linkKey(custom));
  const onDevice = tables.accountOfLink(device);
  const isBanned = (one: MemoryAccount): boolean => banOf(one.record, now) !== null;
  const mayTake = onDevice !== undefined && isGuest(onDevice.links.values()) && !isBanned(onDevice);
  const guest = mayTake ? onDevice : undefined;
  const account = tables.accountOfLink(custom) ?? guest ?? tables.addAccount({ ...custom, accountId }, now);
  const link = known ?? tables.addLink(account, custom, now);
  if (onDevice === undefined && account.record.deletedAt === null && !isBanned(account)) {
    makeRoomForDevice(tables, account, { quotas, asking: null });
    tables.addLink(account, device, now);
  }
  return copyLink(link);
}

/** `Store.restoreAccount`. */
export function restoreAccount(tables: MemoryTables, { owner, link, now, quotas }: RestoreAccountRequest): boolean {
  const account = tables.account(owner);
  if (account === undefined) return false;
  const existing = tables.links.get(linkKey(link));
  if (link.method === 'device' && existing?.accountId !== owner.accountId) {
    makeRoomForDevice(tables, account, { quotas, asking: null });
  }
  if (existing === undefined) tables.addLink(account, link, now);
  else if (existing.accountId !== owner.accountId) {
    const former = tables.account(existing);
    if (former !== undefined) endSessionsFrom(former, existing, null);
    tables.moveLink(existing, account, now);
  }
  Object.assign(account.record, { deletedAt: null, deletedBy: null });
  return true;
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
export function deleteAccount(tables: MemoryTables, { session, recovery, now }: DeleteAccountRequest): number | null {
  const account = tables.account(session);
  if (account === undefined) return null;
  const { record, sessions } = account;
  if (!mayDelete(account, session)) return null;
  sessions.clear();
  tables.addLink(account, recovery, now);
  for (const link of account.links.values()) {
    const isFormer = link.method === 'recovery' && link.subject !== recovery.subject;
    if (link.method === 'device' || isFormer) tables.removeLink(link);
    else tables.renewLink(link);
  }
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
export function undelete(tables: MemoryTables, owner: Owner): 'restored' | 'not_deleted' | 'no_account' {
  const account = tables.account(owner);
  if (account === undefined) return 'no_account';
  if (account.record.deletedAt === null) return 'not_deleted';
  Object.assign(account.record, { deletedAt: null, deletedBy: null });
  return 'restored';
}

/** `Store.cancelDeletion`. */
export function cancelDeletion(
  tables: MemoryTables,
  { link, device, now }: CancelDeletionRequest,
): 'restored' | 'not_deleted' | 'link_changed' {
  const account = tables.account(link);
  if (account === undefined || !tables.isUnchanged(link)) return 'link_changed';
  if (account.record.deletedAt === null) return 'not_deleted';
  Object.assign(account.record, { deletedAt: null, deletedBy: null });
  if (!tables.links.has(linkKey(device))) tables.addLink(account, device, now);
  return 'restored';
}

export function detailsOf(account: MemoryAccount): AccountDetails {
  return { account: { ...account.record }, links: [...account.links.values()].map((link) => ({ ...link })) };
}
