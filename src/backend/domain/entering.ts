import type { ConflictField } from '../../protocol/conflict.js';
import { accounts as gaps } from '../../protocol/gaps.js';
import type { PeekAnswer } from '../../protocol/player-wire.js';
import type { LinkRecord, Owner, SessionRecord } from '../stores/records.js';
import { Refusal } from './refusal.js';
import type { Service } from './service.js';
import { ownerOf, sessionVia } from './sessions.js';
import { untilSettled } from './settled.js';
import { sideOf } from './sides.js';
import { byDevice, type WayIn } from './way-in.js';

/**
 * Signs in: the account that the way in leads to, or, where it may, a new one with it. Spec gap: the device's own link
 * stays.
 */
export function signIn(
  service: Service,
  wayIn: WayIn,
  { device, address, mayCreate }: { device: string; address: string | undefined; mayCreate: boolean },
): Promise<SessionRecord> {
  return untilSettled(async () => {
    let link = await service.store.findLink(wayIn.link);
    if (link === null) {
      if (!mayCreate || !wayIn.makesLinks) throw await wayIn.unknown();
      await service.rates.makeAccount(address);
      const first = await makeAccount(service, wayIn, device);
      if (first.session !== null) return first.session;
      link = first.link;
    }
    await wayIn.check(link);
    const session = sessionVia(service, { via: wayIn.link, accountId: link.accountId, device });
    if (await service.store.openSession(session)) return session;
    await refuseDeleted(service, link);
    return null;
  });
}

/**
 * Links a way in to the session's account: the session goes on as it was. Gives back the link where another account
 * owns it, its credential checked: a conflict.
 */
export function linkOrConflict(service: Service, wayIn: WayIn, session: SessionRecord): Promise<LinkRecord | 'linked'> {
  return untilSettled(async () => {
    const known = await service.store.findLink(wayIn.link);
    if (known !== null) {
      await wayIn.check(known);
      if (known.accountId === session.accountId) return 'linked';
      await refuseDeleted(service, known);
      return known;
    }
    if (!wayIn.makesLinks) throw await wayIn.unknown();
    // Whether it can be linked or not, the answer tells that nobody has it.
    await wayIn.look();
    const link = { ...wayIn.link, credential: await wayIn.credential() };
    const { outcome } = await service.store.link({ owner: ownerOf(session), link, now: service.now() });
    if (outcome === 'linked') {
      await wayIn.linked();
      return 'linked';
    }
    if (outcome === 'method_already_linked') throw new Refusal('method_already_linked');
    if (outcome === 'no_account') throw new Refusal('unauthorized');
    return null;
  });
}

/** What a way in would do, before anything does. */
export async function peek(
  service: Service,
  wayIn: WayIn,
  { session, show }: { session: SessionRecord | null; show: readonly ConflictField[] },
): Promise<PeekAnswer> {
  const known = await service.store.findLink(wayIn.link);
  if (known === null) {
    if (!wayIn.makesLinks) throw await wayIn.unknown();
    await wayIn.look();
    return { outcome: 'free' };
  }
  await wayIn.check(known);
  if (known.accountId === session?.accountId) return { outcome: 'mine' };
  await refuseDeleted(service, known);
  const profile = await service.store.readProfile(ownerOf(known));
  return profile === null ? { outcome: 'free' } : { outcome: 'other', side: sideOf(profile, show) };
}

/** Takes a deletion back, for whoever has a right credential. False where the account is not being deleted. */
export async function restoreDeleted(service: Service, wayIn: WayIn, device: string): Promise<boolean> {
  const known = await service.store.findLink(wayIn.link);
  if (known === null) return false;
  await wayIn.check(known);
  const link = { ...byDevice(known, device).link, credential: null };
  return service.store.restoreAccount({ owner: ownerOf(known), device: link, now: service.now() });
}

/** Spec gap: an account that is being deleted says so to whoever could sign in to it, and to nobody else. */
export async function refuseDeleted(service: Service, owner: Owner): Promise<void> {
  const found = await service.store.findAccount(ownerOf(owner));
  const deletedAt = found?.account.deletedAt ?? null;
  if (deletedAt !== null) throw new Refusal('account_deleted', { removedAt: deletedAt + gaps.deletionGraceMs });
}

/** A new account with its first session; another request may have made one a moment before. */
async function makeAccount(
  service: Service,
  wayIn: WayIn,
  device: string,
): Promise<{ session: SessionRecord | null; link: LinkRecord }> {
  const link = { ...wayIn.link, credential: await wayIn.credential() };
  const accountId = service.newId();
  const session = sessionVia(service, { via: link, accountId, device });
  const made = await service.store.ensureAccount({ link, accountId, session, now: service.now() });
  return { session: made.created ? session : null, link: made.link };
}
