import type { PlayerChoice } from '../../protocol/admin-choices.js';
import type { LinkMethod } from '../../protocol/conflict.js';
import { accountDefaults } from '../../protocol/gaps/accounts.js';
import type { AccountAnswer, DeletionAnswer, DevicesAnswer } from '../../protocol/player-messages.js';
import { Refusal } from '../refusal.js';
import { retryOnRace } from '../retry-on-race.js';
import type { Service } from '../service.js';
import type { ChoiceRecord } from '../stores/choice-requests.js';
import {
  type AccountLink,
  type NewLink,
  type Owner,
  ownerOf,
  type Scope,
  type SessionKey,
  type SessionRecord,
  sessionIdOf,
} from '../stores/records.js';
import type { UnlinkOutcome } from '../stores/requests.js';
import { isStoreUnavailable } from '../stores/unavailable.js';
import { refuseIfDeleted } from './closed.js';
import { deviceLogin, deviceSubject } from './login-methods.js';
import { tryPassword } from './password-tries.js';
import { newRecoveryCode, recoverySubject } from './recovery-code.js';

/** The kinds of the login methods that lead to an account, each once. */
export async function listMethods(service: Service, owner: Owner): Promise<LinkMethod[]> {
  const found = await service.store.readAccount(owner);
  return [...new Set(found?.links.map((link) => link.method))];
}

export async function readAccount(service: Service, owner: Owner): Promise<AccountAnswer> {
  const found = await service.store.readAccount(owner);
  if (found === null) throw new Refusal('unauthorized');
  return { userId: owner.accountId, createdAt: found.account.createdAt, methods: found.links.map(describeLink) };
}

/** For the player alone: it has the e-mail address. */
export function describeLink(link: AccountLink): AccountAnswer['methods'][number] {
  const { mailAddress: address, mailAddressAt: addressSince } = link;
  if (address === null) return describeLinkToOthers(link);
  return { ...describeLinkToOthers(link), address, ...(addressSince === null ? {} : { addressSince }) };
}

export function describeLinkToOthers({ method, label, linkedAt, lastUsedAt }: AccountLink) {
  return { method, ...(label === null ? {} : { label }), linkedAt, lastUsedAt };
}

export function describeChoice(record: ChoiceRecord): PlayerChoice {
  const { choiceId: id, choice, madeAt, expiresAt, fromId: fromUserId, moved } = record;
  return { id, choice, madeAt, expiresAt, fromUserId, methods: moved.map(({ method }) => method) };
}

/**
 * The devices that lead to the session's account. Spec gap: a device's id is a secret, so that
 * they are named otherwise.
 */
export async function listDevices(service: Service, session: SessionRecord): Promise<DevicesAnswer> {
  const devices: DevicesAnswer['devices'] = [];
  for (const { subject, linkedAt, lastUsedAt } of await deviceLinks(service, session)) {
    const id = await service.tokens.deviceName(subject);
    devices.push({ id, linkedAt, lastUsedAt, isCurrent: subject === session.device });
  }
  return { devices };
}

/** Takes a device away from the account, and ends the sessions that are on it, except the one that asks. */
export async function revokeDevice(service: Service, by: SessionKey | Owner, name: string): Promise<void> {
  for (const { subject: device } of await deviceLinks(service, by)) {
    if ((await service.tokens.deviceName(device)) !== name) continue;
    const asked = { owner: ownerOf(by), session: sessionIdOf(by), method: 'device', device } as const;
    return refuseUnlessUnlinked(await service.store.unlinkMethod(asked));
  }
  throw new Refusal('not_found');
}

async function deviceLinks({ store }: Service, owner: Owner): Promise<AccountLink[]> {
  const found = await store.readAccount(ownerOf(owner));
  return (found?.links ?? []).filter(({ method }) => method === 'device');
}

/**
 * Begins to delete the session's account. Spec gap: the account is kept for 30 days, and until then whoever has a
 * right credential can take the deletion back. The recovery code in the answer is one for players who have no other.
 * The same session may ask again where the answer got lost.
 */
export async function deleteAccount(service: Service, by: SessionKey | Owner): Promise<DeletionAnswer> {
  const session = { ...ownerOf(by), sessionId: sessionIdOf(by) };
  const { code, link } = await newRecoveryLink(service, session);
  const deletedAt = await service.store.deleteAccount({ session, recovery: link, now: service.now() });
  if (deletedAt === null) throw await notDeleted(service, session);
  return { userId: session.accountId, removedAt: deletedAt + accountDefaults.deletionGraceMs, recoveryCode: code };
}

/** An operator has seen the account a moment before; the player, or another operator, may have begun in that moment. */
async function notDeleted(
  service: Service,
  { sessionId, ...owner }: Owner & { sessionId: string | null },
): Promise<Refusal> {
  if (sessionId !== null) return new Refusal('unauthorized');
  await refuseIfDeleted(service, owner);
  return new Refusal('user_not_found');
}

/**
 * Removes the account's links of one method, which other accounts may have then. The other sessions that came from them
 * end.
 */
export async function unlinkMethod(
  service: Service,
  by: SessionKey | Owner,
  method: LinkMethod,
): Promise<AccountAnswer> {
  const owner = ownerOf(by);
  refuseUnlessUnlinked(await service.store.unlinkMethod({ owner, session: sessionIdOf(by), method }));
  try {
    return await readAccount(service, owner);
  } catch (error) {
    // The method has been removed, and `unavailable` would say that nothing was done: the client gets `internal`.
    throw isStoreUnavailable(error) ? new Error(error.message) : error;
  }
}

function refuseUnlessUnlinked(outcome: UnlinkOutcome): void {
  if (outcome === 'no_session') throw new Refusal('unauthorized');
  if (outcome === 'not_linked') throw new Refusal('not_found');
  if (outcome === 'would_orphan') throw new Refusal('would_orphan');
}

/** Makes a recovery code. The former code ends, and so do the other sessions that came from it. */
export async function makeRecoveryCode(service: Service, session: SessionRecord): Promise<string> {
  const { code, link } = await newRecoveryLink(service, session);
  const request = { owner: ownerOf(session), session: session.sessionId, link, now: service.now() };
  if (!(await service.store.replaceLink(request))) throw new Refusal('unauthorized');
  return code;
}

/**
 * Changes the password of the account's name. The other sessions that came from the name end, and so do conflicts over
 * it.
 */
export async function changePassword(
  service: Service,
  session: SessionRecord,
  { from, to, address, signal }: { from: string; to: string; address: string | undefined; signal: AbortSignal },
): Promise<void> {
  const { passwords, store } = service;
  await retryOnRace(async () => {
    const found = await store.readAccount(ownerOf(session));
    const link = found?.links.find(({ method }) => method === 'name');
    if (link === undefined) throw new Refusal('not_found', { detail: 'The account has no name.' });
    const { gameId, environment, method, subject, credential } = link;
    const key = { gameId, environment, method, subject };
    const { accountId, device } = session;
    let isRight = false;
    await tryPassword(service, { name: key, accountId, device, address, signal, mayCreate: false }, async (turn) => {
      const isPassword = (password: string) => passwords.verify(password, credential, turn);
      isRight = await isPassword(from);
      // Where the new password is right already, this is the same request again, for the first answer got lost.
      return isRight || (await isPassword(to));
    });
    if (!isRight || credential === null) return true;
    const hash = await passwords.hash(to, { address, signal });
    const changed = { link, to: hash, isSamePassword: false, session: session.sessionId };
    const outcome = await store.replaceCredential(changed);
    if (outcome === 'no_session') throw new Refusal('unauthorized');
    return outcome === 'replaced' ? true : null;
  });
}

/**
 * Makes a device lead to an account, for operators. Spec gap: whoever plays another account on the device by the device
 * alone is signed out of that, for it would be removed while it is played; the device then enters the restored one.
 * False where the account has been removed for good.
 */
export async function restoreAccount(service: Service, owner: Owner, deviceId: string): Promise<boolean> {
  const { link } = deviceLogin(owner, await deviceSubject(deviceId));
  const { quotas } = service;
  return service.store.restoreAccount({ owner, link: { ...link, credential: null }, now: service.now(), quotas });
}

async function newRecoveryLink(
  service: Service,
  { gameId, environment }: Scope,
): Promise<{ code: string; link: NewLink }> {
  const code = newRecoveryCode(service.random);
  const subject = await recoverySubject(code);
  return { code, link: { gameId, environment, method: 'recovery', subject, label: null, credential: null } };
}
