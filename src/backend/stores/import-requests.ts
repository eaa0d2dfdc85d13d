import type { EntryQuotas, QuotaRefusal } from './entry-requests.js';
import type { AccountDetails, NewLink, NewSnapshot, Owner, PlacedRecord, SnapshotRecord } from './records.js';

// What `Store.importAccount` is asked and answers, and what `Store.readForExport` answers.

/** An entry as one service hands it on to another. */
export interface CarriedEntry extends PlacedRecord {
  /**
   * The last named write of each device, and the version that it made; absent where there was none. With it a device whose answer
   * got lost is told by the other service, too, that its write was carried out.
   */
  writes?: { [device: string]: readonly [write: string, version: number] };
}

/** An account with its links and with its entries as they are handed on. */
export interface CarriedProfile extends AccountDetails {
  /** All entries, by collection and key, each in the order of its UTF-8 bytes. */
  entries: CarriedEntry[];
}

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
  /** Since when nothing leads to it; null where something does. */
  orphanedAt: number | null;
  /** Since when it is being deleted; null where it is not. */
  deletedAt: number | null;
  /** What leads to it, oldest first: none of them twice, and one at least unless it is an orphan. */
  links: readonly ImportedLink[];
  /** Its entries, each at its version; none of them twice. */
  entries: readonly CarriedEntry[];
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
