import type { LinkMethod } from '../../../protocol/conflict.js';
import type { LinkKey, LinkRecord, Owner } from '../records.js';
import type {
  CancelDeletionRequest,
  DeleteAccountRequest,
  EnsureAccountRequest,
  EnsureCustomAccountRequest,
  EnsuredAccount,
  LinkOutcome,
  LinkRequest,
  ReplaceCredentialRequest,
  ReplaceLinkRequest,
  UnlinkRequest,
} from '../requests.js';
import { isGuest } from '../rules/guests.js';
import { addAccount, lockAccount, lockAccounts, lockActiveAccount, markDeleted } from './accounts.js';
import { endTickets } from './conflicts.js';
import {
  addFirstLinkIfFree,
  addLink,
  addLinkIfFree,
  findLink,
  listLinks,
  moveLink,
  removeLink,
  setCredential,
} from './links.js';
import { addSession, endSessions, endSessionsFrom, findSession } from './sessions.js';
import { RaceError, type Steps } from './statement.js';

/** `Store.ensureAccount`. */
export function* ensureAccount(request: EnsureAccountRequest): Steps<EnsuredAccount> {
  const { link, accountId, session, now } = request;
  const { gameId, environment } = link;
  const owner = { gameId, environment, accountId };
  const claimed = yield* addFirstLinkIfFree(owner, link, now);
  if (claimed !== null) {
    yield* addAccount(owner, now);
    if (session !== undefined) yield* addSession(session);
    return { created: true, link: claimed };
  }
  const existing = yield* findLink(link);
  if (existing === null) throw new RaceError();
  return { created: false, link: existing };
}

/** `Store.ensureCustomAccount`. */
export function* ensureCustomAccount(request: EnsureCustomAccountRequest): Steps<Pick<Owner, 'accountId'>> {
  const { custom, device, accountId, now } = request;
  const [known, onDevice] = yield* lockOwners(custom, device);
  const guest = onDevice !== null && isGuest(yield* listLinks(onDevice)) ? onDevice : null;
  const found = known ?? guest;
  const { gameId, environment } = custom;
  const owner = { gameId, environment, accountId: found?.accountId ?? accountId };
  if (found === null) yield* addAccount(owner, now);
  if (known === null) yield* addLink(owner, custom, now);
  if (onDevice === null) yield* addLink(owner, device, now);
  return { accountId: owner.accountId };
}

/** Two links, with the accounts that they lead to locked, so that neither can be moved. */
function* lockOwners(...keys: [LinkKey, LinkKey]): Steps<[LinkRecord | null, LinkRecord | null]> {
  const seen = [yield* findLink(keys[0]), yield* findLink(keys[1])];
  yield* lockAccounts(seen.filter((link) => link !== null));
  return [yield* requireSameOwner(keys[0], seen[0] ?? null), yield* requireSameOwner(keys[1], seen[1] ?? null)];
}

function* requireSameOwner(key: LinkKey, seen: LinkRecord | null): Steps<LinkRecord | null> {
  const link = yield* findLink(key);
  if (link?.accountId !== seen?.accountId) throw new RaceError();
  return link;
}

/** `Store.linkMethod`. */
export function* linkMethod({ owner, link, now }: LinkRequest): Steps<LinkOutcome> {
  const existing = yield* findLink(link);
  if (existing !== null) return { outcome: 'taken', link: existing };
  if ((yield* lockActiveAccount(owner)) === null) return { outcome: 'no_account' };
  const isSecond = link.method !== 'device' && hasMethod(yield* listLinks(owner), link.method);
  // Where the account's own call at the same time has linked this very subject, `addLink` finds it taken and starts
  // again.
  if (isSecond && (yield* findLink(link)) === null) return { outcome: 'method_already_linked' };
  return { outcome: 'linked', link: yield* addLink(owner, link, now) };
}

/** `Store.restoreAccount`. */
export function* restoreAccount({ owner, link, now }: LinkRequest): Steps<boolean> {
  const seen = yield* findLink(link);
  const locked = yield* lockAccounts(seen === null ? [owner] : [owner, seen]);
  const account = locked.get(owner.accountId);
  if (account === undefined) return false;
  const existing = yield* requireSameOwner(link, seen);
  if (existing === null) yield* addLink(owner, link, now);
  else if (existing.accountId !== owner.accountId) yield* moveLink(existing, owner, now);
  if (account.deletedAt !== null) yield* markDeleted(owner, null);
  return true;
}

/** `Store.unlinkMethod`. */
export function* unlinkMethod(request: UnlinkRequest): Steps<'unlinked' | 'not_linked' | 'would_orphan'> {
  const { owner, method } = request;
  if ((yield* lockAccount(owner)) === null) return 'not_linked';
  const links = yield* listLinks(owner);
  const leaving = links.filter((link) => link.method === method);
  if (leaving.length === 0) return 'not_linked';
  if (leaving.length === links.length) return 'would_orphan';
  // Another link stays, so that the account does not become an orphan, and the time is not used.
  for (const link of leaving) yield* removeLink(link, 0);
  return 'unlinked';
}

/** `Store.replaceLink`. */
export function* replaceLink(request: ReplaceLinkRequest): Steps<boolean> {
  const { owner, link, keepSession, now } = request;
  if ((yield* lockActiveAccount(owner)) === null) return false;
  const taken = yield* findLink(link);
  if (taken !== null && taken.accountId !== owner.accountId) return false;
  for (const former of (yield* listLinks(owner)).filter(({ method }) => method === link.method)) {
    yield* endSessionsFrom(owner, former, keepSession);
    yield* removeLink(former, now);
  }
  yield* addLink(owner, link, now);
  return true;
}

/** `Store.replaceCredential`. */
export function* replaceCredential(request: ReplaceCredentialRequest): Steps<boolean> {
  const { key, from, to, keepSession } = request;
  const seen = yield* findLink(key);
  if (seen === null || seen.credential !== from) return false;
  yield* lockAccount(seen);
  yield* requireSameOwner(key, seen);
  if (!(yield* setCredential(seen, from, to))) return false;
  if (keepSession === null) return true;
  yield* endSessionsFrom(seen, key, keepSession);
  yield* endTickets(seen);
  return true;
}

/** `Store.deleteAccount`. */
export function* deleteAccount(request: DeleteAccountRequest): Steps<number | null> {
  const { session, recovery, now } = request;
  const account = yield* lockAccount(session);
  if (account === null) return null;
  const mayDelete =
    account.deletedAt === null ? (yield* findSession(session)) !== null : account.deletedBy === session.sessionId;
  if (!mayDelete) return null;
  yield* endSessions(session);
  for (const link of yield* listLinks(session)) {
    if (link.method === 'device' || link.method === 'recovery') yield* removeLink(link, now);
  }
  yield* addLink(session, recovery, now);
  const deletedAt = account.deletedAt ?? now;
  yield* markDeleted(session, { at: deletedAt, by: session.sessionId });
  return deletedAt;
}

/** `Store.cancelDeletion`. */
export function* cancelDeletion({ owner, device, now }: CancelDeletionRequest): Steps<boolean> {
  const account = yield* lockAccount(owner);
  if (account === null || account.deletedAt === null) return false;
  yield* markDeleted(owner, null);
  // A device that leads somewhere stays there.
  yield* addLinkIfFree(owner, device, now);
  return true;
}

function hasMethod(links: readonly LinkRecord[], wanted: LinkMethod): boolean {
  return links.some(({ method }) => method === wanted);
}
