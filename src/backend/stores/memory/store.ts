import type { AccountDetails } from '../records.js';
import { listEntries, readCollection } from '../rules/held-entries.js';
import type { Store } from '../store.js';
import { countAttempt, forgiveAttempt } from './attempts.js';
import { findOpenConflict, resolveConflict } from './conflicts.js';
import { dumpTables, loadTables, type MemoryDump } from './dump.js';
import { updateEntry } from './entries.js';
import { removeExpired } from './retention.js';
import { keepSnapshot, listSnapshots, readSnapshot, restoreSnapshot } from './snapshots.js';
import {
  copySession,
  endSessionsFrom,
  hasMethod,
  linkKey,
  linksOf,
  type MemoryAccount,
  MemoryTables,
} from './tables.js';

/**
 * A store in memory. Everything in it is gone when the process ends, unless it is dumped before and loaded afterwards.
 */
export interface MemoryStore extends Store {
  /** Gives a copy of everything that the store holds, as data that JSON can carry. */
  dump(): MemoryDump;
  /** Replaces everything that the store holds by a dump. Throws TypeError for what is not one. */
  load(dump: MemoryDump): void;
}

/** Makes a store in memory, for tests, demos and `savepoint dev`. */
export function createMemoryStore(): MemoryStore {
  // Every operation is atomic because it does all its work before it returns to the event loop.
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

    async ensureAccount({ link, accountId, session, now }) {
      const existing = tables.links.get(linkKey(link));
      if (existing !== undefined) return { created: false, link: { ...existing } };
      const account = tables.addAccount({ ...link, accountId }, now);
      if (session !== undefined) account.sessions.set(session.sessionId, copySession(session));
      return { created: true, link: { ...tables.addLink(account, link, now) } };
    },

    async ensureCustomAccount({ custom, device, accountId, now }) {
      const known = tables.accountOfLink(custom);
      const onDevice = tables.accountOfLink(device);
      const free = onDevice === undefined || hasMethod(onDevice, 'custom') ? undefined : onDevice;
      const account = known ?? free ?? tables.addAccount({ ...custom, accountId }, now);
      if (known === undefined) tables.addLink(account, custom, now);
      if (onDevice === undefined) tables.addLink(account, device, now);
      return { accountId: account.record.accountId };
    },

    async linkMethod({ owner, link, now }) {
      const existing = tables.links.get(linkKey(link));
      if (existing !== undefined) return { outcome: 'taken', link: { ...existing } };
      const account = tables.activeAccount(owner);
      if (account === undefined) return { outcome: 'no_account' };
      if (link.method !== 'device' && hasMethod(account, link.method)) return { outcome: 'method_already_linked' };
      return { outcome: 'linked', link: { ...tables.addLink(account, link, now) } };
    },

    async restoreAccount({ owner, link, now }) {
      const account = tables.account(owner);
      if (account === undefined) return false;
      const existing = tables.links.get(linkKey(link));
      if (existing === undefined) tables.addLink(account, link, now);
      else if (existing.accountId !== owner.accountId) tables.moveLink(existing, account, now);
      Object.assign(account.record, { deletedAt: null, deletedBy: null });
      return true;
    },

    async unlinkMethod({ owner, method }) {
      const links = [...(tables.account(owner)?.links.values() ?? [])];
      const leaving = links.filter((link) => link.method === method);
      if (leaving.length === 0) return 'not_linked';
      if (leaving.length === links.length) return 'would_orphan';
      // Another link stays, so that the account does not become an orphan, and the time is not used.
      for (const link of leaving) tables.removeLink(link, 0);
      return 'unlinked';
    },

    async replaceLink({ owner, link, keepSession, now }) {
      const account = tables.activeAccount(owner);
      const taken = tables.links.get(linkKey(link));
      if (account === undefined || (taken !== undefined && taken.accountId !== owner.accountId)) return false;
      for (const former of linksOf(account, link.method)) {
        endSessionsFrom(account, former, keepSession);
        tables.removeLink(former, now);
      }
      tables.addLink(account, link, now);
      return true;
    },

    async replaceCredential({ key, from, to, keepSession }) {
      const link = tables.links.get(linkKey(key));
      if (link === undefined || link.credential !== from) return false;
      link.credential = to;
      if (keepSession === null) return true;
      const account = tables.account(link);
      if (account !== undefined) endSessionsFrom(account, link, keepSession);
      for (const [hash, ticket] of tables.tickets) if (linkKey(ticket) === linkKey(link)) tables.tickets.delete(hash);
      return true;
    },

    async readAccount(owner) {
      const account = tables.account(owner);
      return account === undefined ? null : detailsOf(account);
    },

    async readProfile(owner) {
      const account = tables.account(owner);
      return account === undefined ? null : { ...detailsOf(account), entries: listEntries(account) };
    },

    async deleteAccount({ session, recovery, now }) {
      const account = tables.account(session);
      if (account === undefined) return null;
      const { record, sessions } = account;
      const mayDelete =
        record.deletedAt === null ? sessions.has(session.sessionId) : record.deletedBy === session.sessionId;
      if (!mayDelete) return null;
      sessions.clear();
      tables.addLink(account, recovery, now);
      for (const link of account.links.values()) {
        const isFormer = link.method === 'recovery' && link.subject !== recovery.subject;
        if (link.method === 'device' || isFormer) tables.removeLink(link, now);
      }
      record.deletedAt ??= now;
      record.deletedBy = session.sessionId;
      return record.deletedAt;
    },

    async cancelDeletion({ owner, device, now }) {
      const account = tables.account(owner);
      if (account === undefined || account.record.deletedAt === null) return false;
      Object.assign(account.record, { deletedAt: null, deletedBy: null });
      if (!tables.links.has(linkKey(device))) tables.addLink(account, device, now);
      return true;
    },

    async openSession(session) {
      const account = tables.accountOfLink(session);
      if (account?.record.accountId !== session.accountId || account.record.deletedAt !== null) return false;
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

    async listSessions(owner) {
      return [...(tables.account(owner)?.sessions.values() ?? [])].map(copySession);
    },

    async endSessions(owner) {
      tables.account(owner)?.sessions.clear();
    },

    async openTicket(ticket) {
      tables.tickets.set(ticket.ticket, { ...ticket });
    },

    async readConflictSides(request) {
      const open = findOpenConflict(tables, request);
      return open === null ? null : { local: listEntries(open.local), cloud: listEntries(open.cloud) };
    },

    async resolveConflict(request) {
      const resolved = resolveConflict(tables, request);
      return typeof resolved === 'string'
        ? { outcome: resolved }
        : { outcome: 'resolved', session: copySession(resolved) };
    },

    async readCollection({ owner, collection }) {
      const account = tables.account(owner);
      return account === undefined ? null : readCollection(account, collection);
    },

    async updateEntry(request) {
      const account = tables.account(request.owner);
      return account === undefined ? { outcome: 'no_account' } : updateEntry(account, request);
    },

    async addSnapshot({ owner, entry, snapshot, now }) {
      const account = tables.activeAccount(owner);
      if (account === undefined) return false;
      keepSnapshot(account, { reason: 'mismatch', entries: [entry], snapshot, now });
      return true;
    },

    async listSnapshots({ owner, now }) {
      const account = tables.account(owner);
      return account === undefined ? [] : listSnapshots(account, now);
    },

    async readSnapshot({ key, now }) {
      const account = tables.account(key);
      return account === undefined ? null : readSnapshot(account, key.snapshotId, now);
    },

    async restoreSnapshot(request) {
      const account = tables.activeAccount(request.key);
      return account === undefined ? { outcome: 'no_snapshot' } : restoreSnapshot(account, request);
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
      return countAttempt(tables, request);
    },

    async forgiveAttempt(request) {
      forgiveAttempt(tables, request);
    },

    async removeExpired(request) {
      return removeExpired(tables, request);
    },
  };
}

function detailsOf(account: MemoryAccount): AccountDetails {
  return { account: { ...account.record }, links: [...account.links.values()].map((link) => ({ ...link })) };
}
