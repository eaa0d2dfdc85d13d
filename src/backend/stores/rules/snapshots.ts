import type { SnapshotReason } from '../../../protocol/player-messages.js';
import type { NewSnapshot, Owner, PlacedRecord } from '../records.js';
import { findEntry, type HeldEntries } from './held-entries.js';
import { entryBytes } from './quotas.js';

/** What an operation is about to take from an account, to be kept as a snapshot first. */
export interface SnapshotContent {
  reason: SnapshotReason;
  entries: readonly PlacedRecord[];
  /** Whose entries they were; those of the account that keeps them if left out. */
  from?: Owner;
  snapshot: NewSnapshot;
  now: number;
  /** Another snapshot of the same operation, which stays. */
  beside?: NewSnapshot;
}

/**
 * Snapshots of single entries. Spec gap: where an account has too many snapshots, these are removed first, so that many
 * forced writes do not push out the whole profile that a choice in a conflict replaced. Where the bytes are too many,
 * they push out only one another.
 */
export const singleEntryReasons: readonly SnapshotReason[] = ['overwrite', 'mismatch'];

/** The bytes of all entries together. */
export function bytesOfEntries(entries: readonly PlacedRecord[]): number {
  return entries.reduce((sum, entry) => sum + entryBytes(entry), 0);
}

/** Which of the account's entries the return of a snapshot would change. */
export function entriesToOverwrite(account: HeldEntries, restored: readonly PlacedRecord[]): PlacedRecord[] {
  return restored.flatMap(({ collection, key, text }) => {
    const current = findEntry(account, { collection, key });
    return current === undefined || current.text === text ? [] : [{ collection, ...current }];
  });
}
