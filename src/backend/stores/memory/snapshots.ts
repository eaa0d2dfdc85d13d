import { versions } from '../../../protocol/gaps/versions.js';
import type { SnapshotReason } from '../../../protocol/player-messages.js';
import type {
  AddSnapshotOutcome,
  AddSnapshotRequest,
  EntryQuotas,
  ListSnapshotsRequest,
  QuotaRefusal,
  ReadSnapshotRequest,
  RestoreOutcome,
  RestoreSnapshotRequest,
} from '../entry-requests.js';
import type { EntryVersion, PlacedRecord, SnapshotInfo, SnapshotRecord } from '../records.js';
import { exceededBy, findEntry, growthBy, putEntry } from '../rules/held-entries.js';
import { type Origin, writesOver } from '../rules/origins.js';
import { bytesOfEntries, entriesToOverwrite, type SnapshotContent, singleEntryReasons } from '../rules/snapshots.js';
import type { MemoryAccount, MemorySnapshot, MemoryTables } from './tables.js';
import { accountForWrite } from './write-access.js';

/** Keeps entries in an account as a snapshot; makes none where there are no entries. */
export function keepSnapshot(account: MemoryAccount, content: SnapshotContent): void {
  const { reason, entries, from, snapshot, now } = content;
  if (entries.length === 0) return;
  const { gameId, environment, accountId } = account.record;
  const { snapshots } = account;
  const bytes = bytesOfEntries(entries);
  makeRoomForSnapshot(account, { ...content, bytes });
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
    bytes,
  });
}

/**
 * Removes the snapshots that have to go so that an account may have one more; the rule is that of `singleEntryReasons`.
 */
function makeRoomForSnapshot(
  { snapshots }: MemoryAccount,
  { reason, bytes, snapshot, beside }: SnapshotContent & { bytes: number },
): void {
  const isSingle = (each: SnapshotReason): boolean => singleEntryReasons.includes(each);
  let total = bytes;
  for (const each of snapshots.values()) total += each.bytes;
  const isTooMany = (): boolean => snapshots.size >= snapshot.max;
  const isTooLarge = (): boolean => total > snapshot.maxBytes;
  for (const removesSingles of [true, false]) {
    for (const [id, each] of snapshots) {
      if (!isTooMany() && !(isTooLarge() && (removesSingles || !isSingle(reason)))) break;
      if (isSingle(each.reason) !== removesSingles || id === beside?.snapshotId) continue;
      snapshots.delete(id);
      total -= each.bytes;
    }
  }
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
    .map(({ entries, ...snapshot }) => ({ ...snapshot, entries: entries.length }));
}

/** `Store.readSnapshot`. */
export function readSnapshot(tables: MemoryTables, { key, now }: ReadSnapshotRequest): SnapshotRecord | null {
  const snapshot = tables.account(key)?.snapshots.get(key.snapshotId);
  return snapshot === undefined || snapshot.expiresAt <= now ? null : copySnapshot(snapshot);
}

/** `Store.restoreSnapshot`. */
export function restoreSnapshot(tables: MemoryTables, request: RestoreSnapshotRequest): RestoreOutcome {
  const { key, sessionId, quotas, snapshot, now } = request;
  const account = accountForWrite(tables, key, sessionId);
  if ('outcome' in account) return account;
  const restored = readSnapshot(tables, request);
  if (restored === null) return { outcome: 'no_snapshot' };
  const overwritten = entriesToOverwrite(account, restored.entries);
  const keep = { reason: 'restore', entries: overwritten, snapshot, now } as const;
  const origin = restored.fromId === key.accountId ? null : restored;
  const outcome = writeOver(account, restored.entries, { origin, keep, quotas, now });
  return 'outcome' in outcome ? outcome : { outcome: 'restored', entries: outcome.entries };
}

/**
 * Writes entries over those of an account, after a snapshot. Those that have the same text already stay as they are.
 * `origin` is where they are from; null for the account's own.
 */
export function writeOver(
  account: MemoryAccount,
  restored: readonly PlacedRecord[],
  { origin, keep, quotas, now }: { origin: Origin | null; keep: SnapshotContent; quotas: EntryQuotas; now: number },
): { entries: EntryVersion[]; written: number } | QuotaRefusal {
  const writes = writesOver(account, restored, origin);
  const growth = growthBy(account, writes);
  const refused = exceededBy(account, growth, quotas);
  if (refused !== null) return refused;
  keepSnapshot(account, keep);
  for (const write of writes) putEntry(account, write, now);
  account.valueBytes += growth.bytes;
  const entries = restored.map(({ collection, key }): EntryVersion => {
    return { collection, key, version: findEntry(account, { collection, key })?.version ?? versions.first };
  });
  return { entries, written: writes.length };
}

export function copySnapshot({ bytes: _, ...snapshot }: MemorySnapshot): SnapshotRecord {
  return { ...snapshot, entries: snapshot.entries.map((entry) => ({ ...entry })) };
}
