import type { EntriesOfMerge, MergedPlayers } from '../../protocol/admin-choices.js';
import { accountBanned } from '../accounts/closed.js';
import { newSnapshot } from '../entries/new-snapshot.js';
import { quotaExceeded, quotasOfMerges } from '../quotas.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { AccountsRefusal } from '../stores/choice-requests.js';
import type { Owner } from '../stores/records.js';
import type { Asked } from './changes.js';
import { changeAs } from './operators.js';

/** Makes all that leads to a player's account lead to another one of the same game and environment. */
export async function mergePlayers(
  service: Service,
  owner: Owner,
  { into: accountId, entries, operator, action }: Asked & { into: string; entries: EntriesOfMerge },
): Promise<MergedPlayers> {
  const into = { ...owner, accountId: accountId.toLowerCase() };
  if (into.accountId === owner.accountId) {
    throw new Refusal('invalid_request', { detail: 'into must be another player.' });
  }
  const request = {
    owner,
    into,
    entries,
    snapshots: [newSnapshot(service), newSnapshot(service)] as const,
    quotas: service.quotas,
    entryQuotas: quotasOfMerges(service.quotas),
    now: service.now(),
  };
  const merged = await changeAs(service, operator, { action, change: 'mergeAccounts', request });
  if (merged.outcome === 'quota_exceeded') throw quotaExceeded(merged);
  if (merged.outcome !== 'merged') throw accountsRefused(merged);
  const { moved, customId, written } = merged;
  return {
    userId: into.accountId,
    methods: moved.filter((method) => method !== 'device'),
    deviceCount: moved.filter((method) => method === 'device').length,
    ...(customId === null ? {} : { customId }),
    written,
  };
}

/** Why nothing was done, in words for the operator. */
function accountsRefused(refused: AccountsRefusal): Refusal {
  switch (refused.outcome) {
    case 'no_account':
      return new Refusal('user_not_found');
    case 'deleted':
      return new Refusal('account_deleted', { detail: 'One of the accounts is being deleted: restore it first.' });
    case 'banned':
      return accountBanned(refused.ban);
    case 'method_already_linked':
      return new Refusal('method_already_linked', {
        detail: `Both accounts have a link of the kind ${refused.method}: unlink one first.`,
      });
  }
}
