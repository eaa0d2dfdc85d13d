import { versions } from '../../../protocol/gaps/versions.js';
import type {
  EntryVersion,
  NewSnapshot,
  PlacedRecord,
  RestoreOutcome,
  WriteOutcome,
  WriteRequest,
} from '../records.js';
import { entryOf, overflows, putEntry } from '../rules/held-entries.js';
import { findIn, keepSnapshot } from './snapshots.js';
import type { MemoryAccount } from './tables.js';

/** `Store.writeEntry` on an account. */
export function writeInAccount(account: MemoryAccount, request: WriteRequest): WriteOutcome {
  const { collection, text, version, maxEntries, lost, now } = request;
  const current = entryOf(account, request);
  if (version !== versions.force && version !== (current?.version ?? 'absent')) {
    return { outcome: 'mismatch', current: current === undefined ? null : { ...current } };
  }
  if (overflows(account, [request], maxEntries)) return { outcome: 'full' };
  if (version === versions.force && current !== undefined && current.text !== text) {
    keepSnapshot(account, { reason: 'overwrite', entries: [{ collection, ...current }], lost, now });
  }
  return { outcome: 'written', version: putEntry(account, request, now).version };
}

/** `Store.restoreSnapshot` on an account. */
export function restoreInAccount(
  account: MemoryAccount,
  request: { snapshotId: string; maxEntries: number; lost: NewSnapshot; now: number },
): RestoreOutcome {
  const { snapshotId, maxEntries, lost, now } = request;
  const snapshot = findIn(account, snapshotId, now);
  if (snapshot === null) return { outcome: 'no_snapshot' };
  if (overflows(account, snapshot.entries, maxEntries)) return { outcome: 'full' };
  const overwritten = snapshot.entries.flatMap(({ collection, key, text }): PlacedRecord[] => {
    const current = entryOf(account, { collection, key });
    return current === undefined || current.text === text ? [] : [{ collection, ...current }];
  });
  keepSnapshot(account, { reason: 'restore', entries: overwritten, lost, now });
  const entries = snapshot.entries.map(({ collection, key, text }): EntryVersion => {
    const current = entryOf(account, { collection, key });
    if (current?.text === text) return { collection, key, version: current.version };
    return putEntry(account, { collection, key, text }, now);
  });
  return { outcome: 'restored', entries };
}
