import type { SnapshotReason } from '../../../protocol/player-messages.js';
import type { NewSnapshot, Owner, PlacedRecord, SnapshotInfo, SnapshotRecord } from '../records.js';
import type { MemoryAccount } from './tables.js';

const encoder = new TextEncoder();

interface Loss {
  reason: SnapshotReason;
  entries: readonly PlacedRecord[];
  /** Whose they were; the account's own if left out. */
  from?: Owner;
  lost: NewSnapshot;
  now: number;
}

/** Keeps what lost; where there is nothing, there is nothing to keep. */
export function keepSnapshot(account: MemoryAccount, { reason, entries, from, lost, now }: Loss): void {
  if (entries.length === 0) return;
  const { gameId, environment, accountId } = account.record;
  const { snapshots } = account;
  while (snapshots.size >= lost.max && snapshots.size > 0) snapshots.delete(firstToGo(snapshots));
  snapshots.set(lost.snapshotId, {
    gameId,
    environment,
    accountId,
    snapshotId: lost.snapshotId,
    createdAt: now,
    expiresAt: lost.expiresAt,
    reason,
    fromId: (from ?? account.record).accountId,
    entries: entries.map((entry) => ({ ...entry })),
  });
}

/** Spec gap: single entries first, so that many forced writes do not push out the whole profile that a choice cost. */
function firstToGo(snapshots: ReadonlyMap<string, SnapshotRecord>): string {
  const all = [...snapshots.values()];
  const single = all.find(({ reason }) => reason === 'overwrite' || reason === 'mismatch');
  return (single ?? all[0])?.snapshotId ?? '';
}

export function listFrom(account: MemoryAccount, now: number): SnapshotInfo[] {
  return [...account.snapshots.values()]
    .filter(({ expiresAt }) => expiresAt > now)
    .reverse()
    .map(({ entries, ...snapshot }) => ({
      ...snapshot,
      entries: entries.length,
      bytes: entries.reduce((sum, { text }) => sum + encoder.encode(text).length, 0),
    }));
}

/** A copy of one that has not ended. */
export function findIn(account: MemoryAccount | undefined, snapshotId: string, now: number): SnapshotRecord | null {
  const snapshot = account?.snapshots.get(snapshotId);
  if (snapshot === undefined || snapshot.expiresAt <= now) return null;
  return copySnapshot(snapshot);
}

export function copySnapshot(snapshot: SnapshotRecord): SnapshotRecord {
  return { ...snapshot, entries: snapshot.entries.map((entry) => ({ ...entry })) };
}
