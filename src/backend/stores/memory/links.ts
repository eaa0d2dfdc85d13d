import type { LinkMethod } from '../../../protocol/conflict.js';
import type { Notifying } from '../event-requests.js';
import { type AccountLink, type LinkKey, type LinkRecord, ownerOf } from '../records.js';
import type {
  LinkOutcome,
  LinkRequest,
  ReplaceCredentialRequest,
  ReplaceLinkRequest,
  UnlinkOutcome,
  UnlinkRequest,
} from '../requests.js';
import { devicesInTheWay } from '../rules/longest-unused.js';
import type { LoginQuotas } from '../session-requests.js';
import { addEvent, addReturn } from './events.js';
import { endSessionsFrom, endSessionsOn } from './sessions.js';
import { linkKey, type MemoryAccount, type MemoryTables } from './tables.js';

/** `Store.findLink`. */
export function findLink(tables: MemoryTables, key: LinkKey): LinkRecord | null {
  const link = tables.links.get(linkKey(key));
  return link === undefined ? null : copyLink(link);
}

/**
 * Links are copied on their way out, so that no caller holds a part of the store; only their
 * account tells of their use.
 */
export function copyLink(link: AccountLink): LinkRecord {
  const { gameId, environment, method, subject, label, credential, mailAddress, mailAddressAt } = link;
  const { accountId, linkedAt, revision } = link;
  return {
    gameId,
    environment,
    method,
    subject,
    label,
    credential,
    mailAddress,
    mailAddressAt,
    accountId,
    linkedAt,
    revision,
  };
}

/** `Store.linkMethod`. */
export function linkMethod(
  tables: MemoryTables,
  { owner, session, link, now, quotas, notice }: LinkRequest,
): LinkOutcome {
  const existing = tables.links.get(linkKey(link));
  if (existing !== undefined) return { outcome: 'taken', link: copyLink(existing) };
  const account = tables.activeAccount(owner);
  if (account === undefined) return { outcome: 'no_account' };
  if (hasEnded(account, session)) return { outcome: 'no_session' };
  if (link.method !== 'device' && hasMethod(account, link.method)) return { outcome: 'method_already_linked' };
  if (link.method === 'device') {
    const asking = session === null ? null : (account.sessions.get(session)?.device ?? null);
    makeRoomForDevice(tables, account, { quotas, asking });
  }
  addReturn(tables, account, { notice });
  addEvent(tables, owner, 'linked', { notice, details: { method: link.method } });
  return { outcome: 'linked', link: copyLink(tables.addLink(account, link, now)) };
}

/** Makes a link lead to another account. The former one is an orphan and has no session if it was the last link. */
export function moveLink(
  tables: MemoryTables,
  link: AccountLink,
  { to, now, notice }: Notifying & { to: MemoryAccount; now: number },
): void {
  const former = ownerOf(link);
  if (!tables.moveLink(link, to, now)) return;
  addEvent(tables, former, 'orphaned', { notice, details: { otherUserId: to.record.accountId } });
}

/** Takes away the devices that are in the way of another one, and ends the sessions that came from them. */
export function makeRoomForDevice(
  tables: MemoryTables,
  account: MemoryAccount,
  { quotas, asking }: { quotas: LoginQuotas; asking: string | null },
): void {
  for (const link of devicesInTheWay([...account.links.values()], quotas.devices, asking)) {
    endSessionsFrom(account, link, null);
    tables.removeLink(link);
  }
}

/** `Store.unlinkMethod`. */
export function unlinkMethod(tables: MemoryTables, { owner, session, method, device }: UnlinkRequest): UnlinkOutcome {
  const account = tables.account(owner);
  if (account === undefined) return 'not_linked';
  if (hasEnded(account, session)) return 'no_session';
  const leaving = linksOf(account, method).filter(({ subject }) => device === undefined || subject === device);
  if (leaving.length === 0) return 'not_linked';
  if (leaving.length === account.links.size) return 'would_orphan';
  for (const link of leaving) {
    endSessionsFrom(account, link, session);
    tables.removeLink(link);
  }
  if (device !== undefined) endSessionsOn(account, device, session);
  return 'unlinked';
}

/** `Store.replaceLink`. */
export function replaceLink(tables: MemoryTables, { owner, session, link, now, notice }: ReplaceLinkRequest): boolean {
  const account = tables.activeAccount(owner);
  const taken = tables.links.get(linkKey(link));
  if (account === undefined || hasEnded(account, session)) return false;
  if (taken !== undefined && taken.accountId !== owner.accountId) return false;
  for (const former of linksOf(account, link.method)) {
    endSessionsFrom(account, former, session);
    tables.removeLink(former);
  }
  addReturn(tables, account, { notice });
  tables.addLink(account, link, now);
  return true;
}

/** `Store.replaceCredential`. */
export function replaceCredential(
  tables: MemoryTables,
  { link: checked, to, isSamePassword, session }: ReplaceCredentialRequest,
): 'replaced' | 'link_changed' | 'no_session' {
  const account = tables.account(checked);
  if (account !== undefined && hasEnded(account, session)) return 'no_session';
  const link = account?.links.get(linkKey(checked));
  if (account === undefined || link === undefined || !tables.isUnchanged(checked)) return 'link_changed';
  link.credential = to;
  if (isSamePassword) return 'replaced';
  tables.renewLink(link);
  endSessionsFrom(account, link, session);
  return 'replaced';
}

/** Whether the session that asks has ended. */
function hasEnded(account: MemoryAccount, session: string | null): boolean {
  return session !== null && !account.sessions.has(session);
}

export function hasMethod(account: MemoryAccount, method: LinkMethod): boolean {
  return linksOf(account, method).length > 0;
}

function linksOf(account: MemoryAccount, method: LinkMethod): AccountLink[] {
  return [...account.links.values()].filter((link) => link.method === method);
}
