import type { EntriesOfMerge } from '../../protocol/admin-choices.js';
import type { ConflictChoice, LinkMethod } from '../../protocol/conflict.js';
import type { EntryQuotas, QuotaRefusal } from './entry-requests.js';
import type { Notifying } from './event-requests.js';
import type { BanRecord, LinkKey, ListPlace, NewSnapshot, Owner, Scope } from './records.js';
import type { Bounded, Timed } from './session-requests.js';

/** The latest choice that an account was chosen by: what has to be known to take it back. */
export interface ChoiceRecord extends Owner {
  /** The choice's id, which is that of the snapshot of what was not chosen, too. */
  choiceId: string;
  /** What the player chose; `support` where an operator merged the other account into this one. */
  choice: ConflictChoice | 'support';
  /** The other account. */
  fromId: string;
  /** The links that led to the other account before, and to this one since. */
  moved: readonly Pick<LinkKey, 'method' | 'subject'>[];
  /**
   * The snapshot that has the entries of this account as they were before; null where they stayed, or there were none.
   */
  snapshotId: string | null;
  /** When it was made. */
  madeAt: number;
  /** Until when it can be taken back. */
  expiresAt: number;
}

/** Which page of the choices of a game is asked for. */
export interface ListChoicesRequest extends Timed {
  /** The game and environment. */
  scope: Scope;
  /** The choice after which the page begins, by when it was made and its account's id; null for the first page. */
  after: ListPlace | null;
  /** How many choices the page may have. */
  max: number;
}

/** What `undoChoice` is asked. */
export interface UndoChoiceRequest extends Timed, Bounded, Notifying {
  /** The account that was chosen. */
  owner: Owner;
  /** The choice, which must be the latest. */
  choiceId: string;
  /** What keeps the entries that are overwritten. */
  snapshot: NewSnapshot;
  /** How much the account may hold. */
  entryQuotas: EntryQuotas;
}

/** What became of `undoChoice`. */
export type UndoChoiceOutcome =
  | {
      /** It was done. */
      outcome: 'undone';
      /** The choice as it was. */
      choice: ChoiceRecord;
      /** How many sessions have ended. */
      sessions: number;
      /** How many entries were written. */
      written: number;
    }
  | {
      /**
       * Why nothing was done: the account's latest choice is another one, or none; the other account was removed for
       * good; a link leads elsewhere since; the snapshot of the entries is gone.
       */
      outcome: 'no_choice' | 'former_gone' | 'link_moved' | 'no_snapshot';
    }
  | AccountsRefusal
  | QuotaRefusal;

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
export interface MergeAccountsRequest extends Timed, Bounded, Notifying {
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
