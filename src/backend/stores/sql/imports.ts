import type { CarriedProfile, ImportAccountOutcome, ImportAccountRequest } from '../import-requests.js';
import type { Owner } from '../records.js';
import { refusedImport, snapshotsOfImport } from '../rules/imports.js';
import { readLedger } from '../rules/ledger.js';
import { entryBytes } from '../rules/quotas.js';
import { addAccount, findAccountRecord } from './accounts.js';
import { count } from './counts.js';
import { addEntry, listCarriedEntries } from './entries.js';
import { addFirstLinkIfFree, findLink, readAccount } from './links.js';
import { keepSnapshot } from './snapshots.js';
import { RaceError, type Steps } from './statement.js';
import { place, setCount, type ValueCount } from './value-bytes.js';

/** `Store.importAccount`. What somebody else takes meanwhile makes it start again, and find that. */
export function* importAccount(request: ImportAccountRequest): Steps<ImportAccountOutcome> {
  const { owner, createdAt, links } = request;
  if ((yield* findAccountRecord(owner)) !== null) return { outcome: 'taken' };
  for (const link of links) if ((yield* findLink(link)) !== null) return { outcome: 'taken' };
  const refused = refusedImport(request);
  if (refused !== null) return refused;
  const account = yield* addAccount(owner, createdAt, request);
  for (const { linkedAt, lastUsedAt, ...link } of links) {
    if ((yield* addFirstLinkIfFree(account, link, { linkedAt, lastUsedAt })) === null) throw new RaceError();
  }
  yield* addEntries(request);
  for (const content of snapshotsOfImport(request)) yield* keepSnapshot(owner, content);
  yield* count(owner, createdAt, ['new']);
  return { outcome: 'imported' };
}

/** Writes the entries, each with room to grow by as any other has, and counts them. */
function* addEntries({ owner, entries, quotas }: ImportAccountRequest): Steps<void> {
  let counted: ValueCount = { bytes: 0, exactUntil: null };
  for (const { writes = {}, ...entry } of entries) {
    const placed = place({ from: { bytes: 0, room: 0 }, to: entryBytes(entry), limit: quotas.values }, counted);
    yield* addEntry(owner, entry, { ledger: readLedger(writes), room: placed.room });
    counted = placed.count;
  }
  if (entries.length > 0) yield* setCount(owner, counted);
}

/** `Store.readForExport`. */
export function* readForExport(owner: Owner): Steps<CarriedProfile | null> {
  const details = yield* readAccount(owner);
  return details === null ? null : { ...details, entries: yield* listCarriedEntries(owner) };
}
