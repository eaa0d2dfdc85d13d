import { accountDefaults } from '../../protocol/gaps/accounts.js';
import type { Service } from '../service.js';
import type { NewSnapshot } from '../stores/records.js';

/** Where to keep what a step makes lose. Spec gap: for 30 days, 500 an account. */
export function newSnapshot(service: Service): NewSnapshot {
  const expiresAt = service.now() + accountDefaults.snapshotKeptMs;
  return { snapshotId: service.newId(), expiresAt, max: accountDefaults.maxSnapshotsPerAccount };
}
