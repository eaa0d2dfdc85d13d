import { versions } from '../../../protocol/gaps/versions.js';
import type { EntryQuotas, QuotaRefusal, RestoreOutcome, RestoreSnapshotRequest } from '../entry-requests.js';
import type { EntryVersion, Owner, PlacedRecord, SnapshotRecord } from '../records.js';
import { exceededBy, findEntry, growthBy, type HeldEntries, holdEntries } from '../rules/held-entries.js';
import { type Origin, writesOver } from '../rules/origins.js';
import { entriesToOverwrite, type SnapshotContent } from '../rules/snapshots.js';
import { listEntries, putEntries } from './entries.js';
import { type EntriesOf, writeInTurns } from './read-in-turns.js';
import type { RowLocks } from './row-locks.js';
import { hasSnapshot, keepSnapshot, readSnapshot, readSnapshotInTurns } from './snapshots.js';
import type { SqlRunner, Steps } from './statement.js';
import { lockForWrite } from './write-access.js';

/** `Store.restoreSnapshot`. The snapshot, which never changes, is read before the account is locked, and so are its entries. */
export async function restoreSnapshotInTurns(
  runner: SqlRunner,
  request: RestoreSnapshotRequest,
): Promise<RestoreOutcome> {
  const { key } = request;
  const { turns, rowLocks } = runner;
  const source = turns?.source();
  const read = await readSnapshotInTurns(runner, key, request.now);
  const findRestored = function* (): Steps<SnapshotRecord | null> {
    if (turns?.source() !== source) return yield* readSnapshot(key, request.now);
    return (yield* hasSnapshot(key)) ? read : null;
  };
  return writeInTurns(runner, {
    owners: async () => (read === null ? [] : [key]),
    write: (entriesOf) => restoreSnapshot(request, { rowLocks, findRestored, entriesOf }),
  });
}

/** `findRestored` finds the snapshot, and `entriesOf` what it is written over, once the account is locked. */
export function* restoreSnapshot(
  request: RestoreSnapshotRequest,
  {
    rowLocks,
    findRestored = () => readSnapshot(request.key, request.now),
    entriesOf = listEntries,
  }: { rowLocks: RowLocks; findRestored?: () => Steps<SnapshotRecord | null>; entriesOf?: EntriesOf },
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
  const outcome = yield* writeOver(owner, restored.entries, { entriesOf, origin, keep, quotas, now });
  return 'outcome' in outcome ? outcome : { outcome: 'restored', entries: outcome.entries };
}

/** What is written over an account's entries, and how. */
interface Overwriting {
  entriesOf?: EntriesOf;
  /** Where the entries are from; null for the account's own. */
  origin: Origin | null;
  /** The snapshot that is made of what is there first. */
  keep: (held: HeldEntries) => SnapshotContent;
  quotas: EntryQuotas;
  now: number;
}

/** Writes entries over those of an account that is locked. Those that have the same text already stay as they are. */
export function* writeOver(
  owner: Owner,
  entries: readonly PlacedRecord[],
  { entriesOf = listEntries, origin, keep, quotas, now }: Overwriting,
): Steps<{ entries: EntryVersion[]; written: number } | QuotaRefusal> {
  const held = holdEntries(yield* entriesOf(owner));
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
