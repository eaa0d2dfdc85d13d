import type { EntryVersion } from '../records.js';
import type { RestoreOutcome, RestoreSnapshotRequest } from '../requests.js';
import { exceedsMaxEntries, findEntry, holdEntries, noTimes } from '../rules/held-entries.js';
import { entriesToOverwrite } from '../rules/snapshots.js';
import { listEntries, putEntry } from './entries.js';
import type { RowLocks } from './row-locks.js';
import { keepSnapshot, readSnapshot } from './snapshots.js';
import type { Steps } from './statement.js';
import { lockForWrite } from './write-access.js';

/** `Store.restoreSnapshot`. */
export function* restoreSnapshot(request: RestoreSnapshotRequest, rowLocks: RowLocks): Steps<RestoreOutcome> {
  const { key: owner, sessionId, maxEntries, snapshot, now } = request;
  const refused = yield* lockForWrite({ owner, sessionId }, rowLocks);
  if (refused !== null) return refused;
  const restored = yield* readSnapshot(owner, now);
  if (restored === null) return { outcome: 'no_snapshot' };
  const held = holdEntries(yield* listEntries(owner));
  if (exceedsMaxEntries(held, restored.entries, maxEntries)) return { outcome: 'full' };
  const overwritten = entriesToOverwrite(held, restored.entries);
  yield* keepSnapshot(owner, { reason: 'restore', entries: overwritten, snapshot, now });
  const entries: EntryVersion[] = [];
  for (const { collection, key, text, times = noTimes } of restored.entries) {
    const current = findEntry(held, { collection, key }) ?? null;
    entries.push(
      current?.text === text
        ? { collection, key, version: current.version }
        : yield* putEntry(owner, { collection, key, text, times }, { current, now }),
    );
  }
  return { outcome: 'restored', entries };
}
