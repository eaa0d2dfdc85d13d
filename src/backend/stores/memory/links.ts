import type { LinkMethod } from '../../../protocol/conflict.js';
import type { LinkKey, LinkRecord } from '../records.js';
import type {
  LinkOutcome,
  LinkRequest,
  ReplaceCredentialRequest,
  ReplaceLinkRequest,
  UnlinkRequest,
} from '../requests.js';
import { endSessionsFrom } from './sessions.js';
import { linkKey, type MemoryAccount, type MemoryTables } from './tables.js';

/** `Store.findLink`. */
export function findLink(tables: MemoryTables, key: LinkKey): LinkRecord | null {
  const link = tables.links.get(linkKey(key));
  return link === undefined ? null : { ...link };
}

/** `Store.linkMethod`. */
export function linkMethod(tables: MemoryTables, { owner, link, now }: LinkRequest): LinkOutcome {
  const existing = tables.links.get(linkKey(link));
  if (existing !== undefined) return { outcome: 'taken', link: { ...existing } };
  const account = tables.activeAccount(owner);
  if (account === undefined) return { outcome: 'no_account' };
  if (link.method !== 'device' && hasMethod(account, link.method)) return { outcome: 'method_already_linked' };
  return { outcome: 'linked', link: { ...tables.addLink(account, link, now) } };
}

/** `Store.unlinkMethod`. */
export function unlinkMethod(
  tables: MemoryTables,
  { owner, method }: UnlinkRequest,
): 'unlinked' | 'not_linked' | 'would_orphan' {
  const links = [...(tables.account(owner)?.links.values() ?? [])];
  const leaving = links.filter((link) => link.method === method);
  if (leaving.length === 0) return 'not_linked';
  if (leaving.length === links.length) return 'would_orphan';
  // Another link stays, so that the account does not become an orphan, and the time is not used.
  for (const link of leaving) tables.removeLink(link, 0);
  return 'unlinked';
}

/** `Store.replaceLink`. */
export function replaceLink(tables: MemoryTables, { owner, link, keepSession, now }: ReplaceLinkRequest): boolean {
  const account = tables.activeAccount(owner);
  const taken = tables.links.get(linkKey(link));
  if (account === undefined || (taken !== undefined && taken.accountId !== owner.accountId)) return false;
  for (const former of linksOf(account, link.method)) {
    endSessionsFrom(account, former, keepSession);
    tables.removeLink(former, now);
  }
  tables.addLink(account, link, now);
  return true;
}

/** `Store.replaceCredential`. */
export function replaceCredential(
  tables: MemoryTables,
  { key, from, to, keepSession }: ReplaceCredentialRequest,
): boolean {
  const link = tables.links.get(linkKey(key));
  if (link === undefined || link.credential !== from) return false;
  link.credential = to;
  if (keepSession === null) return true;
  const account = tables.account(link);
  if (account !== undefined) endSessionsFrom(account, link, keepSession);
  for (const [hash, ticket] of tables.tickets) if (linkKey(ticket) === linkKey(link)) tables.tickets.delete(hash);
  return true;
}

export function hasMethod(account: MemoryAccount, method: LinkMethod): boolean {
  return linksOf(account, method).length > 0;
}

function linksOf(account: MemoryAccount, method: LinkMethod): LinkRecord[] {
  return [...account.links.values()].filter((link) => link.method === method);
}
