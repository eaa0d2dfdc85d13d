import type { LinkMethod } from '../../protocol/conflict.js';
import type {
  AccountDetails,
  AttemptRequest,
  ChoiceRequest,
  ConflictOutcome,
  EntryRecord,
  ExpiryRequest,
  LinkKey,
  LinkOutcome,
  LinkRecord,
  NewLink,
  NewSnapshot,
  Owner,
  PlacedRecord,
  ProfileRecord,
  RestoreOutcome,
  SessionKey,
  SessionRecord,
  SnapshotInfo,
  SnapshotKey,
  SnapshotRecord,
  TicketRecord,
  TicketRequest,
  UpdateOutcome,
  UpdateRequest,
} from './records.js';

/**
 * What a service keeps, behind narrow operations of which each is atomic: two calls at once have the result of one
 * after the other, and a call that fails has changed nothing. One that cannot be reached rejects with an error of the name
 * `StoreUnavailable` where that is sure, and the service answers 503; with any other error where nobody knows. Records go in and come out as plain data (text,
 * integers, null); no store knows of tokens, passwords or HTTP. Everything about an account hangs on
 * `(gameId, environment, accountId)`, a link on `(gameId, environment, method, subject)`: one table row, or one
 * partition, each. Times are in ms since 1970.
 */
export interface Store {
  /** The link that a subject has, or null. */
  findLink(key: LinkKey): Promise<LinkRecord | null>;

  /**
   * The account that a subject leads to; made, with this link and its first session, where there is none.
   * Atomic: of a hundred calls at once with one subject, one makes an account and all get that one.
   */
  ensureAccount(request: { link: NewLink; accountId: string; session?: SessionRecord; now: number }): Promise<{
    created: boolean;
    link: LinkRecord;
  }>;

  /**
   * The account that a game's own user id leads to. Where the id is new, it is linked to the device's account if
   * that has no custom id, else to a new account with `accountId`; a device that leads nowhere is linked as well.
   * Atomic as a whole.
   */
  ensureCustomAccount(request: {
    custom: NewLink;
    device: NewLink;
    accountId: string;
    now: number;
  }): Promise<{ accountId: string }>;

  /**
   * Links a free subject to an account, and restores the account where it was orphaned.
   * Atomic: the subject is still free, and the account has no other link of the method (devices excepted).
   * `taken` where the subject has a link already, also one to this account. `no_account` also where it is deleted.
   */
  linkMethod(request: { owner: Owner; link: NewLink; now: number }): Promise<LinkOutcome>;

  /**
   * Makes a subject lead to an account, wherever it led before; restores the account, a deleted one too, and orphans
   * the one that nothing leads to any more. Atomic as a whole. False where there is no such account.
   */
  restoreAccount(request: { owner: Owner; link: NewLink; now: number }): Promise<boolean>;

  /** Removes an account's links of one method. Atomic: never those that are the last ones. */
  unlinkMethod(request: { owner: Owner; method: LinkMethod }): Promise<'unlinked' | 'not_linked' | 'would_orphan'>;

  /**
   * Puts a link in the place of those that the account has of its method, and ends the sessions that came from them, but
   * for the one to keep. Atomic as a whole. False, and nothing changed, where there is no such account or another
   * one has the subject.
   */
  replaceLink(request: { owner: Owner; link: NewLink; keepSession: string; now: number }): Promise<boolean>;

  /**
   * Puts another credential in the place of the one given. Atomic compare-and-set; false, and no effect, where it has
   * changed. With `keepSession`, the link's other sessions and the tickets over it end with the old credential.
   */
  replaceCredential(request: { key: LinkKey; from: string; to: string; keepSession: string | null }): Promise<boolean>;

  /** An account and its links, oldest first; null where there is none. */
  readAccount(owner: Owner): Promise<AccountDetails | null>;

  /** An account and all that it holds: one consistent picture. Null where there is none. */
  readProfile(owner: Owner): Promise<ProfileRecord | null>;

  /**
   * Begins to delete an account: its sessions end, its devices lead nowhere, `recovery` takes the place of its links of
   * that method, and the others stay, so that nobody else gets them. Atomic as a whole, and only where the session lives
   * or is the one that deleted it (a lost answer). Answers since when it is being deleted; null where it is not.
   */
  deleteAccount(request: { session: SessionKey; recovery: NewLink; now: number }): Promise<number | null>;

  /** Takes a deletion back, and links the device where that leads nowhere. Atomic. False where none is to be taken back. */
  cancelDeletion(request: { owner: Owner; device: NewLink; now: number }): Promise<boolean>;

  /**
   * Keeps a new session. Atomic: only while the subject that it came from still leads to its account, and that is not
   * deleted; false, and nothing kept, otherwise.
   */
  openSession(session: SessionRecord): Promise<boolean>;

  findSession(key: SessionKey): Promise<SessionRecord | null>;

  /**
   * Puts a session in the place of the stored one. Atomic compare-and-set: only where the stored revision is that of
   * `session`; it is stored with the next revision. False where it is another one, or the session has ended.
   */
  updateSession(session: SessionRecord): Promise<boolean>;

  /** Ends a session; no effect where it has ended. */
  endSession(key: SessionKey): Promise<void>;

  /** An account's sessions, oldest first. */
  listSessions(owner: Owner): Promise<SessionRecord[]>;

  /** Ends all sessions of an account. */
  endSessions(owner: Owner): Promise<void>;

  /** Keeps a ticket until its end. */
  openTicket(ticket: TicketRecord): Promise<void>;

  /** Both sides of a conflict that is still open: one consistent picture. Null where its choices would be stale. */
  readConflictSides(request: TicketRequest): Promise<{
    local: PlacedRecord[];
    cloud: PlacedRecord[];
  } | null>;

  /**
   * Carries out the choice in a conflict. Atomic as a whole, from the checks to the last change:
   *
   * - `stale` where the ticket is unknown, over, of another device or already resolved by another choice; where the
   *   link no longer is the one that the ticket was given for; or where the session has ended, or an account is deleted;
   * - the outcome of the first time where the ticket was resolved by the same choice and that session lives;
   * - `local`: `method_already_linked` where the account has another link of the method; else the link moves to the
   *   local account, and the old owner's sessions that came from it end on devices that are not linked to the old owner;
   * - `cloud`: `session` is opened for the owner, the ticket's session ends, and the device's link moves to the owner
   *   if it leads to the local account;
   * - `merge`: `stale` where one side's entries are not exactly those that it rests on, `full` where a collection would
   *   have too many; else the writes are made in the owner's account, each a new version, and all goes on as with `cloud`.
   *
   * The account that is reached keeps what lost: the other account's entries, and with `merge` its own as well.
   * An account that nothing leads to afterwards is orphaned; one that something leads to again is restored.
   */
  resolveConflict(request: ChoiceRequest): Promise<ConflictOutcome>;

  /** A collection's entries by key, in the order of their UTF-8 bytes; null where there is no such account. */
  readCollection(request: { owner: Owner; collection: string }): Promise<EntryRecord[] | null>;

  /**
   * Writes an entry. Atomic compare-and-set in one step: version -1 writes whatever is stored, n >= 0 only where the
   * stored version is n, `absent` only where nothing is; the new version is one more, 0 for a new entry. `full` where a new entry would be one
   * more than `maxEntries` in its collection. Where -1 overwrites another text, that is kept as a snapshot.
   */
  updateEntry(request: UpdateRequest): Promise<UpdateOutcome>;

  /** Keeps an entry that lost. False where there is no such account. */
  addSnapshot(request: { owner: Owner; entry: PlacedRecord; snapshot: NewSnapshot; now: number }): Promise<boolean>;

  /** An account's snapshots that have not ended, newest first. */
  listSnapshots(request: { owner: Owner; now: number }): Promise<SnapshotInfo[]>;

  readSnapshot(request: { key: SnapshotKey; now: number }): Promise<SnapshotRecord | null>;

  /**
   * Writes a snapshot's entries back, each as a new version, and answers them; those that hold the same text already
   * stay as they are, so that a second time changes nothing. What it overwrites is kept as another snapshot.
   * Atomic as a whole; `full` where a collection would have more than `maxEntries`.
   */
  restoreSnapshot(request: {
    key: SnapshotKey;
    maxEntries: number;
    snapshot: NewSnapshot;
    now: number;
  }): Promise<RestoreOutcome>;

  /**
   * Claims a nonce of a game until `expiresAt`. Atomic: of many calls at once with one nonce, one claims it. `full`
   * where `max` nonces are held; none is forgotten before its end.
   */
  claimNonce(request: {
    gameId: string;
    nonce: string;
    expiresAt: number;
    now: number;
    max: number;
  }): Promise<'claimed' | 'reused' | 'full'>;

  /**
   * Counts a try and answers how many ms to wait: 0 where it is allowed. More than `tries` in a window are refused
   * until the window ends; with `lockMaxMs` they lock instead, for the window's length at first and twice as long
   * each time, up to that. Atomic: of a hundred tries at once, `tries` are allowed.
   */
  countAttempt(request: AttemptRequest): Promise<number>;

  /** Takes back one try, or forgets them and the locks. */
  forgiveAttempt(request: { key: string; forget: 'one' | 'all' }): Promise<void>;

  /**
   * Removes what has ended: nonces, tickets, sessions, tries, snapshots, and accounts orphaned before `orphanedBefore` or
   * deleted before `deletedBefore` with all that hangs on them. At most `batch` records; answers how many, so that a
   * caller knows when it is done.
   */
  removeExpired(request: ExpiryRequest): Promise<number>;
}
