import type { EntryQuotas, QuotaRefusal } from './entry-requests.js';
import type { NewLink, NewSnapshot, Owner, PlacedRecord, SnapshotRecord } from './records.js';

// What `Store.importAccount` is asked, and what it answers.

/** A login method as it was where the account comes from. */
export interface ImportedLink extends NewLink {
  /** Since when it leads to the account. */
  linkedAt: number;
  /** When somebody last came by it. */
  lastUsedAt: number;
}

/** A snapshot as it was where the account comes from. */
export type ImportedSnapshot = Omit<SnapshotRecord, keyof Owner>;

/** What `Store.importAccount` is asked. */
export interface ImportAccountRequest {
  /** The account that is to be made. */
  owner: Owner;
  /** Since when it is there; it counts as new on that day. */
  createdAt: number;
  /** When somebody last came to it. */
  lastSeenAt: number;
  /** What leads to it, oldest first: one at least, and none of them twice. */
  links: readonly ImportedLink[];
  /** Its entries, each at its version; none of them twice. */
  entries: readonly PlacedRecord[];
  /**
   * Its snapshots, oldest first. Where they are more than it may have, those go that would have
   * gone if they were made now.
   */
  snapshots: readonly ImportedSnapshot[];
  /** How much it may hold. */
  quotas: EntryQuotas;
  /** How many snapshots it may have. */
  snapshotQuotas: Pick<NewSnapshot, 'max' | 'maxBytes'>;
}

/** What became of `Store.importAccount`. */
export type ImportAccountOutcome =
  | {
      /** Whether the account was made, or it is there already, or one of its links leads somewhere. */
      outcome: 'imported' | 'taken';
    }
  | QuotaRefusal;
