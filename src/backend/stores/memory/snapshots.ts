import type { SnapshotReason } from '../../../protocol/player-messages.js';
import type { EntryVersion, SnapshotInfo, SnapshotRecord } from '../records.js';
import type {
  AddSnapshotOutcome,
  AddSnapshotRequest,
  ListSnapshotsRequest,
  ReadSnapshotRequest,
  RestoreOutcome,
  RestoreSnapshotRequest,
} from '../requests.js';
import { findEntry, noTimes, putEntry, quotaExceededBy } from '../rules/held-entries.js';
import { bytesOfValues, entriesToOverwrite, type SnapshotContent, singleEntryReasons } from '../rules/snapshots.js';
import type { MemoryAccount, MemorySnapshot, MemoryTables } from './tables.js';
import { accountForWrite } from './write-access.js';

/** Keeps entries in an account as a snapshot; makes none where there are no entries. */
export function keepSnapshot(account: MemoryAccount, content: SnapshotContent): void {
  const { reason, entries, from, snapshot, now } = content;
  if (entries.length === 0) return;
  const { gameId, environment, accountId } = account.record;
  const { snapshots } = account;
  const bytes = bytesOfValues(entries);
  for (const id of surplusSnapshots([...snapshots.values()], { ...content, bytes })) snapshots.delete(id);
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

/** Which snapshots have to go, of all by age, so that an account may have one more. */
function surplusSnapshots(
  all: readonly MemorySnapshot[],
  { reason, bytes, snapshot, beside }: SnapshotContent & { bytes: number },
): string[] {
  const isSingle = (each: SnapshotReason): boolean => singleEntryReasons.includes(each);
  const singles = all.filter((each) => isSingle(each.reason));
  const wholes = all.filter((each) => !isSingle(each.reason));
  let count = all.length + 1;
  let total = all.reduce((sum, each) => sum + each.bytes, bytes);
  const surplus: string[] = [];
  for (const each of [...singles, ...wholes].filter(({ snapshotId }) => snapshotId !== beside?.snapshotId)) {
    const isTooLarge = total > snapshot.maxBytes && (isSingle(each.reason) || !isSingle(reason));
    if (count <= snapshot.max && !isTooLarge) break;
    surplus.push(each.snapshotId);
    count -= 1;
    total -= each.bytes;
  }
  return surplus;
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
  const refused = quotaExceededBy(account, restored.entries, quotas);
  if (refused !== null) return refused;
  const overwritten = entriesToOverwrite(account, restored.entries);
  keepSnapshot(account, { reason: 'restore', entries: overwritten, snapshot, now });
  const entries = restored.entries.map(({ collection, key, text, times = noTimes }): EntryVersion => {
    const current = findEntry(account, { collection, key });
    if (current?.text === text) return { collection, key, version: current.version };
    return putEntry(account, { collection, key, text, times }, now);
  });
  return { outcome: 'restored', entries };
}

export function copySnapshot({ bytes: _, ...snapshot }: MemorySnapshot): SnapshotRecord {
  return { ...snapshot, entries: snapshot.entries.map((entry) => ({ ...entry })) };
}
