import type { UsageRequest } from '../entry-requests.js';
import type { UsageRecord } from '../records.js';
import type { MemoryTables } from './tables.js';

/** `Store.readUsage`. */
export function readUsage(tables: MemoryTables, { owner, now }: UsageRequest): UsageRecord | null {
  const account = tables.account(owner);
  if (account === undefined) return null;
  const snapshots = [...account.snapshots.values()].filter(({ expiresAt }) => expiresAt > now);
  return {
    values: account.valueBytes,
    entries: Math.max(0, ...[...account.collections.values()].map(({ size }) => size)),
    collections: account.collections.size,
    snapshots: snapshots.length,
    snapshotBytes: snapshots.reduce((sum, { bytes }) => sum + bytes, 0),
    devices: [...account.links.values()].filter(({ method }) => method === 'device').length,
    sessions: [...account.sessions.values()].filter(({ expiresAt }) => expiresAt > now).length,
  };
}
