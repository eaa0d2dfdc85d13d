import type { ConflictChoice, LinkMethod } from '../../protocol/conflict.js';
import type { EntryQuotas, QuotaRefusal } from './entry-requests.js';
import type { Notifying } from './event-requests.js';
import type {
  BanRecord,
  CheckedLink,
  EntryVersion,
  LinkRecord,
  NewEntry,
  NewLink,
  NewSession,
  NewSnapshot,
  Owner,
  PlacedRecord,
  Scope,
  SessionRecord,
  TicketRecord,
} from './records.js';
import type { AskedAccount, Bounded, Timed } from './session-requests.js';

// What the operations of a store on accounts, conflicts and limits are asked, and what they answer.

/** What `Store.ensureAccount` is asked. */
export interface EnsureAccountRequest extends Timed {
  /** The link whose account is looked for, and made where there is none. */
  link: NewLink;
  /** The id for a new account. */
  accountId: string;
  /** The first session of a new account; none if left out. */
  session?: SessionRecord;
}

/** What `Store.ensureAccount` answers. */
export interface EnsuredAccount {
  /** Whether this call made the account. */
  created: boolean;
  /** The link that leads to it. */
  link: LinkRecord;
}

/** What `Store.ensureCustomAccount` is asked. */
export interface EnsureCustomAccountRequest extends Timed, Bounded, Notifying {
  /** The link of the game's own user id. */
  custom: NewLink;
  /** The link of the device. */
  device: NewLink;
  /** The id for a new account. */
  accountId: string;
}

/** A link that is to lead to an account. */
interface LinkOfAccount extends Timed {
  /** The account. */
  owner: Owner;
  /** The link. */
  link: NewLink;
}

/** A link that is to lead to an account, as an operator wants it. */
export interface RestoreAccountRequest extends LinkOfAccount, Bounded, Notifying {}

/** What a player asks of the account. */
interface AskedBySession {
  /** The id of the session that asks, which must live; null where it is no player who asks. */
  session: string | null;
}

/** A link that is to take the place of others of an account, as its player wants it. */
export interface ReplaceLinkRequest extends LinkOfAccount, AskedBySession, Notifying {}

/** A link that is to lead to an account, as its player wants it. */
export interface LinkRequest extends ReplaceLinkRequest, Bounded {}

/** What became of `Store.linkMethod`. */
export type LinkOutcome =
  | {
      /** Whether the link was made, or the subject was taken. */
      outcome: 'linked' | 'taken';
      /** The new link, or the one that is there already. */
      link: LinkRecord;
    }
  | {
      /** Why no link was made. */
      outcome: 'method_already_linked' | 'no_account' | 'no_session';
    };

/** What `Store.unlinkMethod` is asked. The session that asks does not end. */
export interface UnlinkRequest extends AskedBySession {
  /** The account. */
  owner: Owner;
  /** The kind of the links to remove. */
  method: LinkMethod;
  /** The device whose link alone is removed; all links of the kind are if left out. */
  device?: string;
}

/** What became of `Store.unlinkMethod`. */
export type UnlinkOutcome = 'unlinked' | 'not_linked' | 'would_orphan' | 'no_session';

/** What `Store.replaceCredential` is asked. The session that asks does not end. */
export interface ReplaceCredentialRequest extends AskedBySession {
  /** The link, as it was when its credential was checked. */
  link: CheckedLink;
  /** The credential to store. */
  to: string;
  /** Whether it is the same password, hashed in another way: then all that came from the link stays. */
  isSamePassword: boolean;
}

/** What `Store.deleteAccount` is asked. */
export interface DeleteAccountRequest extends Timed, Notifying {
  /** The account, and the session that asks. */
  session: AskedAccount;
  /** The link by which the player can take the deletion back. */
  recovery: NewLink;
}

/** What `Store.cancelDeletion` is asked. */
export interface CancelDeletionRequest extends Timed, Notifying {
  /** A link of the account, as it was when its credential was checked. */
  link: CheckedLink;
  /** The link of the player's device. */
  device: NewLink;
}

/** What `Store.openTicket` is asked. */
export interface OpenTicketRequest extends TicketRecord {
  /** When the conflict was met, in ms since 1970: it counts for that day, and for none if left out. */
  openedAt?: number;
}

/** A ticket as somebody shows it. It is valid only for the device that it was given to. */
export interface TicketRequest extends Timed {
  /** The game and environment that the ticket must be of. */
  scope: Scope;
  /** The ticket's hash. */
  ticket: string;
  /** The subject of the device that shows it. */
  device: string;
}

/** What `Store.findConflict` answers. */
export interface ConflictAccounts {
  /** The account that the player is signed in to. */
  local: Owner;
  /** The account that the login method leads to. */
  cloud: Owner;
}

/** What `Store.readConflictSides` answers. */
export interface ConflictEntries {
  /** The entries of the account that the player is signed in to. */
  local: PlacedRecord[];
  /** The entries of the account that the login method leads to. */
  cloud: PlacedRecord[];
  /** What came from one of the accounts into the other last, entry by entry, and is still there. */
  merged: PlacedRecord[];
}

/** A choice in a conflict. */
export interface ChoiceRequest extends TicketRequest, Bounded, Notifying {
  /** Which account the player goes on with. */
  choice: ConflictChoice;
  /** What the choice `merge` writes; null with another choice, or to repeat a merge that was carried out before. */
  merge: MergeRequest | null;
  /** The session to open on the cloud account; not used with the choice `local`. */
  session: NewSession;
  /** What keeps the entries of the account that was not chosen and, for a merge, those of the cloud account. */
  snapshots: readonly [NewSnapshot, NewSnapshot];
}

/** What the choice `merge` writes. */
export interface MergeRequest {
  /** Entries for the cloud account. Those that are not named stay as they are. */
  writes: readonly NewEntry[];
  /** All entries of both accounts, at the versions that the merge was made of. */
  restsOn: {
    /** The entries of the account that the player is signed in to. */
    local: readonly EntryVersion[];
    /** The entries of the account that the login method leads to. */
    cloud: readonly EntryVersion[];
  };
  /** How much the cloud account may hold. */
  quotas: EntryQuotas;
}

/** What became of `Store.resolveConflict`. */
export type ConflictOutcome =
  | {
      /** The choice was carried out, now or before. */
      outcome: 'resolved';
      /** The session that the player goes on with. */
      session: SessionRecord;
    }
  | {
      /** Why nothing was done. */
      outcome: 'stale' | 'method_already_linked';
    }
  | {
      /** The choice was carried out before, and the session that the player went on with has ended since. */
      outcome: 'ended';
    }
  | {
      /** The player of one of the accounts is kept out. */
      outcome: 'banned';
      /** By what. */
      ban: BanRecord;
    }
  | QuotaRefusal;

/** What `Store.claimNonce` is asked. */
export interface NonceRequest extends Timed {
  /** The game; `console` for the sessions of the operators' console that were signed out. */
  gameId: string;
  /** The nonce. */
  nonce: string;
  /** Until when the nonce is claimed. */
  expiresAt: number;
  /** How many nonces of a game are held at most. */
  max: number;
}

/** What `Store.isNonceClaimed` is asked. */
export type ClaimedNonceRequest = Pick<NonceRequest, 'gameId' | 'nonce' | 'now'>;

/** What `Store.knowsDevice` is asked. */
export interface DeviceRequest {
  /** The account, be there one or not. */
  owner: Owner;
  /** The subject of the device. */
  device: string;
}

/** An attempt that a rate limit counts. */
export interface AttemptRequest extends Timed {
  /** What is limited, such as a name or an address. */
  key: string;
  /** How many attempts a window allows. */
  tries: number;
  /** How long a window lasts, in ms. */
  windowMs: number;
  /** How long a lock may last, in ms; null where too many attempts lock nothing. */
  lockMaxMs: number | null;
}

/** What `Store.forgiveAttempt` is asked. */
export interface ForgiveRequest {
  /** What is limited. */
  key: string;
  /** Whether to take back one attempt, or to forget all of them and the locks. */
  forget: 'one' | 'all';
}

/** What `Store.removeExpired` is to remove. */
export interface ExpiryRequest {
  /** The service's clock: what expires by itself and has ended by then is removed. */
  now: number;
  /** Accounts that have been orphans since before this are removed. */
  orphanedBefore: number;
  /** Accounts that have been deleted since before this are removed. */
  deletedBefore: number;
  /** How many records to remove at most. */
  batch: number;
}
