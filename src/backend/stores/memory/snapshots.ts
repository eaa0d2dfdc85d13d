import type { EntryVersion, SnapshotInfo, SnapshotRecord } from '../records.js';
import type { RestoreOutcome, RestoreSnapshotRequest } from '../requests.js';
import { exceedsMaxEntries, findEntry, putEntry } from '../rules/held-entries.js';
import { bytesOfValues, entriesToOverwrite, type SnapshotContent, singleEntryReasons } from '../rules/snapshots.js';
import type { MemoryAccount } from './tables.js';

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

/** `Store.listSnapshots` of an account. */
export function listSnapshots(account: MemoryAccount, now: number): SnapshotInfo[] {
  return [...account.snapshots.values()]
    .filter(({ expiresAt }) => expiresAt > now)
    .reverse()
    .map(({ entries, ...snapshot }) => ({ ...snapshot, entries: entries.length, bytes: bytesOfValues(entries) }));
}

/** `Store.readSnapshot` of an account: a copy, or null where there is none or it has ended. */
export function readSnapshot(account: MemoryAccount, snapshotId: string, now: number): SnapshotRecord | null {
  const snapshot = account.snapshots.get(snapshotId);
  return snapshot === undefined || snapshot.expiresAt <= now ? null : copySnapshot(snapshot);
}

/** `Store.restoreSnapshot` of an account. */
export function restoreSnapshot(
  account: MemoryAccount,
  { key, maxEntries, snapshot, now }: RestoreSnapshotRequest,
): RestoreOutcome {
  const restored = readSnapshot(account, key.snapshotId, now);
  if (restored === null) return { outcome: 'no_snapshot' };
  if (exceedsMaxEntries(account, restored.entries, maxEntries)) return { outcome: 'full' };
  const overwritten = entriesToOverwrite(account, restored.entries);
  keepSnapshot(account, { reason: 'restore', entries: overwritten, snapshot, now });
  const entries = restored.entries.map(({ collection, key, text }): EntryVersion => {
    const current = findEntry(account, { collection, key });
    if (current?.text === text) return { collection, key, version: current.version };
    return putEntry(account, { collection, key, text }, now);
  });
  return { outcome: 'restored', entries };
}

export function copySnapshot(snapshot: SnapshotRecord): SnapshotRecord {
  return { ...snapshot, entries: snapshot.entries.map((entry) => ({ ...entry })) };
}
