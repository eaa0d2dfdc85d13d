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
 * Signs in: the account that the login method leads to, or, where it may, a new one with it. Spec gap: the device's own link
 * stays.
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
      await service.rateLimiter.countNewAccount(address);
      const first = await createAccount(service, loginMethod, device);
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
 * Links a login method to the session's account: the session goes on as it was. Gives back the link where another account
 * owns it, its credential checked: a conflict.
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
    // Whether it can be linked or not, the answer tells that nobody has it.
    await loginMethod.countLookup();
    const link = { ...loginMethod.link, credential: await loginMethod.newCredential() };
    const { outcome } = await service.store.linkMethod({ owner: ownerOf(session), link, now: service.now() });
    if (outcome === 'linked') {
      await loginMethod.forgiveLookup();
      return 'linked';
    }
    if (outcome === 'method_already_linked') throw new Refusal('method_already_linked');
    if (outcome === 'no_account') throw new Refusal('unauthorized');
    return null;
  });
}

/** What a login method would do, before anything does. */
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
  return profile === null ? { outcome: 'free' } : { outcome: 'other', side: summarizeSide(profile, show) };
}

/** Takes a deletion back, for whoever has a right credential. False where the account is not being deleted. */
export async function cancelDeletion(service: Service, loginMethod: LoginMethod, device: string): Promise<boolean> {
  const known = await service.store.findLink(loginMethod.link);
  if (known === null) return false;
  await loginMethod.checkCredential(known);
  const link = { ...deviceLogin(known, device).link, credential: null };
  return service.store.cancelDeletion({ owner: ownerOf(known), device: link, now: service.now() });
}

/** Spec gap: an account that is being deleted says so to whoever could sign in to it, and to nobody else. */
export async function refuseIfDeleted(service: Service, owner: Owner): Promise<void> {
  const found = await service.store.readAccount(ownerOf(owner));
  const deletedAt = found?.account.deletedAt ?? null;
  if (deletedAt !== null)
    throw new Refusal('account_deleted', { removedAt: deletedAt + accountDefaults.deletionGraceMs });
}

/** A new account with its first session; another request may have made one a moment before. */
async function createAccount(
  service: Service,
  loginMethod: LoginMethod,
  device: string,
): Promise<{ session: SessionRecord | null; link: LinkRecord }> {
  const link = { ...loginMethod.link, credential: await loginMethod.newCredential() };
  const accountId = service.newId();
  const session = newSessionOf(service, { via: link, accountId, device });
  const made = await service.store.ensureAccount({ link, accountId, session, now: service.now() });
  return { session: made.created ? session : null, link: made.link };
}
