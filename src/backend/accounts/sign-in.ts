import type { ConflictField, ConflictSides } from '../../protocol/conflict.js';
import type { PeekAnswer } from '../../protocol/player-messages.js';
import { summarizeSide } from '../conflicts/conflict-summary.js';
import { openConflict } from '../conflicts/conflicts.js';
import { Refusal } from '../refusal.js';
import { retryOnRace } from '../retry-on-race.js';
import type { Service } from '../service.js';
import { newSessionOf, type ShownSession } from '../sessions/sessions.js';
import { type LinkRecord, ownerOf, type SessionRecord } from '../stores/records.js';
import { refuseIfBanned, refuseIfClosed } from './closed.js';
import { deviceLogin, type LoginMethod } from './login-methods.js';
import { requireRecentSession, showLink } from './recent-authentication.js';

/** A session that was opened. */
interface SignedIn {
  session: SessionRecord;
  /** Whether its account was made with it: then this login method alone leads there. */
  isNew: boolean;
}

/**
 * Opens a session of the account that the login method leads to. Where it leads nowhere and `mayCreate` says so, it
 * makes an account with this login method. Spec gap: the device's own link stays. Where the link has changed since the
 * credential was checked, it is checked again.
 */
export function signIn(
  service: Service,
  loginMethod: LoginMethod,
  { device, address, mayCreate }: { device: string; address: string | undefined; mayCreate: boolean },
): Promise<SignedIn> {
  const { quotas } = service;
  return retryOnRace(async () => {
    let link = await service.store.findLink(loginMethod.link);
    if (link === null) {
      const once = await loginMethod.signInOnce(device);
      if (once !== null) return { session: once, isNew: false };
      if (!mayCreate || !loginMethod.canBeNew) throw await loginMethod.unknownRefusal(mayCreate);
      const first = await createAccount(service, loginMethod, { device, address });
      if (first.session !== null) return { session: first.session, isNew: true };
      link = first.link;
    }
    await loginMethod.checkCredential(link);
    const session = newSessionOf(service, { via: loginMethod.link, accountId: link.accountId, device });
    const isOpen = await service.store.openSession({ session, linkRevision: link.revision, quotas });
    if (isOpen) return { session, isNew: false };
    await refuseIfClosed(service, link);
    return null;
  });
}

/** The session after its account was linked, or the conflict. */
type Linked = { session: SessionRecord } | { conflict: ConflictSides };

/**
 * Links a login method to the session's account; the session stays as it is. Where it leads there already, the player
 * has shown it once more. Where the login method leads to another account, that is a conflict: it checks the credential
 * and opens it. Where the link has changed since, it is checked again. A device is linked only for a player who has
 * shown a login method lately.
 */
export function linkOrConflict(
  service: Service,
  loginMethod: LoginMethod,
  session: SessionRecord,
  {
    shown,
    ...conflict
  }: { shown: ShownSession; device: string; show: readonly ConflictField[]; weigh: (bytes: number) => void },
): Promise<Linked> {
  return retryOnRace(async () => {
    const known = await service.store.findLink(loginMethod.link);
    if (known !== null) {
      await loginMethod.checkCredential(known);
      if (known.accountId === session.accountId) {
        const shownLink = await showLink(service, known, session);
        return shownLink === null ? null : { session: shownLink.session };
      }
      await refuseIfClosed(service, known);
      // A device id is no credential to choose an account by, so that this is no conflict.
      if (known.method === 'device') throw new Refusal('method_already_linked');
      const opened = await openConflict(service, { link: known, session, ...conflict });
      return opened === null ? null : { conflict: opened };
    }
    if (!loginMethod.canBeNew) throw await loginMethod.unknownRefusal(true);
    // The interface links the other methods at once; to link a device is ours.
    if (loginMethod.link.method === 'device') await requireRecentSession(service, shown);
    const link = { ...loginMethod.link, credential: await loginMethod.newCredential() };
    const request = {
      owner: ownerOf(session),
      session: session.sessionId,
      link,
      now: service.now(),
      quotas: service.quotas,
    };
    const { outcome } = await unlessItFails(
      () => service.store.linkMethod(request),
      () => loginMethod.forgiveLookup(),
    );
    if (outcome === 'linked') {
      await loginMethod.forgiveLookup();
      return { session };
    }
    if (outcome === 'method_already_linked') throw new Refusal('method_already_linked');
    if (outcome === 'no_account' || outcome === 'no_session') throw new Refusal('unauthorized');
    // Somebody has taken the link meanwhile: that the player finds out by a look at what is linked now.
    await loginMethod.forgiveLookup();
    return null;
  });
}

/** What a sign-in by a login method would do; nothing is changed. `weigh` is told how many bytes were read for it. */
export function peek(
  service: Service,
  loginMethod: LoginMethod,
  {
    session,
    show,
    weigh,
  }: { session: SessionRecord | null; show: readonly ConflictField[]; weigh: (bytes: number) => void },
): Promise<PeekAnswer> {
  return retryOnRace(async () => {
    const known = await service.store.findLink(loginMethod.link);
    if (known === null) {
      if (!loginMethod.canBeNew) throw await loginMethod.unknownRefusal(true);
      await loginMethod.countLookup();
      return { outcome: 'free' };
    }
    await loginMethod.checkCredential(known);
    if (known.accountId === session?.accountId) return { outcome: 'mine' };
    await refuseIfClosed(service, known);
    return service.wholeReads({ line: known.accountId, weigh }, async (weighed) => {
      const reading = { store: service.store, slices: service.slices() };
      const summary = await summarizeSide(reading, ownerOf(known), show);
      // The account is looked at last: somebody may have changed the link while its entries were read.
      const isStill = summary?.details.links.some((link) => isSameLink(link, known)) ?? false;
      if (summary === null || !isStill) return null;
      const { side, read } = summary;
      weighed(read);
      return { outcome: 'other', side };
    });
  });
}

/**
 * Takes a deletion back for whoever has the right credential. False where the account is not being deleted. Where the
 * link has changed since the credential was checked, it is checked again.
 */
export function cancelDeletion(service: Service, loginMethod: LoginMethod, device: string): Promise<boolean> {
  return retryOnRace(async () => {
    const link = await service.store.findLink(loginMethod.link);
    if (link === null) return false;
    await loginMethod.checkCredential(link);
    await refuseIfBanned(service, link);
    const deviceLink = { ...deviceLogin(link, device).link, credential: null };
    const outcome = await service.store.cancelDeletion({ link, device: deviceLink, now: service.now() });
    return outcome === 'link_changed' ? null : outcome === 'restored';
  });
}

/** Whether two readings of the store are of the same link, and what was checked against one holds for the other. */
function isSameLink(one: LinkRecord, other: LinkRecord): boolean {
  const isSameSubject = one.method === other.method && one.subject === other.subject;
  return isSameSubject && one.accountId === other.accountId && one.revision === other.revision;
}

/**
 * Makes an account with its first session. `session` is null where another request made the account a moment before.
 */
async function createAccount(
  service: Service,
  loginMethod: LoginMethod,
  { device, address }: { device: string; address: string | undefined },
): Promise<{ session: SessionRecord | null; link: LinkRecord }> {
  const { rateLimiter, store } = service;
  const { gameId, environment, method, subject, label } = loginMethod.link;
  const link = { gameId, environment, method, subject, label, credential: await loginMethod.newCredential() };
  // Only now: a free name that is refused here has taken as long, and counts as much, as a wrong password.
  await rateLimiter.countNewAccount(address);
  const accountId = service.newId();
  const session = newSessionOf(service, { via: link, accountId, device });
  const forgive = async (): Promise<void> => {
    await loginMethod.forgiveLookup();
    await rateLimiter.forgiveNewAccount(address);
  };
  const made = await unlessItFails(
    () => store.ensureAccount({ link, accountId, session, now: session.openedAt }),
    forgive,
  );
  if (made.created) await loginMethod.forgiveLookup();
  else await forgive();
  return { session: made.created ? session : null, link: made.link };
}

/** Takes back what was counted for a step that could not be done: nobody has learned anything by it. */
async function unlessItFails<Result>(step: () => Promise<Result>, takeBack: () => Promise<void>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    await takeBack().catch(() => {});
    throw error;
  }
}
