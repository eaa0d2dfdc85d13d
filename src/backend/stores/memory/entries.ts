import { versions } from '../../../protocol/gaps/versions.js';
import type {
  CollectionRecord,
  CollectionRequest,
  EntriesRequest,
  ReadRequest,
  UpdateOutcome,
  UpdateRequest,
} from '../entry-requests.js';
import type { EntryRecord, PlacedRecord } from '../records.js';
import {
  exceededBy,
  findEntry,
  growthBy,
  listCollection,
  listEntriesAfter,
  putEntry,
  revisionsOf,
} from '../rules/held-entries.js';
import { addToLedger, emptyLedger, outcomeWithoutWriting } from '../rules/ledger.js';
import { keepSnapshot } from './snapshots.js';
import { entryKey, type MemoryAccount, type MemoryTables } from './tables.js';
import { accountForWrite } from './write-access.js';

/** `Store.listCollections`. */
export function listCollections(tables: MemoryTables, request: ReadRequest): CollectionRecord[] | null {
  const account = accountForRead(tables, request);
  return account === undefined ? null : revisionsOf(account);
}

/** `Store.readCollection`. */
export function readCollection(tables: MemoryTables, request: CollectionRequest): EntryRecord[] | null {
  const account = accountForRead(tables, request);
  return account === undefined ? null : listCollection(account, request.collection);
}

function accountForRead(tables: MemoryTables, { owner, sessionId }: ReadRequest): MemoryAccount | undefined {
  const account = tables.account(owner);
  return sessionId === null || account?.sessions.has(sessionId) ? account : undefined;
}

/** `Store.readEntries`. */
export function readEntries(tables: MemoryTables, { owner, after, max }: EntriesRequest): PlacedRecord[] | null {
  const account = tables.account(owner);
  return account === undefined ? null : listEntriesAfter(account, after, max);
}

/** `Store.updateEntry`. */
export function updateEntry(tables: MemoryTables, request: UpdateRequest): UpdateOutcome {
  const account = accountForWrite(tables, request.owner, request.sessionId);
  if ('outcome' in account) return account;
  const { collection, text, version, name, quotas, snapshot, now } = request;
  const current = findEntry(account, request);
  const ledger = account.ledgers.get(entryKey(request)) ?? emptyLedger;
  const settled = outcomeWithoutWriting(request, current === undefined ? null : { ...current }, ledger);
  if (settled !== null) return settled;
  const growth = growthBy(account, [request]);
  const refused = exceededBy(account, growth, quotas);
  if (refused !== null) return refused;
  const keepsFormer = version === versions.force || request.keepsFormer === true;
  if (keepsFormer && current !== undefined && current.text !== text) {
    keepSnapshot(account, { reason: 'overwrite', entries: [{ collection, ...current }], snapshot, now });
  }
  const written = putEntry(account, request, now);
  account.valueBytes += growth.bytes;
  if (name !== undefined) account.ledgers.set(entryKey(request), addToLedger(ledger, name, written.version));
  return { outcome: 'written', version: written.version };
}
