import { versions } from '../../protocol/gaps/versions.js';
import { formatKey, type WriteName } from '../../protocol/idempotency-key.js';
import { isUuid, newUuid, nilUuid } from '../../protocol/ids.js';
import type { SnapshotSummary } from '../../protocol/player-messages.js';
import { quotaExceeded, quotasOfMerges } from '../quotas.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import { sha256 } from '../sha256.js';
import {
  type EntryVersion,
  type NewEntry,
  type Owner,
  ownerOf,
  type SessionKey,
  type SnapshotInfo,
  type SnapshotKey,
  sessionIdOf,
} from '../stores/records.js';
import { entriesText, requireName, requireStorable, writeRefused } from './entries.js';
import { newSnapshot } from './new-snapshot.js';

/**
 * The account's snapshots: entries that a choice, a forced write, a mismatch or a restored snapshot replaced; newest
 * first.
 */
export async function listSnapshots(service: Service, owner: Owner): Promise<SnapshotSummary[]> {
  return (await service.store.listSnapshots({ owner, now: service.now() })).map(summarizeSnapshot);
}

/** A snapshot with its entries, as JSON text, with its values letter for letter; null where there is none. */
export async function readSnapshot(service: Service, owner: Owner, snapshotId: string): Promise<string[] | null> {
  const key = snapshotKeyOf(owner, snapshotId);
  const kept = await findSnapshot(service, key);
  if (kept === null) return null;
  return service.wholeReads(readerOf(kept, kept.bytes), async () => {
    const found = await service.store.readSnapshot({ key, now: service.now() });
    if (found === null) return null;
    const summary = JSON.stringify(summarizeSnapshot(kept));
    return [`${summary.slice(0, -1)},"content":`, ...entriesText(found.entries, 'game'), '}'];
  });
}

/** What is listed of a snapshot. It may have 10 MiB, and is read itself only when its turn has come. */
async function findSnapshot(
  { store, now }: Service,
  { snapshotId, ...owner }: SnapshotKey,
): Promise<SnapshotInfo | null> {
  const kept = await store.listSnapshots({ owner, now: now() });
  return kept.find((snapshot) => snapshot.snapshotId === snapshotId) ?? null;
}

function readerOf({ accountId, snapshotId }: SnapshotKey, bytes: number) {
  return { line: accountId, part: `snapshots/${snapshotId}`, bytes };
}

/**
 * Keeps a value that a client gave up after a version mismatch, and answers the snapshot's id. Spec gap: with a name it
 * is kept once, however often it comes, because the id is made of the name.
 */
export async function addSnapshot(
  service: Service,
  session: SessionKey,
  { collection, key, text, name }: NewEntry & { name: WriteName | undefined },
): Promise<string> {
  requireName(collection);
  requireName(key);
  requireStorable(text, service.sizes.valueBytes);
  const now = service.now();
  const entry = { collection, key, text, version: versions.force, changedAt: now };
  const snapshot = newSnapshot(service);
  if (name !== undefined) snapshot.snapshotId = await snapshotIdOf(session, name);
  const { sessionId } = session;
  const added = await service.store.addSnapshot({ owner: ownerOf(session), sessionId, entry, snapshot, now });
  if (added.outcome !== 'kept') throw writeRefused(added);
  return snapshot.snapshotId;
}

/** A UUID that is the same for the same account and name, and tells neither. */
async function snapshotIdOf({ accountId }: Owner, name: WriteName): Promise<string> {
  return newUuid((await sha256(`snapshot ${accountId} ${formatKey(name)}`)).slice(0, 16));
}

/**
 * Writes a snapshot's entries back, each as a new version; what that overwrites becomes another snapshot. `weigh` is
 * told how many bytes that were.
 */
export async function restoreSnapshot(
  service: Service,
  by: SessionKey | Owner,
  { snapshotId, weigh = () => {} }: { snapshotId: string; weigh?: (bytes: number) => void },
): Promise<EntryVersion[]> {
  const key = snapshotKeyOf(ownerOf(by), snapshotId);
  const { bytes = 0 } = (await findSnapshot(service, key)) ?? {};
  weigh(bytes);
  const restored = await service.wholeReads(readerOf(key, bytes), () =>
    service.store.restoreSnapshot({
      key,
      sessionId: sessionIdOf(by),
      quotas: quotasOfMerges(service.quotas),
      snapshot: newSnapshot(service),
      now: service.now(),
    }),
  );
  switch (restored.outcome) {
    case 'restored':
      return restored.entries;
    case 'quota_exceeded':
      throw quotaExceeded(restored);
    case 'no_snapshot':
      throw new Refusal('not_found');
    default:
      throw writeRefused(restored);
  }
}

/**
 * The snapshot of an owner that a request names. What is no id is no text for a database: the id that no snapshot has
 * stands in for it, so that the store looks at who asks first, as it does for any id.
 */
function snapshotKeyOf(owner: Owner, id: string): SnapshotKey {
  return { ...owner, snapshotId: isUuid(id) ? id.toLowerCase() : nilUuid };
}

export function summarizeSnapshot(snapshot: SnapshotInfo): SnapshotSummary {
  const { snapshotId: id, createdAt, expiresAt, reason, fromId: fromUserId, entries, bytes } = snapshot;
  return { id, createdAt, expiresAt, reason, fromUserId, entries, bytes };
}
