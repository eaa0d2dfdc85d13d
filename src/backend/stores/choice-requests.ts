import type { EntriesOfMerge } from '../../protocol/admin-choices.js';
import type { LinkMethod } from '../../protocol/conflict.js';
import type { EntryQuotas, QuotaRefusal } from './entry-requests.js';
import type { BanRecord, NewSnapshot, Owner } from './records.js';
import type { Bounded, Timed } from './session-requests.js';

// What a store is asked by operators who choose for a player, and what it answers.

/** An account may not be changed so: nothing was done. */
export type AccountsRefusal =
  | {
      /** One of the accounts is not there, or is being deleted. */
      outcome: 'no_account' | 'deleted';
    }
  | {
      /** The player of one of the accounts is kept out. */
      outcome: 'banned';
      /** By what. */
      ban: BanRecord;
    }
  | {
      /** Both accounts have a link of a kind of which one may have one. */
      outcome: 'method_already_linked';
      /** Which kind. */
      method: LinkMethod;
    };

/** What `mergeAccounts` is asked. */
export interface MergeAccountsRequest extends Timed, Bounded {
  /** The account whose links are to lead to the other one. */
  owner: Owner;
  /** The other account, of the same game and environment. */
  into: Owner;
  /** Whether the entries of `into` stay, or those of `owner` take their place, entry by entry. */
  entries: EntriesOfMerge;
  /** What keeps the entries of `owner` and, where they are taken, those of `into`. */
  snapshots: readonly [NewSnapshot, NewSnapshot];
  /** How much `into` may hold. */
  entryQuotas: EntryQuotas;
}

/** What became of `mergeAccounts`. */
export type MergeAccountsOutcome =
  | {
      /** It was done. */
      outcome: 'merged';
      /** The kind of each link that leads to the other account since. */
      moved: LinkMethod[];
      /** The subject of the game's own user id among them; null where there is none. */
      customId: string | null;
      /** How many sessions have ended. */
      sessions: number;
      /** How many entries were written. */
      written: number;
    }
  | AccountsRefusal
  | QuotaRefusal;
