import type { CarriedProfile, ImportAccountOutcome, ImportAccountRequest } from '../import-requests.js';
import type { Owner } from '../records.js';
import { holdEntries } from '../rules/held-entries.js';
import { refusedImport, snapshotsOfImport } from '../rules/imports.js';
import { readLedger, writeLedger } from '../rules/ledger.js';
import { readProfile } from './accounts.js';
import { count } from './counts.js';
import { keepSnapshot } from './snapshots.js';
import { entryKey, linkKey, type MemoryTables } from './tables.js';

/** `Store.importAccount`. */
export function importAccount(tables: MemoryTables, request: ImportAccountRequest): ImportAccountOutcome {
  const { owner, createdAt, lastSeenAt, orphanedAt, deletedAt, links, entries } = request;
  const isTaken = tables.account(owner) !== undefined || links.some((link) => tables.links.has(linkKey(link)));
  if (isTaken) return { outcome: 'taken' };
  const refused = refusedImport(request);
  if (refused !== null) return refused;
  const account = tables.addAccount(owner, createdAt);
  for (const { linkedAt, lastUsedAt, ...link } of links)
    tables.addLink(account, link, linkedAt).lastUsedAt = lastUsedAt;
  Object.assign(account.record, { lastSeenAt, orphanedAt, deletedAt });
  Object.assign(account, holdEntries(entries.map(({ writes: _, ...entry }) => entry)));
  for (const { writes, ...name } of entries) {
    if (writes !== undefined) account.ledgers.set(entryKey(name), readLedger(writes));
  }
  for (const content of snapshotsOfImport(request)) keepSnapshot(account, content);
  count(tables, owner, createdAt, ['new']);
  return { outcome: 'imported' };
}

/** `Store.readForExport`. */
export function readForExport(tables: MemoryTables, owner: Owner): CarriedProfile | null {
  const [account, profile] = [tables.account(owner), readProfile(tables, owner)];
  if (account === undefined || profile === null) return null;
  const entries = profile.entries.map((entry) => {
    const ledger = account.ledgers.get(entryKey(entry));
    return ledger === undefined ? entry : { ...entry, writes: writeLedger(ledger) };
  });
  return { ...profile, entries };
}
