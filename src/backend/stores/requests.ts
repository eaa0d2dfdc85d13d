import type { ConflictChoice, LinkMethod } from '../../protocol/conflict.js';
import type { QuotaName } from '../../protocol/gaps/quotas.js';
import type { WriteName } from '../../protocol/idempotency-key.js';
import type {
  CheckedLink,
  EntryName,
  EntryRecord,
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
  SnapshotKey,
} from './records.js';
import type { AskedAccount, Bounded } from './session-requests.js';

// What the operations of a store are asked, and what they answer.

/** A request whose outcome depends on the time. */
interface Timed {
  /** The service's clock, in ms since 1970. */
  now: number;
}

/** A change of an account's entries or snapshots, and who asks for it. */
interface Asked extends Timed {
  /** The player's session that asks, in this account; null for the game's back end. */
  sessionId: string | null;
}

/** Why somebody may not change an account's entries or snapshots: nothing was done. */
export type WriteRefusal =
  | {
      /** The player's session has ended, or the back end asks for an account that is not there. */
      outcome: 'no_session' | 'no_account';
    }
  | {
      /** The back end asks for an account that is being deleted. */
      outcome: 'deleted';
      /** Since when it is. */
      deletedAt: number;
    };

/**
 * How much an account may hold after a write that makes it hold more. What takes no more than before is written, whatever
 * the account holds.
 */
export interface EntryQuotas {
  /** The bytes of all values together, as UTF-8. */
  values: number;
  /** How many entries a collection may have. */
  entries: number;
  /** How many collections an account may have. */
  collections: number;
}

/** An account may not hold so much: nothing was done. */
export interface QuotaRefusal {
  /** The account would hold more than it may. */
  outcome: 'quota_exceeded';
  /** What it would hold too much of. */
  quota: QuotaName;
  /** How much it may hold. */
  limit: number;
  /** How much it holds; of `entries`, the collection that is full. */
  used: number;
}

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
export interface EnsureCustomAccountRequest extends Timed, Bounded {
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
export interface RestoreAccountRequest extends LinkOfAccount, Bounded {}

/** What a player asks of the account. */
interface AskedBySession {
  /** The id of the session that asks, which must live; null where it is no player who asks. */
  session: string | null;
}

/** A link that is to take the place of others of an account, as its player wants it. */
export interface ReplaceLinkRequest extends LinkOfAccount, AskedBySession {}

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
export interface DeleteAccountRequest extends Timed {
  /** The account, and the session that asks. */
  session: AskedAccount;
  /** The link by which the player can take the deletion back. */
  recovery: NewLink;
}

/** What `Store.cancelDeletion` is asked. */
export interface CancelDeletionRequest extends Timed {
  /** A link of the account, as it was when its credential was checked. */
  link: CheckedLink;
  /** The link of the player's device. */
  device: NewLink;
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

/** What `Store.readConflictSides` answers. */
export interface ConflictEntries {
  /** The entries of the account that the player is signed in to. */
  local: PlacedRecord[];
  /** The entries of the account that the login method leads to. */
  cloud: PlacedRecord[];
  /** The entries of the local account as they were when it was last merged into this cloud account; none if it never was. */
  merged: PlacedRecord[];
}

/** A choice in a conflict. */
export interface ChoiceRequest extends TicketRequest, Bounded {
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
  | QuotaRefusal;

/** What `Store.readCollection` is asked. */
export interface CollectionRequest {
  /** The account. */
  owner: Owner;
  /** The collection's name. */
  collection: string;
}

/** What `Store.readEntries` is asked. */
export interface EntriesRequest {
  /** The account. */
  owner: Owner;
  /** The entry after which the page begins; null for the first page. */
  after: EntryName | null;
  /** How many entries the page may have. */
  max: number;
}

/** A write of one entry. */
export interface UpdateRequest extends NewEntry, Asked {
  /** The account. */
  owner: Owner;
  /** The name of the write, by which a repeat of it is known; none if left out. */
  name?: WriteName | undefined;
  /** The version that the write rests on; -1 for any, `absent` for an entry that is not stored yet. */
  version: number | 'absent';
  /** The snapshot that keeps what a write with version -1 overwrites. */
  snapshot: NewSnapshot;
  /** Keeps what any other write overwrites, too; false if left out. Only for `Store.changeAsOperator`. */
  keepsFormer?: boolean | undefined;
  /** How much the account may hold. */
  quotas: EntryQuotas;
}

/** What became of `Store.updateEntry`. */
export type UpdateOutcome =
  | {
      /** The entry was written, now or by an earlier request with the same name. */
      outcome: 'written';
      /** The version that the write made. */
      version: number;
    }
  | {
      /** Another version is stored than the write rests on. */
      outcome: 'mismatch';
      /** The stored entry; null where there is none. */
      current: EntryRecord | null;
      /** Present where the write has a name, and the ledger says for sure that it was never carried out. */
      carriedOut?: false;
    }
  | QuotaRefusal
  | WriteRefusal;

/** What `Store.addSnapshot` is asked. */
export interface AddSnapshotRequest extends ListSnapshotsRequest, Asked {
  /** The entry to keep. */
  entry: PlacedRecord;
  /** The snapshot to keep it in. */
  snapshot: NewSnapshot;
}

/** What became of `Store.addSnapshot`. */
export type AddSnapshotOutcome =
  | {
      /** The snapshot is there, since now or before. */
      outcome: 'kept';
    }
  | WriteRefusal;

/** What `Store.listSnapshots` is asked. */
export interface ListSnapshotsRequest extends Timed {
  /** The account. */
  owner: Owner;
}

/** What `Store.readUsage` is asked. */
export interface UsageRequest extends ListSnapshotsRequest {}

/** What `Store.readSnapshot` is asked. */
export interface ReadSnapshotRequest extends Timed {
  /** The snapshot. */
  key: SnapshotKey;
}

/** What `Store.restoreSnapshot` is asked. */
export interface RestoreSnapshotRequest extends ReadSnapshotRequest, Asked {
  /** How much the account may hold. */
  quotas: EntryQuotas;
  /** What keeps the entries that are overwritten. */
  snapshot: NewSnapshot;
}

/** What became of `Store.restoreSnapshot`. */
export type RestoreOutcome =
  | {
      /** The entries were written back. */
      outcome: 'restored';
      /** The snapshot's entries, at their versions now. */
      entries: EntryVersion[];
    }
  | {
      /** Why nothing was written. */
      outcome: 'no_snapshot';
    }
  | QuotaRefusal
  | WriteRefusal;

/** What `Store.claimNonce` is asked. */
export interface NonceRequest extends Timed {
  /** The game. */
  gameId: string;
  /** The nonce. */
  nonce: string;
  /** Until when the nonce is claimed. */
  expiresAt: number;
  /** How many nonces of a game are held at most. */
  max: number;
}

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
