import type { EntryVersion, NewSnapshot, PlacedRecord, RestoreOutcome, SnapshotKey } from '../records.js';
import { entryOf, type HeldEntries, holdEntries, overflows } from '../rules/held-entries.js';
import { lockLiving } from './accounts.js';
import { putEntry, readAllEntries } from './entries.js';
import { keepSnapshot, readSnapshot } from './snapshots.js';
import type { Steps } from './statement.js';

/** `Store.restoreSnapshot`. */
export function* restoreSnapshot(request: {
  key: SnapshotKey;
  maxEntries: number;
  lost: NewSnapshot;
  now: number;
}): Steps<RestoreOutcome> {
  const { key: owner, maxEntries, lost, now } = request;
  const account = yield* lockLiving(owner);
  const snapshot = account === null ? null : yield* readSnapshot(owner, now);
  if (snapshot === null) return { outcome: 'no_snapshot' };
  const held = holdEntries(yield* readAllEntries(owner));
  if (overflows(held, snapshot.entries, maxEntries)) return { outcome: 'full' };
  const overwritten = snapshot.entries.flatMap((entry) => overwrittenBy(entry, held));
  yield* keepSnapshot(owner, { reason: 'restore', entries: overwritten, lost, now });
  const entries: EntryVersion[] = [];
  for (const { collection, key, text } of snapshot.entries) {
    const current = entryOf(held, { collection, key }) ?? null;
    const isThere = current?.text === text;
    entries.push(
      isThere
        ? { collection, key, version: current.version }
        : yield* putEntry(owner, { collection, key, text }, { current, now }),
    );
  }
  return { outcome: 'restored', entries };
}

function overwrittenBy({ collection, key, text }: PlacedRecord, held: HeldEntries): PlacedRecord[] {
  const current = entryOf(held, { collection, key });
  return current === undefined || current.text === text ? [] : [{ collection, ...current }];
}
