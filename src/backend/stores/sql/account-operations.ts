import type { LinkMethod } from '../../../protocol/conflict.js';
import type { UndeleteRequest } from '../operator-requests.js';
import { type LinkKey, type LinkRecord, type Owner, ownerOf } from '../records.js';
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
  RestoreAccountRequest,
  UnlinkOutcome,
  UnlinkRequest,
} from '../requests.js';
import { banOf } from '../rules/bans.js';
import { isGuest } from '../rules/guests.js';
import { startOfDay } from '../rules/last-use.js';
import { countsAsRecent } from '../rules/recent-methods.js';
import { addressedSince, linksSince, successorOf } from '../rules/sign-out-others.js';
import type {
  OpenSessionRequest,
  ReauthenticateOutcome,
  ReauthenticateRequest,
  SignOutOthersOutcome,
  SignOutOthersRequest,
} from '../session-requests.js';
import {
  addAccount,
  type LockedAccount,
  lockAccount,
  lockAccounts,
  lockActiveAccount,
  markDeleted,
} from './accounts.js';
import { count } from './counts.js';
import { addEvent, addReturn } from './events.js';
import {
  addFirstLinkIfFree,
  addLink,
  addLinkIfFree,
  findForSignIn,
  findLink,
  isUnchanged,
  listLinks,
  makeRoomForDevice,
  markUsed,
  moveLink,
  removeLink,
  renewLinks,
  setCredential,
  setMailAddress,
  usedFirst,
} from './links.js';
import {
  addSession,
  endAllSessions,
  endSessionsFrom,
  endSessionsOn,
  findSession,
  makeRoomForSession,
  moveSession,
} from './sessions.js';
import { RaceError, type Steps } from './statement.js';

/** `Store.ensureAccount`. */
export function* ensureAccount(request: EnsureAccountRequest): Steps<EnsuredAccount> {
  const { link, accountId, session, now } = request;
  const { gameId, environment } = link;
  const owner = { gameId, environment, accountId, revision: 0 };
  const claimed = yield* addFirstLinkIfFree(owner, link, usedFirst(now));
  if (claimed !== null) {
    yield* addAccount(owner, now);
    if (session !== undefined) yield* addSession(session);
    yield* count(owner, now, session === undefined ? ['new'] : ['active', 'new', `sign_in_${session.method}`]);
    return { created: true, link: claimed };
  }
  const existing = yield* findLink(link);
  if (existing === null) throw new RaceError();
  return { created: false, link: existing };
}

/** `Store.ensureCustomAccount`. */
export function* ensureCustomAccount(request: EnsureCustomAccountRequest): Steps<LinkRecord> {
  const { custom, device, accountId, now, quotas, notice } = request;
  const { locked, links } = yield* lockOwners(custom, device);
  const [known, onDevice] = links;
  const isBanned = (id: string): boolean => banOf(locked.get(id), now) !== null;
  const mayTake = onDevice !== null && !isBanned(onDevice.accountId) && isGuest(yield* listLinks(onDevice));
  const guest = mayTake ? onDevice : null;
  const found = locked.get((known ?? guest)?.accountId ?? '');
  const account = found ?? (yield* addAccount({ ...custom, accountId }, now));
  const link = known ?? (yield* addLink(account, custom, now));
  if (known === null && found !== undefined) {
    yield* addEvent(account, 'linked', { notice, details: { method: custom.method } });
  }
  if (onDevice === null && account.deletedAt === null && !isBanned(account.accountId)) {
    yield* makeRoomForDevice(account, { quotas, asking: null });
    yield* addLink(account, device, now);
  }
  if (found === undefined) yield* count(account, now, ['active', 'new']);
  return link;
}

/** Two links, with the accounts that they lead to locked, so that neither can be moved. */
function* lockOwners(
  ...keys: [LinkKey, LinkKey]
): Steps<{ locked: Map<string, LockedAccount>; links: [LinkRecord | null, LinkRecord | null] }> {
  const seen = [yield* findLink(keys[0]), yield* findLink(keys[1])];
  const locked = yield* lockAccounts(seen.filter((link) => link !== null));
  const first = yield* requireSameOwner(keys[0], seen[0] ?? null);
  return { locked, links: [first, yield* requireSameOwner(keys[1], seen[1] ?? null)] };
}

/** Starts again where a link leads elsewhere than it did before the accounts were locked. */
export function* requireSameOwner(key: LinkKey, seen: LinkRecord | null): Steps<LinkRecord | null> {
  const link = yield* findLink(key);
  if (link?.accountId !== seen?.accountId) throw new RaceError();
  return link;
}

/** `Store.linkMethod`. */
export function* linkMethod({ owner, session, link, now, quotas, notice }: LinkRequest): Steps<LinkOutcome> {
  const existing = yield* findLink(link);
  if (existing !== null) return { outcome: 'taken', link: existing };
  const account = yield* lockActiveAccount(owner);
  if (account === null) return { outcome: 'no_account' };
  if (yield* hasEnded(account, session)) return { outcome: 'no_session' };
  const isSecond = link.method !== 'device' && hasMethod(yield* listLinks(owner), link.method);
  // Where the account's own call at the same time has linked this very subject, `addLink` finds it taken and starts
  // again.
  if (isSecond && (yield* findLink(link)) === null) return { outcome: 'method_already_linked' };
  if (link.method === 'device') {
    const asking = session === null ? null : yield* findSession({ ...ownerOf(owner), sessionId: session });
    yield* makeRoomForDevice(account, { quotas, asking: asking?.device ?? null });
  }
  const linked = yield* addLink(account, link, now);
  yield* addReturn(account, { notice });
  yield* addEvent(owner, 'linked', { notice, details: { method: link.method } });
  return { outcome: 'linked', link: linked };
}

/** `Store.restoreAccount`. */
export function* restoreAccount(request: RestoreAccountRequest): Steps<boolean> {
  const { owner, link, now, quotas, notice } = request;
  const seen = yield* findLink(link);
  const locked = yield* lockAccounts(seen === null ? [owner] : [owner, seen]);
  const account = locked.get(owner.accountId);
  if (account === undefined) return false;
  const existing = yield* requireSameOwner(link, seen);
  const isNew = existing?.accountId !== owner.accountId;
  if (link.method === 'device' && isNew) {
    yield* makeRoomForDevice(account, { quotas, asking: null });
  }
  if (existing === null) yield* addLink(account, link, now);
  else if (isNew) {
    yield* endSessionsFrom(existing, existing, null);
    yield* moveLink(existing, { to: account, now, notice });
  }
  if (account.deletedAt !== null) yield* markDeleted(owner, null);
  if (account.deletedAt !== null || account.orphanedAt !== null) yield* addEvent(owner, 'restored', { notice });
  else if (isNew) yield* addEvent(owner, 'linked', { notice, details: { method: link.method } });
  return true;
}

/** `Store.unlinkMethod`. */
export function* unlinkMethod({ owner, session, method, device }: UnlinkRequest): Steps<UnlinkOutcome> {
  const account = yield* lockAccount(owner);
  if (account === null) return 'not_linked';
  if (yield* hasEnded(account, session)) return 'no_session';
  const links = yield* listLinks(owner);
  const isLeaving = (link: LinkRecord) => link.method === method && (device === undefined || link.subject === device);
  const leaving = links.filter(isLeaving);
  if (leaving.length === 0) return 'not_linked';
  if (leaving.length === links.length) return 'would_orphan';
  for (const link of leaving) {
    yield* endSessionsFrom(owner, link, session);
    yield* removeLink(link);
  }
  if (device !== undefined) yield* endSessionsOn(owner, device, session);
  return 'unlinked';
}

/** `Store.replaceLink`. */
export function* replaceLink({ owner, session, link, now, notice }: ReplaceLinkRequest): Steps<boolean> {
  const account = yield* lockActiveAccount(owner);
  if (account === null || (yield* hasEnded(account, session))) return false;
  const taken = yield* findLink(link);
  if (taken !== null && taken.accountId !== owner.accountId) return false;
  for (const former of (yield* listLinks(owner)).filter(({ method }) => method === link.method)) {
    yield* endSessionsFrom(owner, former, session);
    yield* removeLink(former);
  }
  yield* addLink(account, link, now);
  yield* addReturn(account, { notice });
  return true;
}

/** `Store.replaceCredential`. */
export function* replaceCredential(
  request: ReplaceCredentialRequest,
): Steps<'replaced' | 'link_changed' | 'no_session'> {
  const { link, to, isSamePassword, session } = request;
  const account = yield* lockAccount(link);
  if (account !== null && (yield* hasEnded(account, session))) return 'no_session';
  if (account === null || !(yield* isUnchanged(link))) return 'link_changed';
  yield* setCredential(link, { to, revision: isSamePassword ? link.revision : account.revision });
  if (!isSamePassword) yield* endSessionsFrom(account, link, session);
  return 'replaced';
}

/** `Store.openSession`. */
export function* openSession({ session, linkRevision, quotas }: OpenSessionRequest): Steps<boolean> {
  const account = yield* lockActiveAccount(session);
  if (account === null || banOf(account, session.openedAt) !== null) return false;
  const found = yield* findForSignIn(session, linkRevision);
  if (found === null) return false;
  yield* makeRoomForSession(session, found.counted, quotas);
  yield* addSession(session, found.counted.newest);
  const { openedAt, method } = session;
  if (found.isFirstUse || account.lastSeenAt < startOfDay(openedAt)) yield* markUsed({ session, now: openedAt });
  yield* count(session, openedAt, [`sign_in_${method}`]);
  return true;
}

/** `Store.reauthenticate`. */
export function* reauthenticate({ session, link, now }: ReauthenticateRequest): Steps<ReauthenticateOutcome> {
  const account = yield* lockActiveAccount(session);
  const before = account === null ? null : yield* findSession(session);
  if (before === null) return { outcome: 'no_session' };
  if (link.accountId !== session.accountId || !(yield* isUnchanged(link))) return { outcome: 'link_changed' };
  const counts = countsAsRecent(yield* listLinks(session), link.method, now);
  const after = counts ? yield* moveSession(before, link, now) : before;
  if (after === null) return { outcome: 'no_session' };
  yield* markUsed({ session: after, now });
  return { outcome: counts ? 'authenticated' : 'does_not_count', session: after };
}

/** `Store.signOutOthers`. */
export function* signOutOthers({ session: key, next, unlinkSince }: SignOutOthersRequest): Steps<SignOutOthersOutcome> {
  const account = yield* lockActiveAccount(key);
  const asking = account === null ? null : yield* findSession(key);
  if (account === null || asking === null) return { outcome: 'no_session' };
  const links = yield* listLinks(account);
  const leaving = linksSince(links, unlinkSince, asking);
  if (leaving.length === links.length) return { outcome: 'would_orphan' };
  for (const link of leaving) yield* removeLink(link);
  for (const link of addressedSince(yield* listLinks(account), unlinkSince)) {
    yield* setMailAddress(link, { to: null, at: null, revision: account.revision });
  }
  yield* renewLinks(account);
  yield* endAllSessions(account);
  const session = successorOf(asking, next);
  yield* addSession(session);
  return { outcome: 'signed_out', session };
}

/** `Store.endSessions`. */
export function* endSessions(owner: Owner): Steps<number | null> {
  const account = yield* lockAccount(owner);
  if (account === null) return null;
  const ended = yield* endAllSessions(account);
  yield* renewLinks(account);
  return ended;
}

/** `Store.deleteAccount`. */
export function* deleteAccount(request: DeleteAccountRequest): Steps<number | null> {
  const { session, recovery, now, notice } = request;
  const account = yield* lockAccount(session);
  if (account === null) return null;
  if (!(yield* mayDelete(account, session))) return null;
  yield* endAllSessions(account);
  for (const link of yield* listLinks(account)) {
    if (link.method === 'device' || link.method === 'recovery') yield* removeLink(link);
  }
  yield* addLink(account, recovery, now);
  yield* renewLinks(account);
  if (account.deletedAt === null) yield* addEvent(account, 'deleted', { notice });
  const deletedAt = account.deletedAt ?? now;
  yield* markDeleted(session, { at: deletedAt, by: session.sessionId });
  return deletedAt;
}

/** A player whose session lives, or who began it; an operator where nobody has begun it. */
function* mayDelete({ deletedAt, deletedBy }: LockedAccount, session: DeleteAccountRequest['session']): Steps<boolean> {
  const { sessionId, ...owner } = session;
  if (sessionId === null) return deletedAt === null;
  return deletedAt === null ? (yield* findSession({ ...owner, sessionId })) !== null : deletedBy === sessionId;
}

/** Takes a deletion back at an operator's word. */
export function* undelete({ owner, notice }: UndeleteRequest): Steps<'restored' | 'not_deleted' | 'no_account'> {
  const account = yield* lockAccount(owner);
  if (account === null) return 'no_account';
  if (account.deletedAt === null) return 'not_deleted';
  yield* markDeleted(account, null);
  yield* addEvent(account, 'restored', { notice });
  return 'restored';
}

/** `Store.cancelDeletion`. */
export function* cancelDeletion(request: CancelDeletionRequest): Steps<'restored' | 'not_deleted' | 'link_changed'> {
  const { link, device, now, notice } = request;
  const account = yield* lockAccount(link);
  if (account === null || !(yield* isUnchanged(link))) return 'link_changed';
  if (account.deletedAt === null) return 'not_deleted';
  yield* markDeleted(account, null);
  // A device that leads somewhere stays there.
  yield* addLinkIfFree(account, device, now);
  yield* addEvent(account, 'restored', { notice });
  return 'restored';
}

/** Whether the session that asks has ended; its account is locked. */
function* hasEnded({ gameId, environment, accountId }: Owner, session: string | null): Steps<boolean> {
  if (session === null) return false;
  return (yield* findSession({ gameId, environment, accountId, sessionId: session })) === null;
}

function hasMethod(links: readonly LinkRecord[], wanted: LinkMethod): boolean {
  return links.some(({ method }) => method === wanted);
}
