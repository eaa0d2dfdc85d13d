import type { ChoiceRecord, ListChoicesRequest } from './choice-requests.js';
import type {
  MakeCodeOutcome,
  MakeCodeRequest,
  RemoveMailAddressOutcome,
  RemoveMailAddressRequest,
  ResetPasswordOutcome,
  ResetPasswordRequest,
  SignInByCodeOutcome,
  SignInByCodeRequest,
  VerifyMailAddressOutcome,
  VerifyMailAddressRequest,
} from './code-requests.js';
import type { CountRecord, CountsRequest } from './count-requests.js';
import type {
  AddSnapshotOutcome,
  AddSnapshotRequest,
  CollectionRecord,
  CollectionRequest,
  EntriesRequest,
  ListSnapshotsRequest,
  ReadRequest,
  ReadSnapshotRequest,
  RestoreOutcome,
  RestoreSnapshotRequest,
  UpdateOutcome,
  UpdateRequest,
  UsageRequest,
} from './entry-requests.js';
import type {
  ClaimEventsRequest,
  DeadEventsRequest,
  EventQueue,
  EventQueueRequest,
  EventRecord,
  SettleEventRequest,
  TrimEventsRequest,
} from './event-requests.js';
import type { CarriedProfile, ImportAccountOutcome, ImportAccountRequest } from './import-requests.js';
import type {
  AccountListRequest,
  AuditRecord,
  AuditRequest,
  EntryInfo,
  EntryRequest,
  ListedConflict,
  OpenConflict,
  OpenConflictsRequest,
  OperatorChange,
  OperatorKeyRecord,
  OperatorOutcome,
  OperatorRequest,
  ScopeCount,
  WritesRequest,
} from './operator-requests.js';
import type { PlatformsRecord } from './platform-requests.js';
import type {
  AccountDetails,
  EntryRecord,
  LinkKey,
  LinkRecord,
  Owner,
  PlacedRecord,
  ProfileRecord,
  Scope,
  SessionKey,
  SessionRecord,
  SnapshotInfo,
  SnapshotRecord,
  UsageRecord,
} from './records.js';
import type {
  AttemptRequest,
  CancelDeletionRequest,
  ChoiceRequest,
  ClaimedNonceRequest,
  ConflictAccounts,
  ConflictEntries,
  ConflictOutcome,
  DeleteAccountRequest,
  DeviceRequest,
  EnsureAccountRequest,
  EnsureCustomAccountRequest,
  EnsuredAccount,
  ExpiryRequest,
  ForgiveRequest,
  LinkOutcome,
  LinkRequest,
  NonceRequest,
  OpenTicketRequest,
  ReplaceCredentialRequest,
  ReplaceLinkRequest,
  RestoreAccountRequest,
  TicketRequest,
  UnlinkOutcome,
  UnlinkRequest,
} from './requests.js';
import type {
  MarkUsedRequest,
  OpenSessionRequest,
  ReauthenticateOutcome,
  ReauthenticateRequest,
  SignOutOthersOutcome,
  SignOutOthersRequest,
} from './session-requests.js';

/**
 * What a service keeps. Whoever writes a store of their own implements this.
 *
 * - Every operation is atomic: two calls at once have the result of one after the other, and a call that fails has
 *   changed nothing.
 * - A store that cannot be reached, and surely has done nothing, rejects with an error whose name is
 *   `StoreUnavailable`; the service then answers 503. Where nobody knows what became of a call, it rejects with any
 *   other error.
 * - Records go in and come out as plain data (text, integers, null). A store knows nothing of tokens, passwords or
 *   HTTP.
 * - All that belongs to an account is found by `(gameId, environment, accountId)`, and a login method by
 *   `(gameId, environment, method, subject)`, so that each fits one row or one partition.
 * - Times are in ms since 1970.
 * - An account has only so many devices and sessions: for one more, the one that was unused for longest goes in the
 *   same step, with the sessions that came from it. It is never the device of the session that asks.
 */
export interface Store {
  /** The link of a subject; null where it has none. */
  findLink(key: LinkKey): Promise<LinkRecord | null>;

  /**
   * Finds the account that a subject leads to. Where there is none, it makes the account with this link and this
   * session: of a hundred calls at once with one subject, one makes the account and all get that one.
   */
  ensureAccount(request: EnsureAccountRequest): Promise<EnsuredAccount>;

  /**
   * Finds the link of a game's own user id, `custom`. A new id is linked to the device's account if that is a
   * guest's (it has nothing but devices and a recovery code) who is not banned, and otherwise to a new account
   * with the id `accountId`; a device that leads nowhere is linked as well, unless the account is being deleted
   * or its player is banned.
   */
  ensureCustomAccount(request: EnsureCustomAccountRequest): Promise<LinkRecord>;

  /**
   * Makes an account with all that it had elsewhere: its login methods, entries and snapshots, each with its times
   * and versions. `taken`, and nothing is made, where the account is there or a link leads anywhere;
   * `quota_exceeded` as for a write.
   */
  importAccount(request: ImportAccountRequest): Promise<ImportAccountOutcome>;

  /**
   * Links a subject that is free to an account, which is no orphan from then on. `taken` where the subject has a
   * link already, be it to this account; `method_already_linked` where the account has another link of the method,
   * devices excepted; `no_account` where there is no such account, or it is being deleted; `no_session` where the
   * session that asks has ended.
   */
  linkMethod(request: LinkRequest): Promise<LinkOutcome>;

  /**
   * Makes a subject lead to an account, wherever it led before, and takes a deletion of that account back. The former
   * owner's sessions that came from it end. An account that nothing leads to any more is an orphan from then on, and
   * has no session. False where there is no such account.
   */
  restoreAccount(request: RestoreAccountRequest): Promise<boolean>;

  /**
   * Removes an account's links of one method, and ends the sessions that came from them, except the one that
   * asks. With a `device` it removes the link of that device alone, and ends all sessions that are on it, except
   * the one that asks. `would_orphan`, and nothing removed, where it has no others; `no_session` where the
   * session that asks has ended.
   */
  unlinkMethod(request: UnlinkRequest): Promise<UnlinkOutcome>;

  /**
   * Replaces an account's links of one method by `link`, and ends the sessions that came from them, except the one that
   * asks. False, and nothing changed, where there is no such account, the session that asks has ended, or the subject
   * leads to another account.
   */
  replaceLink(request: ReplaceLinkRequest): Promise<boolean>;

  /**
   * Replaces a link's credential. `link_changed`, and nothing changed, where the link is not what it was when its
   * credential was checked; `no_session` where the session that asks has ended. Where it is another password, the link
   * has a new revision, and all other sessions that came from it end.
   */
  replaceCredential(request: ReplaceCredentialRequest): Promise<'replaced' | 'link_changed' | 'no_session'>;

  /**
   * Keeps a one-time code of a link, in the place of the former one of its kind. `link_changed`, and nothing kept,
   * where the link is not what it was when the code was asked for, or its account is being deleted.
   */
  makeCode(request: MakeCodeRequest): Promise<MakeCodeOutcome>;

  /**
   * Tries a code, and sets a link's credential by it, once: then all sessions of the account end, and its links have
   * new revisions. The try is counted before the code is compared. `wrong_code` where the link has no such code, it has
   * expired or has no try left, the link is not what it was when the code was made, or its account is being deleted.
   * `repeated` for the code that has set what the link has: the answer may have got lost.
   */
  resetPassword(request: ResetPasswordRequest): Promise<ResetPasswordOutcome>;

  /**
   * Opens a session of the account that a code of the kind `sign_in` is of, once: from then on the code counts on this
   * device alone, because the answer may have got lost. The device is linked to the account where it leads nowhere; an
   * orphan that it does not lead to is one from now on, so that its player has time to link something. `banned`, and
   * nothing done, where the account's player is; `wrong_code` where there is no such code, it has expired, or was used
   * on another device, or the account is being deleted.
   */
  signInByCode(request: SignInByCodeRequest): Promise<SignInByCodeOutcome>;

  /**
   * Tries a code of the kind `verify` for a living session of the link's account, and makes the e-mail address that it
   * was sent to the link's, in the place of a former one. Tries count as in `resetPassword`. The link has a new
   * revision then, so that no code that was sent to the former address counts any longer.
   */
  verifyMailAddress(request: VerifyMailAddressRequest): Promise<VerifyMailAddressOutcome>;

  /**
   * Takes the e-mail address away from the name of an account, and gives the link a new revision: nothing that was sent
   * to it, or to one that is not verified yet, counts any longer.
   */
  removeMailAddress(request: RemoveMailAddressRequest): Promise<RemoveMailAddressOutcome>;

  /** Whether a device knows an account: its link leads there, or a session of the account is on it. */
  knowsDevice(request: DeviceRequest): Promise<boolean>;

  /** An account and its links, oldest first; null where there is none. */
  readAccount(owner: Owner): Promise<AccountDetails | null>;

  /** An account with its links and entries, all of the same moment; null where there is none. */
  readProfile(owner: Owner): Promise<ProfileRecord | null>;

  /** The same, each entry with its ledger, for whoever hands the account on to another service by `importAccount`. */
  readForExport(owner: Owner): Promise<CarriedProfile | null>;

  /**
   * Begins to delete an account: its sessions end, its devices lead nowhere any more, and `recovery` replaces its links
   * of that method. The other links stay, so that nobody else can have them, with new revisions. Gives when the
   * deletion began, in ms since
   * 1970. Null, and nothing done, where the session has ended; but the session that began the deletion may ask
   * again, because the answer may have got lost. Without a session it is an operator who asks: null where it
   * is being deleted already.
   */
  deleteAccount(request: DeleteAccountRequest): Promise<number | null>;

  /**
   * Takes a deletion back, and links the device where it leads nowhere. `not_deleted` where the account is not being
   * deleted; `link_changed`, and nothing done, where the link is not what it was when its credential was checked.
   */
  cancelDeletion(request: CancelDeletionRequest): Promise<'restored' | 'not_deleted' | 'link_changed'>;

  /**
   * Keeps a new session. False, and nothing kept, where the link that it came from is not what it was when its
   * credential was checked, or the account is being deleted, or its player is banned when the session begins: a
   * banned account has no session.
   */
  openSession(request: OpenSessionRequest): Promise<boolean>;

  /**
   * Makes a session come from a link of its account whose credential the player has shown once more, from now on. A
   * device counts only in a guest's account, which has nothing but devices and a recovery code: elsewhere the session
   * stays as it is. `link_changed`, and nothing changed, where the link is not what it was when its credential was
   * checked, or leads to another account; `no_session` where the session has ended.
   */
  reauthenticate(request: ReauthenticateRequest): Promise<ReauthenticateOutcome>;

  /**
   * Keeps that the account of a session was seen, and that its link and the one of its device were used, on this day. A
   * sign-in, a link and a choice keep it by themselves.
   */
  markUsed(request: MarkUsedRequest): Promise<void>;

  /** A session; null where it has ended. */
  findSession(key: SessionKey): Promise<SessionRecord | null>;

  /**
   * Replaces the stored session by `session`, with the next revision. False, and nothing changed, where the stored
   * revision is not that of `session`, or the session has ended.
   */
  updateSession(session: SessionRecord): Promise<boolean>;

  /** Ends a session; nothing happens where it has ended. */
  endSession(key: SessionKey): Promise<void>;

  /** An account's sessions, oldest first. */
  listSessions(owner: Owner): Promise<SessionRecord[]>;

  /**
   * Ends all sessions of an account, and gives its links new revisions: what they have allowed before has ended, too.
   * Answers how many sessions there were; null where there is no such account.
   */
  endSessions(owner: Owner): Promise<number | null>;

  /**
   * Removes the links that were made since a moment, except the one that the asking session comes from, ends all
   * sessions, and gives the links that stay new revisions. A new session takes the place of the one that asks, so that
   * nobody who has its tokens keeps it; it was authenticated when that one was. `would_orphan`, and nothing done, where
   * no link would be left; `no_session` where the session that asks has ended.
   */
  signOutOthers(request: SignOutOthersRequest): Promise<SignOutOthersOutcome>;

  /**
   * Keeps the ticket of a conflict until it expires. `link_changed`, and nothing kept, where the link is not what it
   * was when its credential was checked; `no_session` where the ticket's session has ended. Of more than
   * `ticketsPerAccount` of the local account those go that end first.
   */
  openTicket(request: OpenTicketRequest): Promise<'opened' | 'link_changed' | 'no_session'>;

  /** The accounts of a conflict that is open; null where a choice would be `stale` or `banned`. Reads no entry. */
  findConflict(request: TicketRequest): Promise<ConflictAccounts | null>;

  /**
   * The entries of both accounts of an open conflict, and those of an earlier merge of the two, all of the same moment.
   * Null where a choice would be `stale` or `banned`.
   */
  readConflictSides(request: TicketRequest): Promise<ConflictEntries | null>;

  /**
   * Carries out the choice in a conflict.
   *
   * - The outcome is `stale` where the ticket is unknown, has expired, was given to another device, or was used for
   *   another choice; where the link is not what it was when its credential was checked; and where the ticket's session
   *   has ended, or one of the accounts is being deleted. It is `banned` where the player of one is. Where the same
   *   choice was carried out before, it is the outcome of that time, as long as that session lives.
   * - `local` moves the link to the local account, and ends the sessions of its former owner that came from it, except
   *   those on devices that are linked to that owner. `method_already_linked` where the local account has another link
   *   of the method.
   * - `cloud` opens `session` for the link's owner, ends the ticket's session, and moves the device's link to the
   *   owner, if it led to the local account.
   * - `merge` makes the writes in the cloud account, each a new version, and then does the same as `cloud`. `stale`
   *   where the entries of one account are not exactly those that the merge rests on, `quota_exceeded` as for a write.
   *
   * The account that was chosen keeps the entries of the other one as a snapshot and, with `merge`, its own as
   * well. An account that nothing leads to afterwards is an orphan, and has no session; one that something leads
   * to again is not. The account keeps the choice, in the place of an earlier one, until its snapshots expire, so
   * that it can be taken back.
   */
  resolveConflict(request: ChoiceRequest): Promise<ConflictOutcome>;

  /**
   * The collections in which an account has entries, in the order of their UTF-8 bytes; null where there is no such
   * account, or its session has ended. A revision grows with each write in its collection.
   */
  listCollections(request: ReadRequest): Promise<CollectionRecord[] | null>;

  /**
   * A collection's entries by key, in the order of their UTF-8 bytes; null where there is no such account, or its session
   * has ended.
   */
  readCollection(request: CollectionRequest): Promise<EntryRecord[] | null>;

  /**
   * A page of an account's entries, by collection and key, each in the order of its UTF-8 bytes: those that
   * come after a name, all of the same moment. There are no more where it has fewer than `max`. Null where
   * there is no such account.
   */
  readEntries(request: EntriesRequest): Promise<PlacedRecord[] | null>;

  /**
   * Writes an entry, if the stored version is the one that the request rests on; -1 writes whatever is stored, `absent`
   * only where nothing is. The new version is one more, or 0 for a new entry. `quota_exceeded` where the account would
   * hold more than before, and more than it may. An entry that -1 overwrites with another text is kept as a snapshot.
   *
   * Whether the player's session lives is seen in the step that writes, and so it is in `addSnapshot` and
   * `restoreSnapshot`: a choice in a conflict, a deletion, a sign-out finds a write in the account's entries, or
   * the write finds its session ended. `no_session` where it has; for the game's back end, which has none,
   * `no_account` where there is no such account and `deleted` where it is being deleted. Whoever is refused learns
   * nothing of what is stored.
   *
   * An entry has a ledger: of up to 64 devices the last write that had a name, and the version that it made. A write
   * that is in the ledger changes nothing, whatever its version is, and its outcome is that of the first time. The
   * ledger is compared and written in the step that compares the version and writes the value. For one device too many,
   * the one leaves whose write made the lowest version.
   */
  updateEntry(request: UpdateRequest): Promise<UpdateOutcome>;

  /** How much an account holds; null where there is no such account. What has expired does not count. */
  readUsage(request: UsageRequest): Promise<UsageRecord | null>;

  /**
   * Keeps an entry that a client gave up, as a snapshot. A snapshot with this id that is there already stays as it is.
   */
  addSnapshot(request: AddSnapshotRequest): Promise<AddSnapshotOutcome>;

  /** An account's snapshots that have not expired, newest first. */
  listSnapshots(request: ListSnapshotsRequest): Promise<SnapshotInfo[]>;

  /** A snapshot with its entries; null where there is none, or it has expired. */
  readSnapshot(request: ReadSnapshotRequest): Promise<SnapshotRecord | null>;

  /**
   * Writes a snapshot's entries back, each as a new version, and answers them. An entry that has the same text already
   * stays as it is, so that to restore twice changes nothing more. What is overwritten is kept as another snapshot. The
   * entries' ledgers stay, here and in a merge. `quota_exceeded` as for a write.
   */
  restoreSnapshot(request: RestoreSnapshotRequest): Promise<RestoreOutcome>;

  /**
   * Claims a nonce of a game until `expiresAt`: of many calls at once with one nonce, one claims it. `full` where `max`
   * nonces are held, for none is forgotten before it expires.
   */
  claimNonce(request: NonceRequest): Promise<'claimed' | 'reused' | 'full'>;

  /** Whether a nonce of a game is claimed, which it is until `expiresAt`. */
  isNonceClaimed(request: ClaimedNonceRequest): Promise<boolean>;

  /**
   * Counts an attempt, and answers how many ms the caller has to wait: 0 where it is allowed. More than `tries` in a
   * window are refused until the window ends, or some are taken back. With `lockMaxMs` they lock the key instead: for
   * the window's length at first, and twice as long each time, up to that. Of a hundred attempts at once, `tries` are
   * allowed. Nobody has to wait longer than a window or `lockMaxMs`, not even where the clock was ahead before.
   */
  countAttempt(request: AttemptRequest): Promise<number>;

  /** Takes back one attempt at a key, or forgets all of them and the locks. */
  forgiveAttempt(request: ForgiveRequest): Promise<void>;

  /**
   * A page of a game's accounts with their links, for operators: those that come after a place in the list, the latest
   * first. There are no more where it has fewer than `max`. Of accounts that are made, used and removed meanwhile a
   * page may have any; all others are on one page, once.
   */
  listAccounts(request: AccountListRequest): Promise<AccountDetails[]>;

  /**
   * The games and environments that have accounts, by game and environment. It may look at every account: it is
   * for whoever reads them all.
   */
  listScopes(): Promise<ScopeCount[]>;

  /** The same page as `readEntries`, without the values. */
  listEntries(request: EntriesRequest): Promise<EntryInfo[] | null>;

  /**
   * A page of an account's entries without their values, the one that was written last first; those of the same
   * moment by collection and key, each in the order of its UTF-8 bytes, the last one first. It may look at all
   * entries of the account, not at their values. There are no more where the page has fewer than `max`, and none
   * where there is no such account.
   */
  listWrites(request: WritesRequest): Promise<EntryInfo[]>;

  /** An entry; null where there is none, or no such account. */
  readEntry(request: EntryRequest): Promise<EntryRecord | null>;

  /**
   * The conflicts of an account, on either side, that no choice has ended, whose player is still there,
   * and that have not expired.
   */
  listConflicts(request: ListSnapshotsRequest): Promise<OpenConflict[]>;

  /**
   * A page of the open conflicts of a game, of which the same is true, the one that ends last first. A session has one,
   * the latest that it has met. There are no more where the page has fewer than `max`.
   */
  listOpenConflicts(request: OpenConflictsRequest): Promise<ListedConflict[]>;

  /** The latest choice that an account was chosen by, as long as it can be taken back; null where there is none. */
  readChoice(request: ListSnapshotsRequest): Promise<ChoiceRecord | null>;

  /**
   * A page of the latest choice of each account of a game, as long as it can be taken back, the one that was made last
   * first. There are no more where the page has fewer than `max`.
   */
  listChoices(request: ListChoicesRequest): Promise<ChoiceRecord[]>;

  /** An operator's key by its id; null where there is none. */
  findOperatorKey(keyId: string): Promise<OperatorKeyRecord | null>;

  /** All operators' keys, oldest first. */
  listOperatorKeys(): Promise<OperatorKeyRecord[]>;

  /**
   * Carries out a change that an operator asks for, and keeps who did it in the audit log, in the same
   * step: the log has what was changed, and nothing else. `no_key`, and nothing changed, where the
   * operator's key has been taken away.
   */
  changeAsOperator<Change extends OperatorChange>(request: OperatorRequest<Change>): Promise<OperatorOutcome<Change>>;

  /**
   * A page of the audit log, newest first: the entries that come after a place. There are no more where it has fewer
   * than `max`. What an account's entries say stays when the account is removed.
   */
  readAudit(request: AuditRequest): Promise<AuditRecord[]>;

  /**
   * Gives a game's events that are due, and keeps everybody else from getting them until the lease ends, be it in
   * another process. Of an account it gives the first event alone that waits for no operator, and none while somebody
   * has that: events of one account are delivered in their order. An operation writes the events that its `notice` asks
   * for in the step that changes the account, or not at all.
   */
  claimEvents(request: ClaimEventsRequest): Promise<EventRecord[]>;

  /**
   * Removes an event that was delivered. One that was not is claimed again when it is due, or waits for an operator;
   * that changes nothing where somebody else has claimed it since.
   */
  settleEvent(request: SettleEventRequest): Promise<void>;

  /**
   * Removes events of a game that has more than it may have, counts them for the day, and answers how many they were: of
   * those that wait for an operator the ones that have waited for longest, and then the oldest.
   */
  trimEvents(request: TrimEventsRequest): Promise<number>;

  /** How many events of a game have not been delivered, up to a limit. */
  readEventQueue(request: EventQueueRequest): Promise<EventQueue>;

  /**
   * A page of a game's events that wait for an operator, the latest first. There are no more where
   * it has fewer than `max`.
   */
  listDeadEvents(request: DeadEventsRequest): Promise<EventRecord[]>;

  /**
   * How often something happened in a game, by days: what a store counts in the step that does it, on the day of the
   * `now` that the step is given. An account is `active` where its day's first session, refresh or choice is kept, and
   * on the day that makes it.
   */
  readCounts(request: CountsRequest): Promise<CountRecord[]>;

  /** The revision of a game's platforms, which costs less than the platforms: 0 where none has been registered. */
  readPlatformsRevision(scope: Scope): Promise<number>;

  /**
   * The platforms that operators have registered for a game in one environment, with their
   * revision, all of the same moment.
   */
  readPlatforms(scope: Scope): Promise<PlatformsRecord>;

  /**
   * Removes what has expired: nonces, tickets, sessions, attempts, snapshots, events, entries of the audit
   * log, and accounts with all that belongs to them. Answers how many records it removed; a caller who gets
   * fewer than `batch` is done.
   */
  removeExpired(request: ExpiryRequest): Promise<number>;
}
