import { versions } from '../../../protocol/gaps/versions.js';
import type { UpdateOutcome, UpdateRequest } from '../requests.js';
import { exceedsMaxEntries, findEntry, putEntry } from '../rules/held-entries.js';
import { keepSnapshot } from './snapshots.js';
import type { MemoryAccount } from './tables.js';

/** `Store.updateEntry` of an account. */
export function updateEntry(account: MemoryAccount, request: UpdateRequest): UpdateOutcome {
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
