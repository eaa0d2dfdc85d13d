import {
  type EntriesOfMerge,
  entriesOfMerge,
  type MergedPlayers,
  mergedPlayersAnswer,
  type UndoneChoice,
  undoneChoiceAnswer,
} from '../protocol/admin-choices.js';
import { adminOperations } from '../protocol/admin-operations.js';
import type { Environment } from '../protocol/environments.js';
import { checkedBy } from '../protocol/schema-check.js';
import type { AdminCallOptions } from './admin-pages.js';
import { type AdminRequests, callOf, onlyOnce, operationAt } from './admin-requests.js';
import { readObject, readUuid } from './options.js';

/** What becomes of two accounts. */
export interface MergePlayersOptions extends AdminCallOptions {
  /** The user id that everything is to lead to. */
  into: string;
  /**
   * Whose saves count: `keep`, the default, leaves those of `into` as they are; `take` writes those of the other
   * account over them, entry by entry.
   */
  entries?: EntriesOfMerge | undefined;
}

/** What an operator chooses for a player, each time with an entry in the audit log. */
export interface AdminPlayerChoices {
  /**
   * Makes all that leads to a player's account lead to another one: login methods, devices, the custom id. The sessions
   * of `userId` end, and nothing leads there any more; it can be restored for 30 days. What is not chosen is kept in
   * snapshots of `into`. Fails with `method_already_linked`, and nothing is done, where both have a login method of one
   * kind (`unlink` takes one away); with `account_deleted` or `account_banned` where that is so for one of them. Takes
   * the scope `admin`. After `network` or `timeout` it may have been done: look at the player.
   */
  merge(userId: string, options: MergePlayersOptions): Promise<MergedPlayers>;
  /**
   * Takes the latest choice of a player's account back; `get` has it, with its id. What it moved leads to the other
   * account again, and the saves are as they were, where the choice has changed them; those that it made anew stay.
   * Fails with `not_found` where it is not the latest choice, with `conflict_stale` where the other account was removed
   * for good, what was moved leads elsewhere since, or the saves are no longer kept, and else as `merge`.
   */
  undoChoice(userId: string, choiceId: string, options?: AdminCallOptions): Promise<UndoneChoice>;
}

export function createPlayerChoices(
  { ask }: AdminRequests,
  { game, environment }: { game: string; environment: Environment },
): AdminPlayerChoices {
  const query = { env: environment };
  const at = (userId: string) => ({ game, user: readUuid(userId, 'userId') });

  return {
    async undoChoice(userId, choiceId, options) {
      const choice = readUuid(choiceId, 'choiceId');
      const operation = operationAt(adminOperations.undoPlayerChoice, { ...at(userId), choice });
      return ask({ operation, query, answer: checkedBy(undoneChoiceAnswer), mayRepeat: onlyOnce, ...callOf(options) });
    },

    async merge(userId, options) {
      const { into, entries = 'keep' } = readObject(options, 'options');
      if (!entriesOfMerge.includes(entries)) throw new TypeError(`entries must be one of ${entriesOfMerge.join(', ')}`);
      const operation = operationAt(adminOperations.mergePlayers, at(userId));
      const body = { into: readUuid(into, 'into'), entries };
      const answer = checkedBy(mergedPlayersAnswer);
      return ask({ operation, query, body, answer, mayRepeat: onlyOnce, ...callOf(options) });
    },
  };
}
