import type { EntryVersion, SnapshotInfo, SnapshotRecord } from '../records.js';
import type {
  AddSnapshotOutcome,
  AddSnapshotRequest,
  ListSnapshotsRequest,
  ReadSnapshotRequest,
  RestoreOutcome,
  RestoreSnapshotRequest,
} from '../requests.js';
import { exceedsMaxEntries, findEntry, noTimes, putEntry } from '../rules/held-entries.js';
import { bytesOfValues, entriesToOverwrite, type SnapshotContent, singleEntryReasons } from '../rules/snapshots.js';
import type { MemoryAccount, MemoryTables } from './tables.js';
import { accountForWrite } from './write-access.js';

/** Keeps entries in an account as a snapshot; makes none where there are no entries. */
export function keepSnapshot(account: MemoryAccount, content: SnapshotContent): void {
  const { reason, entries, from, snapshot, now } = content;
  if (entries.length === 0) return;
  const { gameId, environment, accountId } = account.record;
  const { snapshots } = account;
  while (snapshots.size >= snapshot.max && snapshots.size > 0) snapshots.delete(firstToRemove(snapshots));
  snapshots.set(snapshot.snapshotId, {
    gameId,
    environment,
    accountId,
    snapshotId: snapshot.snapshotId,
    createdAt: now,
    expiresAt: snapshot.expiresAt,
    reason,
    fromId: (from ?? account.record).accountId,
    entries: entries.map((entry) => ({ ...entry })),
  });
}

function firstToRemove(snapshots: ReadonlyMap<string, SnapshotRecord>): string {
  const all = [...snapshots.values()];
  const single = all.find(({ reason }) => singleEntryReasons.includes(reason));
  return (single ?? all[0])?.snapshotId ?? '';
}

/** `Store.addSnapshot`. */
export function addSnapshot(tables: MemoryTables, request: AddSnapshotRequest): AddSnapshotOutcome {
  const { owner, sessionId, entry, snapshot, now } = request;
  const account = accountForWrite(tables, owner, sessionId);
  if ('outcome' in account) return account;
  if (!account.snapshots.has(snapshot.snapshotId)) {
    keepSnapshot(account, { reason: 'mismatch', entries: [entry], snapshot, now });
  }
  return { outcome: 'kept' };
}

/** `Store.listSnapshots`. */
export function listSnapshots(tables: MemoryTables, { owner, now }: ListSnapshotsRequest): SnapshotInfo[] {
  const account = tables.account(owner);
  if (account === undefined) return [];
  return [...account.snapshots.values()]
    .filter(({ expiresAt }) => expiresAt > now)
    .reverse()
    .map(({ entries, ...snapshot }) => ({ ...snapshot, entries: entries.length, bytes: bytesOfValues(entries) }));
}

/** `Store.readSnapshot`. */
export function readSnapshot(tables: MemoryTables, { key, now }: ReadSnapshotRequest): SnapshotRecord | null {
  const snapshot = tables.account(key)?.snapshots.get(key.snapshotId);
  return snapshot === undefined || snapshot.expiresAt <= now ? null : copySnapshot(snapshot);
}

/** `Store.restoreSnapshot`. */
export function restoreSnapshot(tables: MemoryTables, request: RestoreSnapshotRequest): RestoreOutcome {
  const { key, sessionId, maxEntries, snapshot, now } = request;
  const account = accountForWrite(tables, key, sessionId);
  if ('outcome' in account) return account;
  const restored = readSnapshot(tables, request);
  if (restored === null) return { outcome: 'no_snapshot' };
  if (exceedsMaxEntries(account, restored.entries, maxEntries)) return { outcome: 'full' };
  const overwritten = entriesToOverwrite(account, restored.entries);
  keepSnapshot(account, { reason: 'restore', entries: overwritten, snapshot, now });
  const entries = restored.entries.map(({ collection, key, text, times = noTimes }): EntryVersion => {
    const current = findEntry(account, { collection, key });
    if (current?.text === text) return { collection, key, version: current.version };
    return putEntry(account, { collection, key, text, times }, now);
  });
  return { outcome: 'restored', entries };
}

export function copySnapshot(snapshot: SnapshotRecord): SnapshotRecord {
  return { ...snapshot, entries: snapshot.entries.map((entry) => ({ ...entry })) };
}
