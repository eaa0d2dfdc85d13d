import { versions } from '../../../protocol/gaps/versions.js';
import type { EntryRecord } from '../records.js';
import type { CollectionRequest, UpdateOutcome, UpdateRequest } from '../requests.js';
import { exceedsMaxEntries, findEntry, listCollection, putEntry } from '../rules/held-entries.js';
import { keepSnapshot } from './snapshots.js';
import type { MemoryTables } from './tables.js';

/** `Store.readCollection`. */
export function readCollection(tables: MemoryTables, { owner, collection }: CollectionRequest): EntryRecord[] | null {
  const account = tables.account(owner);
  return account === undefined ? null : listCollection(account, collection);
}

/** `Store.updateEntry`. */
export function updateEntry(tables: MemoryTables, request: UpdateRequest): UpdateOutcome {
  const account = tables.account(request.owner);
  if (account === undefined) return { outcome: 'no_account' };
  const { collection, text, version, maxEntries, snapshot, now } = request;
  const current = findEntry(account, request);
  if (version !== versions.force && version !== (current?.version ?? 'absent')) {
    return { outcome: 'mismatch', current: current === undefined ? null : { ...current } };
  }
  if (exceedsMaxEntries(account, [request], maxEntries)) return { outcome: 'full' };
  if (version === versions.force && current !== undefined && current.text !== text) {
    keepSnapshot(account, { reason: 'overwrite', entries: [{ collection, ...current }], snapshot, now });
  }
  return { outcome: 'written', version: putEntry(account, request, now).version };
}
