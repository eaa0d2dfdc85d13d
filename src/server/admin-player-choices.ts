import {
  type EntriesOfMerge,
  entriesOfMerge,
  type MergedPlayers,
  mergedPlayersAnswer,
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
   * Whose saves count: `keep`, the default, leaves those of `into` as they are; `take` writes those of the other account over
   * them, entry by entry.
   */
  entries?: EntriesOfMerge | undefined;
}

/** What an operator chooses for a player, each time with an entry in the audit log. */
export interface AdminPlayerChoices {
  /**
   * Makes all that leads to a player's account lead to another one: login methods, devices, the custom id. The sessions of
   * `userId` end, and nothing leads there any more; it can be restored for 30 days. What is not chosen is kept in snapshots of
   * `into`. Fails with `method_already_linked`, and nothing is done, where both have a login method of one kind (`unlink` takes
   * one away); with `account_deleted` or `account_banned` where that is so for one of them. Takes the scope `admin`. After
   * `network` or `timeout` it may have been done: look at the player.
   */
  merge(userId: string, options: MergePlayersOptions): Promise<MergedPlayers>;
}

export function createPlayerChoices(
  { ask }: AdminRequests,
  { game, environment }: { game: string; environment: Environment },
): AdminPlayerChoices {
  const query = { env: environment };
  const at = (userId: string) => ({ game, user: readUuid(userId, 'userId') });

  return {
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
