import { accountDefaults } from '../../protocol/gaps/accounts.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import { type AccountRecord, type BanRecord, type Owner, ownerOf } from '../stores/records.js';
import { banOf } from '../stores/rules/bans.js';

/**
 * Refuses where nobody gets into an account: its player is banned, or it is being deleted. Spec gap: only whoever
 * could sign in to it is told.
 */
export async function refuseIfClosed(service: Service, owner: Owner): Promise<void> {
  const account = await accountOf(service, owner);
  refuseBanned(service, account);
  refuseDeleted(account);
}

/** The same for what a ban alone keeps from being done. */
export async function refuseIfBanned(service: Service, owner: Owner): Promise<void> {
  refuseBanned(service, await accountOf(service, owner));
}

/** The same for what a ban does not keep from being done. */
export async function refuseIfDeleted(service: Service, owner: Owner): Promise<void> {
  refuseDeleted(await accountOf(service, owner));
}

/** What whoever could sign in is told. */
export function accountBanned({ until, reason }: BanRecord): Refusal {
  return new Refusal('account_banned', { until: until === null ? null : new Date(until).toISOString(), reason });
}

async function accountOf({ store }: Service, owner: Owner): Promise<AccountRecord | undefined> {
  return (await store.readAccount(ownerOf(owner)))?.account;
}

function refuseBanned({ now }: Service, account: AccountRecord | undefined): void {
  const ban = banOf(account, now());
  if (ban !== null) throw accountBanned(ban);
}

function refuseDeleted(account: AccountRecord | undefined): void {
  const deletedAt = account?.deletedAt ?? null;
  if (deletedAt === null) return;
  throw new Refusal('account_deleted', { removedAt: deletedAt + accountDefaults.deletionGraceMs });
}
