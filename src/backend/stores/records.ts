import type { ConflictChoice, LinkMethod } from '../../protocol/conflict.js';
import type { Environment } from '../../protocol/environments.js';
import type { SnapshotReason } from '../../protocol/player-messages.js';

export interface Scope {
  gameId: string;
  environment: Environment;
}

export interface Owner extends Scope {
  accountId: string;
}

/** The owner alone, out of a record that has more. */
export function ownerOf({ gameId, environment, accountId }: Owner): Owner {
  return { gameId, environment, accountId };
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
  /** Since when it is being deleted, and by which session; null where it is not. */
  deletedAt: number | null;
  deletedBy: string | null;
}

export interface AccountDetails {
  account: AccountRecord;
  links: LinkRecord[];
}

/** An account with all that it holds. */
export interface ProfileRecord extends AccountDetails {
  /** By collection and key, each in the order of its UTF-8 bytes. */
  entries: PlacedRecord[];
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

/** Whoever holds a ticket: it counts for the device that it was given to. */
export interface TicketRequest {
  scope: Scope;
  /** The ticket's hash. */
  ticket: string;
  device: string;
  now: number;
}

/** A choice in a conflict. */
export interface ChoiceRequest extends TicketRequest {
  choice: ConflictChoice;
  /** Given with the choice `merge`, which is stale without it unless it was carried out before. */
  merge: MergeRecord | null;
  session: NewSession;
  /** For what loses: the other account's entries, and the reached one's own. */
  snapshots: readonly [NewSnapshot, NewSnapshot];
}

export type ConflictOutcome =
  | { outcome: 'resolved'; session: SessionRecord }
  | { outcome: 'stale' | 'method_already_linked' | 'full' };

/** What the choice `merge` brings. */
export interface MergeRecord {
  /** For the cloud account; what is not named stays as it is. */
  writes: readonly NewEntry[];
  /** All entries of both sides, as the merge found them. */
  restsOn: { local: readonly EntryVersion[]; cloud: readonly EntryVersion[] };
  maxEntries: number;
}

export interface EntryName {
  collection: string;
  key: string;
}

export interface EntryRecord {
  key: string;
  /** The value's JSON as it was written. */
  text: string;
  /** -1 in a snapshot of what never was stored. */
  version: number;
  changedAt: number;
}

export interface PlacedRecord extends EntryRecord {
  collection: string;
}

export interface NewEntry extends EntryName {
  text: string;
}

export interface EntryVersion extends EntryName {
  version: number;
}

/** A snapshot before it is known what it holds. */
export interface NewSnapshot {
  snapshotId: string;
  expiresAt: number;
  /**
   * How many an account may have: where there is one more, another one goes. Those of single entries (`overwrite`,
   * `mismatch`) go first, then the oldest; never the one that has just been made.
   */
  max: number;
}

export interface SnapshotKey extends Owner {
  snapshotId: string;
}

/** What lost, kept by the account that can take it back. */
export interface SnapshotRecord extends SnapshotKey {
  createdAt: number;
  expiresAt: number;
  reason: SnapshotReason;
  /** Whose entries they were. */
  fromId: string;
  entries: PlacedRecord[];
}

/** The same without what it holds. */
export interface SnapshotInfo extends Omit<SnapshotRecord, 'entries'> {
  entries: number;
  /** Of all values together, UTF-8. */
  bytes: number;
}

export type RestoreOutcome = { outcome: 'restored'; entries: EntryVersion[] } | { outcome: 'no_snapshot' | 'full' };

export interface UpdateRequest extends EntryName {
  owner: Owner;
  text: string;
  version: number | 'absent';
  /** For what a forced write overwrites. */
  snapshot: NewSnapshot;
  maxEntries: number;
  now: number;
}

export type UpdateOutcome =
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

export interface ExpiryRequest {
  now: number;
  orphanedBefore: number;
  deletedBefore: number;
  batch: number;
}
