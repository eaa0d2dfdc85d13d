import type { OperatorScope } from '../../protocol/admin-messages.js';
import type { LinkMethod } from '../../protocol/conflict.js';
import type {
  MergeAccountsOutcome,
  MergeAccountsRequest,
  UndoChoiceOutcome,
  UndoChoiceRequest,
} from './choice-requests.js';
import type {
  MakeCodeOutcome,
  MakeCodeRequest,
  MakeSignInCodeOutcome,
  MakeSignInCodeRequest,
} from './code-requests.js';
import type { RestoreOutcome, RestoreSnapshotRequest, UpdateOutcome, UpdateRequest } from './entry-requests.js';
import type { EventRecord, Notifying, RetryEventsRequest } from './event-requests.js';
import type {
  RemovePlatformOutcome,
  RemovePlatformRequest,
  SavePlatformOutcome,
  SavePlatformRequest,
} from './platform-requests.js';
import type { BanRecord, EntryName, EntryVersion, ListPlace, Owner, Scope } from './records.js';
import type { DeleteAccountRequest, RestoreAccountRequest, UnlinkOutcome, UnlinkRequest } from './requests.js';
import type { Timed } from './session-requests.js';

// What the operations of a store for operators are asked, and what they answer.

/** An operator's key, by its hash. */
export interface OperatorKeyRecord {
  /** The key's id, a UUID. */
  keyId: string;
  /** Whose key it is, or what for. */
  name: string;
  /** What it allows. */
  scope: OperatorScope;
  /** The SHA-256 of the key, in base64url. */
  hash: string;
  /** When it was made, in ms since 1970. */
  createdAt: number;
  /** The name of the key that made it. */
  createdBy: string;
}

/** Who changes something, and when: what the audit log says of it besides the change. */
export interface OperatorMark {
  /** The id of the log's entry, a UUID. */
  auditId: string;
  /**
   * The id of the entry in the log of another account, where the change concerns two, a UUID; none is made if left out.
   */
  otherAuditId?: string;
  /** The id of the operator's key, which must be there still; null for the one that no store has. */
  keyId: string | null;
  /** The name of the key. */
  keyName: string;
  /** The name of the operation. */
  action: string;
  /** The service's clock, in ms since 1970. */
  at: number;
  /** Until when the entry is kept, in ms since 1970. */
  expiresAt: number;
}

/** What an entry of the audit log says of a change. It holds no value of a player's, and no secret. */
export interface AuditDetails {
  /** The account; null where it is none of an account. */
  owner: Owner | null;
  /** What was changed. */
  what: { readonly [name: string]: unknown };
  /** What it was before, where that is known. */
  before?: { readonly [name: string]: unknown };
  /** What it is since. */
  after?: { readonly [name: string]: unknown };
}

/** An entry of the audit log. */
export interface AuditRecord extends Omit<OperatorMark, 'otherAuditId'>, AuditDetails {}

/** Each change that an operator may ask a store for: what it is asked, and what became of it. */
export interface OperatorChanges {
  /** Keeps a new key. */
  addOperatorKey: {
    /** The key. */
    request: OperatorKeyRecord;
    /** It is there. */
    outcome: 'added';
  };
  /** Takes a key away, for good. */
  removeOperatorKey: {
    /** The key's id. */
    request: string;
    /** The key as it was; null where there is none. */
    outcome: OperatorKeyRecord | null;
  };
  /** As `Store.updateEntry`. */
  updateEntry: {
    /** The write. */
    request: UpdateRequest;
    /** What became of it. */
    outcome: UpdateOutcome;
  };
  /** As `Store.restoreSnapshot`. */
  restoreSnapshot: {
    /** The snapshot. */
    request: RestoreSnapshotRequest;
    /** What became of it. */
    outcome: RestoreOutcome;
  };
  /** As `Store.endSessions`. */
  endSessions: {
    /** The account. */
    request: Owner;
    /** How many sessions ended; null where there is no such account. */
    outcome: number | null;
  };
  /** As `Store.unlinkMethod`. */
  unlinkMethod: {
    /** The links. */
    request: UnlinkRequest;
    /** What became of them. */
    outcome: UnlinkOutcome;
  };
  /** As `Store.deleteAccount`. */
  deleteAccount: {
    /** The account. */
    request: DeleteAccountRequest;
    /** When the deletion began, in ms since 1970; null where it was not begun. */
    outcome: number | null;
  };
  /** As `Store.restoreAccount`. */
  restoreAccount: {
    /** The account, and the device that is to lead there. */
    request: RestoreAccountRequest;
    /** Whether there is such an account. */
    outcome: boolean;
  };
  /** Takes a deletion back, and links nothing. */
  undelete: {
    /** The account. */
    request: UndeleteRequest;
    /** What became of the deletion. */
    outcome: 'restored' | 'not_deleted' | 'no_account';
  };
  /** Keeps a player out, in the place of an earlier ban, and ends all sessions. */
  banAccount: {
    /** The account, and the ban. */
    request: BanRequest;
    /** What was before; null where there is no such account. */
    outcome: BanOutcome | null;
  };
  /** Ends a ban. */
  unbanAccount: {
    /** The account. */
    request: UnbanRequest;
    /** The ban that has ended, or why there was none to end. */
    outcome: BanRecord | 'not_banned' | 'no_account';
  };
  /** As `Store.makeCode`. */
  makeCode: {
    /** The code, by its hash. */
    request: MakeCodeRequest;
    /** What became of it. */
    outcome: MakeCodeOutcome;
  };
  /**
   * Keeps a code that signs in to an account, in the place of the former one, for `Store.signInByCode`. It ends with
   * all sessions of the account, whatever ends them.
   */
  makeSignInCode: {
    /** The code, by its hash. */
    request: MakeSignInCodeRequest;
    /** What became of it. */
    outcome: MakeSignInCodeOutcome;
  };
  /**
   * Makes all links of an account lead to another one, which keeps what it loses, and what the first one had, in
   * snapshots, as after a choice in a conflict. The first one's sessions end, and it is an orphan from then on. Nothing
   * is done where an account is banned or being deleted, or both have a link of a kind of which one may have one.
   */
  mergeAccounts: {
    /** The accounts. */
    request: MergeAccountsRequest;
    /** What became of them. */
    outcome: MergeAccountsOutcome;
  };
  /**
   * Takes the latest choice of an account back: what it moved leads to the other account again, the sessions that came
   * from that end, and the entries are written back as they were before, where the choice has changed them.
   */
  undoChoice: {
    /** The choice. */
    request: UndoChoiceRequest;
    /** What became of it. */
    outcome: UndoChoiceOutcome;
  };
  /** Has events delivered that wait for an operator. */
  retryEvents: {
    /** Which. */
    request: RetryEventsRequest;
    /** Those that will be delivered now. */
    outcome: EventRecord[];
  };
  /** Registers a platform, or changes one, where its version is the one that the change rests on. */
  savePlatform: {
    /** The platform. */
    request: SavePlatformRequest;
    /** What became of it. */
    outcome: SavePlatformOutcome;
  };
  /** Removes a platform of this version. */
  removePlatform: {
    /** Which. */
    request: RemovePlatformRequest;
    /** What became of it. */
    outcome: RemovePlatformOutcome;
  };
  /** Changes nothing, and notes that an account's data were given out. */
  noteExport: {
    /** The account. */
    request: Owner;
    /** Whether there is such an account. */
    outcome: boolean;
  };
  /** Changes nothing: somebody has signed in to the console, and the log says so. */
  noteSignIn: {
    /** From where. */
    request: {
      /** The IPv4 address, or the IPv6 network of one household; null where it is not known. */
      from: string | null;
    };
    /** There is nothing to be told. */
    outcome: null;
  };
}

/** A deletion that is to be taken back. */
export interface UndeleteRequest extends Notifying {
  /** The account. */
  owner: Owner;
}

/** A ban that is to begin. */
export interface BanRequest extends Notifying {
  /** The account. */
  owner: Owner;
  /** The ban. */
  ban: BanRecord;
}

/** What a ban has ended. */
export interface BanOutcome {
  /** The ban before; null where the player was not banned. */
  before: BanRecord | null;
  /** How many sessions have ended. */
  sessions: number;
}

/** A ban that is to end. */
export interface UnbanRequest extends Timed, Notifying {
  /** The account. */
  owner: Owner;
}

/** The name of a change that an operator may ask for. */
export type OperatorChange = keyof OperatorChanges;

/** What `Store.changeAsOperator` is asked. */
export interface OperatorRequest<Change extends OperatorChange> {
  /** Which change. */
  change: Change;
  /** What that is asked. */
  request: OperatorChanges[Change]['request'];
  /** Who asks. */
  mark: OperatorMark;
  /**
   * The names of devices as operators see them, by their subjects. Of a device that is not in it the log says that it
   * is one, and not which.
   */
  deviceNames?: ReadonlyMap<string, string>;
}

/** What became of `Store.changeAsOperator`. */
export type OperatorOutcome<Change extends OperatorChange> = OperatorChanges[Change]['outcome'] | 'no_key';

/** What `Store.readAudit` is asked. */
export interface AuditRequest {
  /** The account whose entries are asked for; null for all. */
  owner: Owner | null;
  /** The entry after which the page begins; null for the first page. */
  after: ListPlace | null;
  /** How many entries the page may have. */
  max: number;
}

/** The lists of a game's accounts, each by a time, the latest first. */
export const accountLists = ['newest', 'last_seen', 'orphaned', 'deleted', 'banned'] as const;

/**
 * Which accounts a list has, and what orders it: `newest` and `last_seen` have all; `orphaned` those that
 * nothing leads to, `deleted` those that are being deleted, each since when; `banned` those whose player is
 * kept out, by when that ends.
 */
export type AccountList = (typeof accountLists)[number];

/** A game in one of its environments, and how many accounts it has. */
export interface ScopeCount extends Scope {
  /** How many accounts, with those that are being deleted and those that nothing leads to. */
  accounts: number;
}

/** What `Store.listAccounts` is asked. */
export interface AccountListRequest extends Timed {
  /** The game and environment. */
  scope: Scope;
  /** Which accounts, and in which order. */
  list: AccountList;
  /** The account after which the page begins; null for the first page. */
  after: ListPlace | null;
  /** How many accounts the page may have. */
  max: number;
}

/** An entry without its value. */
export interface EntryInfo extends EntryVersion {
  /** When it was written last. */
  changedAt: number;
  /** The size of its value, as UTF-8. */
  bytes: number;
}

/** The place of an entry among those of its account, by when each was written last. */
export interface WritePlace extends EntryName {
  /** When it was written last, in ms since 1970. */
  at: number;
}

/** Which page of an account's latest writes is asked for. */
export interface WritesRequest {
  /** The account. */
  owner: Owner;
  /** The entry after which the page begins; null for the first page. */
  after: WritePlace | null;
  /** How many entries the page may have. */
  max: number;
}

/** What `Store.readEntry` is asked. */
export interface EntryRequest extends EntryName {
  /** The account. */
  owner: Owner;
}

/** Which page of the open conflicts of a game is asked for. */
export interface OpenConflictsRequest extends Timed {
  /** The game and environment. */
  scope: Scope;
  /** The conflict after which the page begins, by when it ends and its session's id; null for the first page. */
  after: ListPlace | null;
  /** How many conflicts the page may have. */
  max: number;
}

/** A conflict that no choice has ended yet, without what it could be ended by. */
export interface OpenConflict extends Scope {
  /** The kind of the login method that the player has shown. */
  method: LinkMethod;
  /** The account that the player is signed in to. */
  localId: string;
  /** The account that the login method leads to. */
  cloudId: string;
  /** Until when the choice is open. */
  expiresAt: number;
}

/** An open conflict in the list of a game. */
export interface ListedConflict extends OpenConflict {
  /** The player's session, which has this conflict and no other. */
  sessionId: string;
}
