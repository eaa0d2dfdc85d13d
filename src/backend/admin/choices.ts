import type { EntriesOfMerge, GameChoice, MergedPlayers, UndoneChoice } from '../../protocol/admin-choices.js';
import { describeChoice } from '../accounts/accounts.js';
import { accountBanned } from '../accounts/closed.js';
import { newSnapshot } from '../entries/new-snapshot.js';
import { quotaExceeded, quotasOfMerges } from '../quotas.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { AccountsRefusal } from '../stores/choice-requests.js';
import type { ListPlace, Owner, Scope } from '../stores/records.js';
import type { Asked } from './changes.js';
import { changeAs } from './operators.js';
import { type Page, pageOf } from './pages.js';

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

/** A page of the latest choice of each account of a game, the one that was made last first. */
export async function listChoices(
  { store, now }: Service,
  scope: Scope,
  page: Page<ListPlace>,
): Promise<{ choices: GameChoice[]; cursor?: string }> {
  const found = await store.listChoices({ scope, after: page.after, max: page.max + 1, now: now() });
  const { items, ...next } = pageOf(page, found, ({ madeAt: at, accountId: id }) => ({ at, id }));
  return { choices: items.map((choice) => ({ ...describeChoice(choice), userId: choice.accountId })), ...next };
}

/** Takes the latest choice of a player's account back. */
export async function undoPlayerChoice(
  service: Service,
  owner: Owner,
  { choiceId, operator, action }: Asked & { choiceId: string },
): Promise<UndoneChoice> {
  const request = {
    owner,
    choiceId,
    snapshot: newSnapshot(service),
    quotas: service.quotas,
    entryQuotas: quotasOfMerges(service.quotas),
    now: service.now(),
  };
  const undone = await changeAs(service, operator, { action, change: 'undoChoice', request });
  switch (undone.outcome) {
    case 'undone': {
      const { choice, written } = undone;
      return { userId: choice.fromId, methods: choice.moved.map(({ method }) => method), written };
    }
    case 'no_choice':
      throw new Refusal('not_found', { detail: 'It is not the latest choice of the account, or it is too old.' });
    case 'former_gone':
      throw new Refusal('conflict_stale', { detail: 'The account that it led to before was removed for good.' });
    case 'link_moved':
      throw new Refusal('conflict_stale', { detail: 'What the choice has moved leads elsewhere since, or is gone.' });
    case 'no_snapshot':
      throw new Refusal('conflict_stale', { detail: 'The saves as they were before are no longer kept.' });
    case 'quota_exceeded':
      throw quotaExceeded(undone);
    default:
      throw accountsRefused(undone);
  }
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
