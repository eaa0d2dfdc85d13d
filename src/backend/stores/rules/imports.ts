import type { QuotaRefusal } from '../entry-requests.js';
import type { ImportAccountRequest } from '../import-requests.js';
import { exceededBy, growthBy, holdEntries } from './held-entries.js';
import type { SnapshotContent } from './snapshots.js';

/** The quota that the entries of an account that is taken over exceed; null where they may be. */
export function refusedImport({ entries, quotas }: ImportAccountRequest): QuotaRefusal | null {
  const nothing = holdEntries([]);
  return exceededBy(nothing, growthBy(nothing, entries), quotas);
}

/**
 * What is kept for the snapshots of an account that is taken over, one after the other. Two of one moment are of one
 * operation, such as a merge: the second one does not push out the first.
 */
export function snapshotsOfImport({ owner, snapshots, snapshotQuotas }: ImportAccountRequest): SnapshotContent[] {
  return snapshots.map(({ snapshotId, createdAt, expiresAt, reason, fromId, entries }, index) => {
    const before = snapshots[index - 1];
    return {
      reason,
      entries,
      from: { ...owner, accountId: fromId },
      snapshot: { snapshotId, expiresAt, ...snapshotQuotas },
      now: createdAt,
      ...(before?.createdAt === createdAt
        ? { beside: { snapshotId: before.snapshotId, expiresAt: before.expiresAt, ...snapshotQuotas } }
        : {}),
    };
  });
}
