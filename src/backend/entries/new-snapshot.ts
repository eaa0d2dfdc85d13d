import { accountDefaults } from '../../protocol/gaps/accounts.js';
import type { Service } from '../service.js';
import type { NewSnapshot } from '../stores/records.js';

/**
 * A snapshot for what an operation is about to overwrite. Spec gap: kept for 30 days, as long as the account has room.
 */
export function newSnapshot(service: Service): NewSnapshot {
  const expiresAt = service.now() + accountDefaults.snapshotKeptMs;
  const { snapshots: max, snapshotBytes: maxBytes } = service.quotas;
  return { snapshotId: service.newId(), expiresAt, max, maxBytes };
}
