import type { ConflictChoice, LinkMethod } from '../../protocol/conflict.js';
import type { Environment } from '../../protocol/environments.js';
import type { QuotaName } from '../../protocol/gaps/quotas.js';
import type { SnapshotReason } from '../../protocol/player-messages.js';

// Unless a name says otherwise, every time is in ms since 1970, and every size in bytes.

/** A game in one of its environments: nothing is shared between two scopes. */
export interface Scope {
  /** The game's id, a UUID in lower case. */
  gameId: string;
  /** 0 is Development, 1 Stage, 2 Production. */
  environment: Environment;
}

/** An account by all that names it. */
export interface Owner extends Scope {
  /** The account's id, a UUID in lower case; players know it as their user id. */
  accountId: string;
}

/** The owner alone, out of a record that has more. */
export function ownerOf({ gameId, environment, accountId }: Owner): Owner {
  return { gameId, environment, accountId };
}

/** The session that asks; null for the game's back end and for operators, who have none. */
export function sessionIdOf(by: SessionKey | Owner): string | null {
  return 'sessionId' in by ? by.sessionId : null;
}

/** What a login method leads by: one subject leads to one account at most. */
export interface LinkKey extends Scope {
  /** The kind of the login method. */
  method: LinkMethod;
  /** Who it is, in the form that the method is looked up by, such as a folded name, or the hash of a device id. */
  subject: string;
}

/** A login method that is about to lead to an account. */
export interface NewLink extends LinkKey {
  /** What the player is shown of it, such as the name; null where there is nothing to show. */
  label: string | null;
  /** What the player's secret is checked against: a password's hash; null where nothing is kept for that. */
  credential: string | null;
  /**
   * The e-mail address that the player of a name has verified, as it was typed: codes are sent there. Nobody is found
   * or signed in by it. A link that is new has none, unless it is taken over from elsewhere.
   */
  mailAddress?: string | null;
  /** When the player verified that address; null where there is none, or nobody knows. */
  mailAddressAt?: number | null;
}

/** A login method that leads to an account. */
export interface LinkRecord extends NewLink {
  mailAddress: string | null;
  mailAddressAt: number | null;
  /** The account that it leads to. */
  accountId: string;
  /** Since when it leads there. */
  linkedAt: number;
  /**
   * Changes when the link is made, moves, gets another credential or e-mail address, and when everybody is signed out.
   * What was checked against a link counts for as long as its account and its revision are those that were seen. An
   * account never has one revision twice.
   */
  revision: number;
}

/** A link as its account has it. */
export interface AccountLink extends LinkRecord {
  /**
   * When somebody last came by it, on a linked device or by a session that was refreshed, too:
   * the first time on that day.
   */
  lastUsedAt: number;
}

/** A link as it was when a credential was checked against it. */
export type CheckedLink = LinkKey & Pick<LinkRecord, 'accountId' | 'revision'>;

/** An account without what belongs to it. */
export interface AccountRecord extends Owner {
  /** When it was made. */
  createdAt: number;
  /** When somebody last came to it: of a day in UTC the first time. */
  lastSeenAt: number;
  /** Since when no login method leads to it; null where one does. */
  orphanedAt: number | null;
  /** Since when it is being deleted; null where it is not. */
  deletedAt: number | null;
  /** The session that began to delete it; null where it is not being deleted, or an operator deletes it. */
  deletedBy: string | null;
  /** What keeps the player out; null where nothing does. One that has ended counts as none. */
  ban: BanRecord | null;
}

/** That an operator has banned a player. */
export interface BanRecord {
  /** Since when. */
  readonly at: number;
  /** Until when; null for good. */
  readonly until: number | null;
  /** What the player is told. */
  readonly reason: string;
}

/** An account and its login methods. */
export interface AccountDetails {
  /** The account. */
  account: AccountRecord;
  /** Its login methods, oldest first. */
  links: AccountLink[];
}

/** An account with its login methods and entries. */
export interface ProfileRecord extends AccountDetails {
  /** All entries, by collection and key, each in the order of its UTF-8 bytes. */
  entries: PlacedRecord[];
}

/** A session by all that names it. */
export interface SessionKey extends Owner {
  /** The session's id, a UUID. */
  sessionId: string;
}

/** A session whose account is not known yet. */
export interface NewSession {
  /** The session's id, a UUID. */
  sessionId: string;
  /** When it began. */
  openedAt: number;
  /** When the player last showed the login method that it comes from. */
  authenticatedAt: number;
  /** When its latest refresh token expires. */
  expiresAt: number;
  /** Its refresh tokens that are still honoured, oldest first. */
  refreshTokens: RefreshRecord[];
}

/** A session of an account. */
export interface SessionRecord extends NewSession, Owner {
  /** How often it has been updated; `Store.updateSession` compares it. */
  revision: number;
  /** The kind of the login method that it comes from: the one that the player showed last. */
  method: LinkMethod;
  /** The subject of that login method. */
  subject: string;
  /** The kinds and subjects of the login methods that it came from before that, each once; none where it is left out. */
  formerLinks?: readonly (readonly [method: string, subject: string])[] | undefined;
  /** The subject of the device that it is on. */
  device: string;
}

/** A refresh token of a session, without the token's text. */
export interface RefreshRecord {
  /** The token's id, a UUID. */
  jti: string;
  /** When it was issued, in seconds since 1970, as JWT has it; in a session always later than the one before it. */
  iat: number;
  /** When it expires, in seconds since 1970, as JWT has it. */
  exp: number;
  /** When it was first exchanged for the next one, in ms since 1970; null where it has not been. */
  usedAt: number | null;
  /** How many tokens in a row, up to this one, were given out once more, late; absent where this one was not. */
  repeats?: number;
}

/** A conflict: a player of one account, `local`, showed a login method that leads to another one, `cloud`. */
export interface TicketRecord extends LinkKey {
  /** The hash of the ticket by which the player chooses. */
  ticket: string;
  /** The revision of the link that the credential was checked against: with another one the ticket is worth nothing. */
  linkRevision: number;
  /** The account that the player is signed in to. */
  localId: string;
  /** The player's session on the local account. */
  sessionId: string;
  /** The account that the login method leads to. */
  cloudId: string;
  /** The subject of the device that the ticket was given to. */
  device: string;
  /** Until when the ticket is valid. */
  expiresAt: number;
  /** The choice that was carried out; null where none was. */
  choice: ConflictChoice | null;
  /** The session that the choice ended in; null where none was carried out. */
  resolvedSessionId: string | null;
}

/** The link of a ticket, as it was when its credential was checked. */
export function checkedLinkOf(ticket: TicketRecord): CheckedLink {
  const { gameId, environment, method, subject, cloudId, linkRevision } = ticket;
  return { gameId, environment, method, subject, accountId: cloudId, revision: linkRevision };
}

/** An entry's place in an account. */
export interface EntryName {
  /** The collection's name. */
  collection: string;
  /** The entry's key in the collection. */
  key: string;
}

/** An entry of a collection. */
export interface EntryRecord {
  /** The entry's key. */
  key: string;
  /** The value's JSON, letter for letter as it was sent. */
  text: string;
  /** From 0 up, one more with each write. -1 in a snapshot of a value that never was stored. */
  version: number;
  /** When it was written last. */
  changedAt: number;
  /** The JSON of what the players' devices keep beside the value for their merges; absent where there is nothing. */
  times?: string;
  /**
   * The JSON of the other accounts whose saves came into it, each with the id of the snapshot of that; absent where there are none,
   * null where an earlier version may have merged some.
   */
  origins?: string | null;
}

/** An entry with its collection. */
export interface PlacedRecord extends EntryRecord {
  /** The collection's name. */
  collection: string;
}

/** An entry to be written. */
export interface NewEntry extends EntryName {
  /** The value's JSON, letter for letter as it was sent. */
  text: string;
  /** The JSON of the times to keep beside the value, `{}` for none; what is stored stays if left out. */
  times?: string | undefined;
  /** As of the stored entry, which keeps its own if left out. */
  origins?: string | null | undefined;
}

/** An entry at one version. */
export interface EntryVersion extends EntryName {
  /** The entry's version. */
  version: number;
}

/** A snapshot that is about to be made; the store knows what it will hold. */
export interface NewSnapshot {
  /** The snapshot's id, a UUID. */
  snapshotId: string;
  /** Until when it is kept. */
  expiresAt: number;
  /**
   * How many snapshots an account may have. For one more, another one is removed: first those of single
   * entries (`overwrite`, `mismatch`), then the oldest; never the one that is being made, nor another
   * one of the same operation.
   */
  max: number;
  /**
   * How many bytes the values of all snapshots may have together. Snapshots are removed in the same order until
   * there is room; but one of a single entry never takes the place of a whole profile: where only such are
   * left, it is kept beside them.
   */
  maxBytes: number;
}

/** A snapshot by all that names it. */
export interface SnapshotKey extends Owner {
  /** The snapshot's id, a UUID. */
  snapshotId: string;
}

/** Entries that an operation took from an account, or refused, kept so that the player can have them back. */
export interface SnapshotRecord extends SnapshotKey {
  /** When it was made. */
  createdAt: number;
  /** Until when it is kept. */
  expiresAt: number;
  /** Which operation made it. */
  reason: SnapshotReason;
  /** The account whose entries they were. */
  fromId: string;
  /** The entries as they were. */
  entries: PlacedRecord[];
}

/** A snapshot without its entries. */
export interface SnapshotInfo extends Omit<SnapshotRecord, 'entries'> {
  /** How many entries it holds. */
  entries: number;
  /** The size of all values together, as UTF-8. */
  bytes: number;
}

/** A place in a list, by which the page after it is asked for. */
export interface ListPlace {
  /** The time by which the list is ordered, in ms since 1970. */
  at: number;
  /** The id of the item. */
  id: string;
}

/** How much an account holds. */
export interface UsageRecord extends Record<QuotaName, number> {
  /** The bytes of all values together, as UTF-8. */
  values: number;
  /** The entries of the collection that has most. */
  entries: number;
  /** How many collections have an entry. */
  collections: number;
  /** How many snapshots there are. */
  snapshots: number;
  /** The bytes of all snapshots' values together, as UTF-8. */
  snapshotBytes: number;
  /** How many devices lead to the account. */
  devices: number;
  /** How many sessions it has. */
  sessions: number;
}
