import type { LinkMethod } from '../../protocol/conflict.js';
import { accounts as gaps } from '../../protocol/gaps.js';
import type { AccountAnswer, DeletionAnswer } from '../../protocol/player-wire.js';
import type { LinkRecord, Owner, SessionRecord } from '../stores/store.js';
import { Refusal } from './refusal.js';
import type { Service } from './service.js';
import { openSession, ownerOf } from './sessions.js';
import { byDevice, deviceSubject, type WayIn } from './way-in.js';

/** Signs in: the account that the way in leads to, or a new one with it. Spec gap: the device's own link stays. */
export function signIn(
  service: Service,
  wayIn: WayIn,
  { device, address }: { device: string; address: string | undefined },
): Promise<SessionRecord> {
  return untilSettled(async () => {
    const known = await service.store.findLink(wayIn.link);
    if (known === null) await service.rates.makeAccount(address);
    const { created, link } = known === null ? await makeAccount(service, wayIn) : { created: false, link: known };
    if (!created) await wayIn.check(link);
    return openSession(service, { via: wayIn.link, accountId: link.accountId, device });
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
      return known.accountId === session.accountId ? 'linked' : known;
    }
    const link = { ...wayIn.link, credential: await wayIn.credential() };
    const { outcome } = await service.store.link({ owner: ownerOf(session), link, now: service.now() });
    if (outcome === 'linked') return 'linked';
    if (outcome === 'method_already_linked') throw new Refusal('method_already_linked');
    if (outcome === 'no_account') throw new Refusal('unauthorized');
    return null;
  });
}

/** The methods that lead to an account, each once. */
export async function methodsOf(service: Service, owner: Owner): Promise<LinkMethod[]> {
  const found = await service.store.findAccount(owner);
  return [...new Set(found?.links.map((link) => link.method))];
}

export async function describeAccount(service: Service, owner: Owner): Promise<AccountAnswer> {
  const found = await service.store.findAccount(owner);
  if (found === null) throw new Refusal('unauthorized');
  const methods = found.links.map(({ method, label, linkedAt }) => ({
    method,
    ...(label === null ? {} : { label }),
    linkedAt,
  }));
  return { userId: owner.accountId, createdAt: found.account.createdAt, methods };
}

/** Spec gap: an account that nothing leads to is kept for 30 days. */
export async function deleteAccount(service: Service, owner: Owner): Promise<DeletionAnswer> {
  const now = service.now();
  if (!(await service.store.deleteAccount({ owner, now }))) throw new Refusal('unauthorized');
  return { userId: owner.accountId, removedAt: now + gaps.orphanKeptMs };
}

/** Takes a method away from the account; it is free for others then. */
export async function unlinkMethod(service: Service, owner: Owner, method: LinkMethod): Promise<AccountAnswer> {
  const outcome = await service.store.unlink({ owner, method });
  if (outcome === 'not_linked') throw new Refusal('not_found');
  if (outcome === 'would_orphan') throw new Refusal('would_orphan');
  return describeAccount(service, owner);
}

/** Makes a device lead to an account again, for operators. False where the account has been removed. */
export async function restoreAccount(service: Service, owner: Owner, deviceId: string): Promise<boolean> {
  const { link } = byDevice(owner, await deviceSubject(deviceId));
  return service.store.relink({ owner, link: { ...link, credential: null }, now: service.now() });
}

async function makeAccount(service: Service, wayIn: WayIn): Promise<{ created: boolean; link: LinkRecord }> {
  const link = { ...wayIn.link, credential: await wayIn.credential() };
  return service.store.ensureAccount({ link, accountId: service.newId(), now: service.now() });
}

/** Another request may change what was read; the attempt then gives null and starts again. */
async function untilSettled<Result>(attempt: () => Promise<Result | null>): Promise<Result> {
  for (let tries = 0; tries < 10; tries += 1) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new Refusal('unavailable', { retryAfterMs: 1_000 });
}
