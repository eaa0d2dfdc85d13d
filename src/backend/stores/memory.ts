import { countInTables, forgiveInTables } from './memory-attempts.js';
import { resolveInTables } from './memory-conflicts.js';
import { dumpTables, loadTables, type MemoryDump } from './memory-dump.js';
import { readFromAccount, summarizeEntries, writeInAccount } from './memory-entries.js';
import { removeExpiredFrom } from './memory-retention.js';
import { copySession, hasMethod, linkKey, type MemoryAccount, MemoryTables } from './memory-tables.js';
import type { AccountDetails, Store } from './store.js';

/** A store in memory. It forgets everything with its process, nonces too, unless it is dumped and loaded. */
export interface MemoryStore extends Store {
  /** Everything it holds, safe for JSON. */
  dump(): MemoryDump;
  /** Puts a dump in the place of everything it holds. Throws TypeError for what no `dump()` gave. */
  load(dump: MemoryDump): void;
}

/** Every operation is one turn of the loop: that is what makes it atomic. */
export function createMemoryStore(): MemoryStore {
  let tables = new MemoryTables();

  return {
    dump: () => dumpTables(tables),

    load(dump) {
      tables = loadTables(dump);
    },

    async findLink(key) {
      const link = tables.links.get(linkKey(key));
      return link === undefined ? null : { ...link };
    },

    async ensureAccount({ link, accountId, now }) {
      const existing = tables.links.get(linkKey(link));
      if (existing !== undefined) return { created: false, link: { ...existing } };
      const account = tables.addAccount({ ...link, accountId }, now);
      return { created: true, link: { ...tables.addLink(account, link, now) } };
    },

    async ensureCustomAccount({ custom, device, accountId, now }) {
      const known = tables.ownerOf(custom);
      const onDevice = tables.ownerOf(device);
      const free = onDevice === undefined || hasMethod(onDevice, 'custom') ? undefined : onDevice;
      const account = known ?? free ?? tables.addAccount({ ...custom, accountId }, now);
      if (known === undefined) tables.addLink(account, custom, now);
      if (onDevice === undefined) tables.addLink(account, device, now);
      return { accountId: account.record.accountId };
    },

    async link({ owner, link, now }) {
      const existing = tables.links.get(linkKey(link));
      if (existing !== undefined) return { outcome: 'taken', link: { ...existing } };
      const account = tables.account(owner);
      if (account === undefined) return { outcome: 'no_account' };
      if (link.method !== 'device' && hasMethod(account, link.method)) return { outcome: 'method_already_linked' };
      return { outcome: 'linked', link: { ...tables.addLink(account, link, now) } };
    },

    async relink({ owner, link, now }) {
      const account = tables.account(owner);
      if (account === undefined) return false;
      const existing = tables.links.get(linkKey(link));
      if (existing === undefined) tables.addLink(account, link, now);
      else if (existing.accountId !== owner.accountId) tables.moveLink(existing, account, now);
      return true;
    },

    async unlink({ owner, method }) {
      const links = [...(tables.account(owner)?.links.values() ?? [])];
      const leaving = links.filter((link) => link.method === method);
      if (leaving.length === 0) return 'not_linked';
      if (leaving.length === links.length) return 'would_orphan';
      // Another link stays, so nothing is orphaned and the time does not matter.
      for (const link of leaving) tables.removeLink(link, 0);
      return 'unlinked';
    },

    async replaceCredential({ key, from, to }) {
      const link = tables.links.get(linkKey(key));
      if (link?.credential === from) link.credential = to;
    },

    async findAccount(owner) {
      const account = tables.account(owner);
      return account === undefined ? null : detailsOf(account);
    },

    async summarize({ owner, wanted }) {
      const account = tables.account(owner);
      return account === undefined ? null : { ...detailsOf(account), ...summarizeEntries(account, wanted) };
    },

    async deleteAccount({ owner, now }) {
      const account = tables.account(owner);
      if (account === undefined) return false;
      for (const link of [...account.links.values()]) tables.removeLink(link, now);
      account.sessions.clear();
      account.record.orphanedAt ??= now;
      return true;
    },

    async openSession(session) {
      const account = tables.ownerOf(session);
      if (account?.record.accountId !== session.accountId) return false;
      account.sessions.set(session.sessionId, copySession(session));
      return true;
    },

    async findSession(key) {
      const session = tables.session(key);
      return session === undefined ? null : copySession(session);
    },

    async updateSession(session) {
      const stored = tables.session(session);
      if (stored === undefined || stored.revision !== session.revision) return false;
      Object.assign(stored, copySession(session), { revision: session.revision + 1 });
      return true;
    },

    async endSession(key) {
      tables.account(key)?.sessions.delete(key.sessionId);
    },

    async openTicket(ticket) {
      tables.tickets.set(ticket.ticket, { ...ticket });
    },

    async resolveConflict(request) {
      const reached = resolveInTables(tables, request);
      return typeof reached === 'string'
        ? { outcome: reached }
        : { outcome: 'resolved', session: copySession(reached) };
    },

    async readCollection({ owner, collection }) {
      const account = tables.account(owner);
      return account === undefined ? null : readFromAccount(account, collection);
    },

    async writeEntry(request) {
      const account = tables.account(request.owner);
      return account === undefined ? { outcome: 'no_account' } : writeInAccount(account, request);
    },

    async claimNonce({ gameId, nonce, expiresAt, now, max }) {
      const nonces = tables.nonces.get(gameId) ?? new Map<string, number>();
      tables.nonces.set(gameId, nonces);
      const claimedUntil = nonces.get(nonce);
      if (claimedUntil !== undefined && claimedUntil > now) return 'reused';
      if (nonces.size >= max) for (const [held, until] of nonces) if (until <= now) nonces.delete(held);
      if (nonces.size >= max) return 'full';
      nonces.set(nonce, expiresAt);
      return 'claimed';
    },

    async countAttempt(request) {
      return countInTables(tables, request);
    },

    async forgiveAttempt({ key, forget }) {
      forgiveInTables(tables, key, forget);
    },

    async removeExpired(request) {
      return removeExpiredFrom(tables, request);
    },
  };
}

function detailsOf(account: MemoryAccount): AccountDetails {
  return { account: { ...account.record }, links: [...account.links.values()].map((link) => ({ ...link })) };
}
