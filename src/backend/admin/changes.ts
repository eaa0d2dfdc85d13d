import type { ResetCode, SignInCode } from '../../protocol/admin-messages.js';
import type { AccountAnswer, DeletionAnswer } from '../../protocol/player-messages.js';
import { deleteAccount, restoreAccount, revokeDevice, unlinkMethod } from '../accounts/accounts.js';
import { refuseIfDeleted } from '../accounts/closed.js';
import { exportAccount } from '../accounts/export-account.js';
import { makeSupportCode } from '../accounts/password-reset.js';
import { newSignInCode } from '../accounts/sign-in-code.js';
import { restoreSnapshot } from '../entries/snapshots.js';
import type { BodyStream } from '../http/answers.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { OperatorChange, OperatorChanges } from '../stores/operator-requests.js';
import { type BanRecord, type EntryVersion, type Owner, ownerOf } from '../stores/records.js';
import type { Store } from '../stores/store.js';
import { storeWith } from '../stores/store-with.js';
import { changeAs, type Operator } from './operators.js';

/** Who changes what: the name of the operation, for the audit log. */
export interface Asked {
  operator: Operator;
  action: string;
}

/**
 * The service for an operator: what the functions that players use change in the store is noted in the step that
 * changes it. What an operator may not change has no other way either.
 */
export function asOperator(service: Service, { operator, action }: Asked): Service {
  const named = <Change extends OperatorChange>(
    change: Change,
    request: OperatorChanges[Change]['request'],
    deviceNames: ReadonlyMap<string, string> = new Map(),
  ) => changeAs(service, operator, { action, change, request, deviceNames });
  const noted =
    <Change extends OperatorChange>(change: Change) =>
    (request: OperatorChanges[Change]['request']) =>
      named(change, request);
  const updateEntry = noted('updateEntry');
  const own: Partial<Store> = {
    updateEntry: (request) => updateEntry({ ...request, keepsFormer: true }),
    restoreSnapshot: noted('restoreSnapshot'),
    endSessions: noted('endSessions'),
    unlinkMethod: async (request) => named('unlinkMethod', request, await deviceNames(service, request.owner)),
    deleteAccount: async (request) => named('deleteAccount', request, await deviceNames(service, request.session)),
    restoreAccount: async (request) =>
      named('restoreAccount', request, await deviceNames(service, request.owner, request.link.subject)),
    makeCode: noted('makeCode'),
  };
  return { ...service, store: storeWith(service.store, own) };
}

/** The names of an account's devices, and of another one, by their subjects: for the log, which has no subject. */
async function deviceNames({ store, tokens }: Service, owner: Owner, ...more: string[]): Promise<Map<string, string>> {
  const found = await store.readAccount(ownerOf(owner));
  const devices = (found?.links ?? []).filter(({ method }) => method === 'device').map(({ subject }) => subject);
  const names = new Map<string, string>();
  for (const subject of [...devices, ...more]) names.set(subject, await tokens.deviceName(subject));
  return names;
}

/** Refuses where there is no such player, before anything else is said. */
export async function requirePlayerThere({ store }: Service, owner: Owner): Promise<void> {
  if ((await store.readAccount(owner)) === null) throw new Refusal('user_not_found');
}

/** Ends all sessions of a player. */
export async function signOutPlayer(service: Service, owner: Owner, asked: Asked): Promise<void> {
  const ended = await asOperator(service, asked).store.endSessions(owner);
  if (ended === null) throw new Refusal('user_not_found');
}

/** Writes a snapshot back. The player's clients load it as what another device has written. */
export async function restorePlayerSnapshot(
  service: Service,
  owner: Owner,
  { snapshotId, ...asked }: Asked & { snapshotId: string },
): Promise<EntryVersion[]> {
  return restoreSnapshot(asOperator(service, asked), owner, { snapshotId });
}

export async function unlinkPlayerMethod(
  service: Service,
  owner: Owner,
  { method, ...asked }: Asked & { method: Parameters<typeof unlinkMethod>[2] },
): Promise<AccountAnswer> {
  await requirePlayerThere(service, owner);
  return unlinkMethod(asOperator(service, asked), owner, method);
}

export async function revokePlayerDevice(
  service: Service,
  owner: Owner,
  { device, ...asked }: Asked & { device: string },
): Promise<void> {
  await requirePlayerThere(service, owner);
  await revokeDevice(asOperator(service, asked), owner, device);
}

/**
 * Begins to delete a player's account. An account that is being deleted stays as it is: its
 * player may have a code for it.
 */
export async function deletePlayer(service: Service, owner: Owner, asked: Asked): Promise<DeletionAnswer> {
  await requirePlayerThere(service, owner);
  await refuseIfDeleted(service, owner);
  return deleteAccount(asOperator(service, asked), owner);
}

/**
 * Takes a deletion back. With a device, that leads to the account from then on, wherever it led before, also where the
 * account was no more than an orphan.
 */
export async function restorePlayer(
  service: Service,
  owner: Owner,
  { deviceId, ...asked }: Asked & { deviceId: string | undefined },
): Promise<void> {
  if (deviceId !== undefined) {
    if (await restoreAccount(asOperator(service, asked), owner, deviceId)) return;
    throw new Refusal('user_not_found');
  }
  const { operator, action } = asked;
  const outcome = await changeAs(service, operator, { action, change: 'undelete', request: { owner } });
  if (outcome === 'no_account') throw new Refusal('user_not_found');
  if (outcome === 'not_deleted') throw new Refusal('not_found', { detail: 'The account is not being deleted.' });
}

/** Keeps a player out, in the place of an earlier ban, and ends all sessions. */
export async function banPlayer(
  service: Service,
  owner: Owner,
  { until, reason, operator, action }: Asked & Pick<BanRecord, 'until' | 'reason'>,
): Promise<void> {
  const at = service.now();
  if (until !== null && until <= at) throw new Refusal('invalid_request', { detail: 'until must be in the future.' });
  const ban = { at, until, reason };
  const done = await changeAs(service, operator, { action, change: 'banAccount', request: { owner, ban } });
  if (done === null) throw new Refusal('user_not_found');
}

/** Ends a ban before its time. */
export async function unbanPlayer(service: Service, owner: Owner, { operator, action }: Asked): Promise<void> {
  const request = { owner, now: service.now() };
  const done = await changeAs(service, operator, { action, change: 'unbanAccount', request });
  if (done === 'no_account') throw new Refusal('user_not_found');
  if (done === 'not_banned') throw new Refusal('not_found', { detail: 'The player is not banned.' });
}

/** Makes a code by which the player sets a new password: who has it has the account, so that only its hash is kept. */
export async function makeResetCode(service: Service, owner: Owner, asked: Asked): Promise<ResetCode> {
  await requirePlayerThere(service, owner);
  await refuseIfDeleted(service, owner);
  const made = await makeSupportCode(asOperator(service, asked), owner);
  if (made === null) throw new Refusal('not_found', { detail: 'The account has no name.' });
  return made;
}

/**
 * Makes a code by which a player gets into the account once, on another device: who has it has the account, so that only
 * its hash is kept.
 */
export async function makeSignInCode(service: Service, owner: Owner, { operator, action }: Asked): Promise<SignInCode> {
  await requirePlayerThere(service, owner);
  const { code, request } = await newSignInCode(service, owner);
  const done = await changeAs(service, operator, { action, change: 'makeSignInCode', request });
  if (done === 'made') return { code, expiresAt: request.expiresAt };
  await refuseIfDeleted(service, owner);
  throw new Refusal('user_not_found');
}

/** Gives out all that is held on a player, which is noted before. */
export async function exportPlayer(service: Service, owner: Owner, asked: Asked): Promise<BodyStream> {
  const { operator, action } = asked;
  if (!(await changeAs(service, operator, { action, change: 'noteExport', request: owner }))) {
    throw new Refusal('user_not_found');
  }
  return exportAccount(service, owner);
}
