import type { QuotaName } from '../../protocol/gaps/quotas.js';
import type { WriteName } from '../../protocol/idempotency-key.js';
import type {
  EntryName,
  EntryRecord,
  EntryVersion,
  NewEntry,
  NewSnapshot,
  Owner,
  PlacedRecord,
  SnapshotKey,
} from './records.js';
import type { Timed } from './session-requests.js';

// What the operations of a store on entries and snapshots are asked, and what they answer.

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
 * How much an account may hold after a write that makes it hold more. What takes no more than before is written,
 * whatever the account holds.
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

/** Who reads an account's entries. */
export interface ReadRequest {
  /** The account. */
  owner: Owner;
  /** The session that asks, which must live; null where the account's game or an operator does. */
  sessionId: string | null;
}

/** What `Store.readCollection` is asked. */
export interface CollectionRequest extends ReadRequest {
  /** The collection's name. */
  collection: string;
  /**
   * Where a store reads it piece by piece, it says before the large part how many bytes of values there are. Null where it may
   * read on at once; else it lets go of what it has read, and begins anew when this settles.
   */
  grows?: ((bytes: number) => Promise<void> | null) | undefined;
}

/** A collection of an account, without what is in it. */
export interface CollectionRecord {
  /** The collection's name. */
  collection: string;
  /** The sum of its entries' versions, each plus one. */
  revision: number;
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
