import type { ImportAccountOutcome, ImportAccountRequest } from '../import-requests.js';
import { holdEntries } from '../rules/held-entries.js';
import { refusedImport, snapshotsOfImport } from '../rules/imports.js';
import { count } from './counts.js';
import { keepSnapshot } from './snapshots.js';
import { linkKey, type MemoryTables } from './tables.js';

/** `Store.importAccount`. */
export function importAccount(tables: MemoryTables, request: ImportAccountRequest): ImportAccountOutcome {
  const { owner, createdAt, lastSeenAt, links, entries } = request;
  const isTaken = tables.account(owner) !== undefined || links.some((link) => tables.links.has(linkKey(link)));
  if (isTaken) return { outcome: 'taken' };
  const refused = refusedImport(request);
  if (refused !== null) return refused;
  const account = tables.addAccount(owner, createdAt);
  account.record.lastSeenAt = lastSeenAt;
  for (const { linkedAt, lastUsedAt, ...link } of links)
    tables.addLink(account, link, linkedAt).lastUsedAt = lastUsedAt;
  Object.assign(account, holdEntries(entries.map((entry) => ({ ...entry }))));
  for (const content of snapshotsOfImport(request)) keepSnapshot(account, content);
  count(tables, owner, createdAt, ['new']);
  return { outcome: 'imported' };
}
