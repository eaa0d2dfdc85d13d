import { versions } from '../../../protocol/gaps/versions.js';
import type { RestoreOutcome, RestoreSnapshotRequest } from '../entry-requests.js';
import type { EntryVersion } from '../records.js';
import { exceededBy, findEntry, growthBy, holdEntries, noTimes } from '../rules/held-entries.js';
import { entriesToOverwrite } from '../rules/snapshots.js';
import { listEntries, putEntries } from './entries.js';
import type { RowLocks } from './row-locks.js';
import { keepSnapshot, readSnapshot } from './snapshots.js';
import type { Steps } from './statement.js';
import { lockForWrite } from './write-access.js';

/** `Store.restoreSnapshot`. */
export function* restoreSnapshot(request: RestoreSnapshotRequest, rowLocks: RowLocks): Steps<RestoreOutcome> {
  const { key: owner, sessionId, quotas, snapshot, now } = request;
  const refused = yield* lockForWrite({ owner, sessionId }, rowLocks);
  if (refused !== null) return refused;
  const restored = yield* readSnapshot(owner, now);
  if (restored === null) return { outcome: 'no_snapshot' };
  const held = holdEntries(yield* listEntries(owner));
  const exceeded = exceededBy(held, growthBy(held, restored.entries), quotas);
  if (exceeded !== null) return exceeded;
  const overwritten = entriesToOverwrite(held, restored.entries);
  yield* keepSnapshot(owner, { reason: 'restore', entries: overwritten, snapshot, now });
  const writes = restored.entries
    .filter((entry) => findEntry(held, entry)?.text !== entry.text)
    .map(({ collection, key, text, times = noTimes }) => ({ collection, key, text, times }));
  yield* putEntries(owner, held, { writes, now, quotas });
  const entries = restored.entries.map(({ collection, key }): EntryVersion => {
    return { collection, key, version: findEntry(held, { collection, key })?.version ?? versions.first };
  });
  return { outcome: 'restored', entries };
}
