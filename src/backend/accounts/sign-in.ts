import type { ConflictField } from '../../protocol/conflict.js';
import { accountDefaults } from '../../protocol/gaps/accounts.js';
import type { PeekAnswer } from '../../protocol/player-messages.js';
import { summarizeSide } from '../conflicts/conflict-summary.js';
import { Refusal } from '../refusal.js';
import { retryOnRace } from '../retry-on-race.js';
import type { Service } from '../service.js';
import { newSessionOf } from '../sessions/sessions.js';
import { type LinkRecord, type Owner, ownerOf, type SessionRecord } from '../stores/records.js';
import { deviceLogin, type LoginMethod } from './login-methods.js';

/**
 * * Opens a session of the account that the login method leads to. Where it leads nowhere and `mayCreate` says so, it
 * makes an account with this login method. Spec gap: the device's own link stays.
 */
export function signIn(
  service: Service,
  loginMethod: LoginMethod,
  { device, address, mayCreate }: { device: string; address: string | undefined; mayCreate: boolean },
): Promise<SessionRecord> {
  return retryOnRace(async () => {
    let link = await service.store.findLink(loginMethod.link);
    if (link === null) {
      if (!mayCreate || !loginMethod.canBeNew) throw await loginMethod.unknownRefusal();
      const first = await createAccount(service, loginMethod, { device, address });
      if (first.session !== null) return first.session;
      link = first.link;
    }
    await loginMethod.checkCredential(link);
    const session = newSessionOf(service, { via: loginMethod.link, accountId: link.accountId, device });
    if (await service.store.openSession(session)) return session;
    await refuseIfDeleted(service, link);
    return null;
  });
}

/**
 * * Links a login method to the session's account; the session stays as it is. Where the login method leads to another
 * account, that is a conflict: it checks the credential and returns the link.
 */
export function linkOrConflict(
  service: Service,
  loginMethod: LoginMethod,
  session: SessionRecord,
): Promise<LinkRecord | 'linked'> {
  return retryOnRace(async () => {
    const known = await service.store.findLink(loginMethod.link);
    if (known !== null) {
      await loginMethod.checkCredential(known);
      if (known.accountId === session.accountId) return 'linked';
      await refuseIfDeleted(service, known);
      return known;
    }
    if (!loginMethod.canBeNew) throw await loginMethod.unknownRefusal();
    const link = { ...loginMethod.link, credential: await loginMethod.newCredential() };
    const { outcome } = await unlessItFails(
      () => service.store.linkMethod({ owner: ownerOf(session), link, now: service.now() }),
      () => loginMethod.forgiveLookup(),
    );
    if (outcome === 'linked') {
      await loginMethod.forgiveLookup();
      return 'linked';
    }
    if (outcome === 'method_already_linked') throw new Refusal('method_already_linked');
    if (outcome === 'no_account') throw new Refusal('unauthorized');
    // Somebody has taken the link meanwhile: that the player finds out by a look at what is linked now.
    await loginMethod.forgiveLookup();
    return null;
  });
}

/** What a sign-in by a login method would do; nothing is changed. */
export async function peek(
  service: Service,
  loginMethod: LoginMethod,
  { session, show }: { session: SessionRecord | null; show: readonly ConflictField[] },
): Promise<PeekAnswer> {
  const known = await service.store.findLink(loginMethod.link);
  if (known === null) {
    if (!loginMethod.canBeNew) throw await loginMethod.unknownRefusal();
    await loginMethod.countLookup();
    return { outcome: 'free' };
  }
  await loginMethod.checkCredential(known);
  if (known.accountId === session?.accountId) return { outcome: 'mine' };
  await refuseIfDeleted(service, known);
  const profile = await service.store.readProfile(ownerOf(known));
  if (profile === null) return { outcome: 'free' };
  return { outcome: 'other', side: await summarizeSide(profile, show, service.slices()) };
}

/** Takes a deletion back for whoever has the right credential. False where the account is not being deleted. */
export async function cancelDeletion(service: Service, loginMethod: LoginMethod, device: string): Promise<boolean> {
  const known = await service.store.findLink(loginMethod.link);
  if (known === null) return false;
  await loginMethod.checkCredential(known);
  const link = { ...deviceLogin(known, device).link, credential: null };
  return service.store.cancelDeletion({ owner: ownerOf(known), device: link, now: service.now() });
}

/** Spec gap: only whoever could sign in to an account is told that it is being deleted. */
export async function refuseIfDeleted(service: Service, owner: Owner): Promise<void> {
  const found = await service.store.readAccount(ownerOf(owner));
  const deletedAt = found?.account.deletedAt ?? null;
  if (deletedAt !== null)
    throw new Refusal('account_deleted', { removedAt: deletedAt + accountDefaults.deletionGraceMs });
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
  const link = { ...loginMethod.link, credential: await loginMethod.newCredential() };
  // Only now: a free name that is refused here has taken as long, and counts as much, as a wrong password.
  await rateLimiter.countNewAccount(address);
  const accountId = service.newId();
  const session = newSessionOf(service, { via: link, accountId, device });
  const forgive = async (): Promise<void> => {
    await loginMethod.forgiveLookup();
    await rateLimiter.forgiveNewAccount(address);
  };
  const made = await unlessItFails(
    () => store.ensureAccount({ link, accountId, session, now: service.now() }),
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
