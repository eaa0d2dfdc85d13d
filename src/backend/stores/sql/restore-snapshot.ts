import { versions } from '../../../protocol/gaps/versions.js';
import type { EntryQuotas, QuotaRefusal, RestoreOutcome, RestoreSnapshotRequest } from '../entry-requests.js';
import type { EntryVersion, Owner, PlacedRecord, SnapshotRecord } from '../records.js';
import { exceededBy, findEntry, growthBy, type HeldEntries, holdEntries } from '../rules/held-entries.js';
import { type Origin, writesOver } from '../rules/origins.js';
import { entriesToOverwrite, type SnapshotContent } from '../rules/snapshots.js';
import { listEntries, putEntries } from './entries.js';
import type { RowLocks } from './row-locks.js';
import { hasSnapshot, keepSnapshot, readSnapshot, readSnapshotInTurns } from './snapshots.js';
import type { SqlRunner, Steps } from './statement.js';
import { lockForWrite } from './write-access.js';

/** `Store.restoreSnapshot`. What a snapshot holds never changes, so that it is read before the account is locked. */
export async function restoreSnapshotInTurns(
  runner: SqlRunner,
  request: RestoreSnapshotRequest,
): Promise<RestoreOutcome> {
  const read = await readSnapshotInTurns(runner, request.key, request.now);
  const findRestored = function* (): Steps<SnapshotRecord | null> {
    return (yield* hasSnapshot(request.key)) ? read : null;
  };
  return runner.transaction(() => restoreSnapshot(request, runner.rowLocks, findRestored));
}

/** `findRestored` finds the snapshot once the account is locked. */
export function* restoreSnapshot(
  request: RestoreSnapshotRequest,
  rowLocks: RowLocks,
  findRestored = (): Steps<SnapshotRecord | null> => readSnapshot(request.key, request.now),
): Steps<RestoreOutcome> {
  const { key: owner, sessionId, quotas, snapshot, now } = request;
  const refused = yield* lockForWrite({ owner, sessionId }, rowLocks);
  if (refused !== null) return refused;
  const restored = yield* findRestored();
  if (restored === null) return { outcome: 'no_snapshot' };
  const keep = (held: HeldEntries): SnapshotContent => {
    return { reason: 'restore', entries: entriesToOverwrite(held, restored.entries), snapshot, now };
  };
  const origin = restored.fromId === owner.accountId ? null : restored;
  const outcome = yield* writeOver(owner, restored.entries, { origin, keep, quotas, now });
  return 'outcome' in outcome ? outcome : { outcome: 'restored', entries: outcome.entries };
}

/**
 * Writes entries over those of an account that is locked, after a snapshot of what `keep` says. Those that have the
 * same text already stay as they are. `origin` is where they are from; null for the account's own.
 */
export function* writeOver(
  owner: Owner,
  entries: readonly PlacedRecord[],
  {
    origin,
    keep,
    quotas,
    now,
  }: { origin: Origin | null; keep: (held: HeldEntries) => SnapshotContent; quotas: EntryQuotas; now: number },
): Steps<{ entries: EntryVersion[]; written: number } | QuotaRefusal> {
  const held = holdEntries(yield* listEntries(owner));
  const writes = writesOver(held, entries, origin);
  const exceeded = exceededBy(held, growthBy(held, writes), quotas);
  if (exceeded !== null) return exceeded;
  yield* keepSnapshot(owner, keep(held));
  yield* putEntries(owner, held, { writes, now, quotas });
  const versionsNow = entries.map(({ collection, key }): EntryVersion => {
    return { collection, key, version: findEntry(held, { collection, key })?.version ?? versions.first };
  });
  return { entries: versionsNow, written: writes.length };
}
