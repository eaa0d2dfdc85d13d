import { accounts as gaps } from '../../protocol/gaps.js';
import type { NewSnapshot } from '../stores/records.js';
import type { Service } from './service.js';

/** Where to keep what a step makes lose. Spec gap: for 30 days, 500 an account. */
export function newSnapshot(service: Service): NewSnapshot {
  const expiresAt = service.now() + gaps.snapshotKeptMs;
  return { snapshotId: service.newId(), expiresAt, max: gaps.maxSnapshotsPerAccount };
}
