import type { ConflictChoice, LinkMethod } from '../../protocol/conflict.js';
import type { Environment } from '../../protocol/environments.js';

/**
 * What a service keeps, behind narrow operations of which each is atomic: two calls at once have the result of one
 * after the other, and a call that fails has changed nothing. Records go in and come out as plain data (text,
 * integers, null); no store knows of tokens, passwords or HTTP. Everything about an account hangs on
 * `(gameId, environment, accountId)`, a link on `(gameId, environment, method, subject)`: one table row, or one
 * partition, each. Times are in ms since 1970.
 */
export interface Store {
  /** The link that a subject has, or null. */
  findLink(key: LinkKey): Promise<LinkRecord | null>;

  /**
   * The account that a subject leads to; made, with this link, where there is none.
   * Atomic: of a hundred calls at once with one subject, one makes an account and all get that one.
   */
  ensureAccount(request: { link: NewLink; accountId: string; now: number }): Promise<{
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
   * `taken` where the subject has a link already, also one to this account.
   */
  link(request: { owner: Owner; link: NewLink; now: number }): Promise<LinkOutcome>;

  /**
   * Makes a subject lead to an account, wherever it led before; restores the account, and orphans the one that
   * nothing leads to any more. Atomic as a whole. False where there is no such account.
   */
  relink(request: { owner: Owner; link: NewLink; now: number }): Promise<boolean>;

  /** Removes an account's links of one method. Atomic: never those that are the last ones. */
  unlink(request: { owner: Owner; method: LinkMethod }): Promise<'unlinked' | 'not_linked' | 'would_orphan'>;

  /** Puts another credential in the place of the one given. Atomic compare-and-set; no effect where it has changed. */
  replaceCredential(request: { key: LinkKey; from: string; to: string }): Promise<void>;

  /** An account and its links, oldest first; null where there is none. */
  findAccount(owner: Owner): Promise<AccountDetails | null>;

  /** An account, what it holds in all, and those of the wanted entries that exist: one consistent picture. */
  summarize(request: { owner: Owner; wanted: readonly EntryName[] }): Promise<AccountSummary | null>;

  /** Ends the account's sessions, removes its links, and leaves it orphaned. Atomic. False where there is none. */
  deleteAccount(request: { owner: Owner; now: number }): Promise<boolean>;

  /**
   * Keeps a new session. Atomic: only while the subject that it came from still leads to its account; false, and
   * nothing kept, where it does not.
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

  /** Keeps a ticket until its end. */
  openTicket(ticket: TicketRecord): Promise<void>;

  /**
   * Carries out the choice in a conflict. Atomic as a whole, from the checks to the last change:
   *
   * - `stale` where the ticket is unknown, over, of another device or already resolved by the other choice; where the
   *   link no longer is the one that the ticket was given for; or where the session has ended;
   * - the outcome of the first time where the ticket was resolved by the same choice and that session lives;
   * - `local`: `method_already_linked` where the account has another link of the method; else the link moves to the
   *   local account, and the old owner's sessions that came from it end on devices that are not linked to the old owner;
   * - `cloud`: `session` is opened for the owner, the ticket's session ends, and the device's link moves to the owner
   *   if it leads to the local account.
   *
   * An account that nothing leads to afterwards is orphaned; one that something leads to again is restored.
   */
  resolveConflict(request: {
    scope: Scope;
    ticket: string;
    device: string;
    choice: ConflictChoice;
    session: NewSession;
    now: number;
  }): Promise<ConflictOutcome>;

  /** A collection's entries by key, in the order of their UTF-8 bytes; null where there is no such account. */
  readCollection(request: { owner: Owner; collection: string }): Promise<EntryRecord[] | null>;

  /**
   * Writes an entry. Atomic compare-and-set in one step: version -1 writes whatever is stored, n >= 0 only where the
   * stored version is n, `absent` only where nothing is; the new version is one more, 0 for a new entry. `full` where a new entry would be one
   * more than `maxEntries` in its collection.
   */
  writeEntry(request: WriteRequest): Promise<WriteOutcome>;

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
   * Removes what has ended: nonces, tickets, sessions, tries, and accounts orphaned before `orphanedBefore` with their
   * entries. At most `batch` records; answers how many, so that a caller knows when it is done.
   */
  removeExpired(request: { now: number; orphanedBefore: number; batch: number }): Promise<number>;
}

export interface Scope {
  gameId: string;
  environment: Environment;
}

export interface Owner extends Scope {
  accountId: string;
}

export interface LinkKey extends Scope {
  method: LinkMethod;
  subject: string;
}

export interface NewLink extends LinkKey {
  /** What the player may read of it; null where there is nothing to read. */
  label: string | null;
  /** What proves it, where the store's side keeps that: a password's hash. */
  credential: string | null;
}

export interface LinkRecord extends NewLink {
  accountId: string;
  linkedAt: number;
}

export type LinkOutcome =
  | { outcome: 'linked' | 'taken'; link: LinkRecord }
  | { outcome: 'method_already_linked' | 'no_account' };

export interface AccountRecord extends Owner {
  createdAt: number;
  /** Since when nothing leads to it; null where something does. */
  orphanedAt: number | null;
}

export interface AccountDetails {
  account: AccountRecord;
  links: LinkRecord[];
}

export interface AccountSummary extends AccountDetails {
  entries: number;
  /** Of all values together, UTF-8. */
  bytes: number;
  changedAt: number | null;
  wanted: (EntryName & { text: string })[];
}

export interface SessionKey extends Owner {
  sessionId: string;
}

/** A session before it is known whose it is. */
export interface NewSession {
  sessionId: string;
  openedAt: number;
  /** When its latest refresh token ends. */
  expiresAt: number;
  refreshTokens: RefreshRecord[];
}

export interface SessionRecord extends NewSession, Owner {
  revision: number;
  /** The link that it came from. */
  method: LinkMethod;
  subject: string;
  /** The device's subject. */
  device: string;
}

/** One refresh token of a session, oldest first; times in seconds, as JWT has them, but for `usedAt`. */
export interface RefreshRecord {
  jti: string;
  iat: number;
  exp: number;
  usedAt: number | null;
}

export interface TicketRecord extends LinkKey {
  /** The ticket's hash. */
  ticket: string;
  /** When the link was made that the ticket is about. */
  linkedAt: number;
  localId: string;
  /** The player's session on the local account. */
  sessionId: string;
  cloudId: string;
  device: string;
  expiresAt: number;
  choice: ConflictChoice | null;
  /** The session that the choice ended in. */
  resolvedSessionId: string | null;
}

export type ConflictOutcome =
  | { outcome: 'resolved'; session: SessionRecord }
  | { outcome: 'stale' | 'method_already_linked' };

export interface EntryName {
  collection: string;
  key: string;
}

export interface EntryRecord {
  key: string;
  /** The value's JSON as it was written. */
  text: string;
  version: number;
  changedAt: number;
}

export interface WriteRequest extends EntryName {
  owner: Owner;
  text: string;
  version: number | 'absent';
  maxEntries: number;
  now: number;
}

export type WriteOutcome =
  | { outcome: 'written'; version: number }
  | { outcome: 'mismatch'; current: EntryRecord | null }
  | { outcome: 'full' | 'no_account' };

export interface AttemptRequest {
  key: string;
  tries: number;
  windowMs: number;
  lockMaxMs: number | null;
  now: number;
}
