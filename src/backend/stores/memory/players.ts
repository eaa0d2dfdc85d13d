import { operatorDefaults } from '../../../protocol/gaps/operators.js';
import type { EntriesRequest, ListSnapshotsRequest } from '../entry-requests.js';
import type {
  AccountList,
  AccountListRequest,
  EntryInfo,
  EntryRequest,
  ListedConflict,
  OpenConflict,
  OpenConflictsRequest,
  ScopeCount,
  WritesRequest,
} from '../operator-requests.js';
import type { AccountDetails, AccountRecord, EntryRecord, PlacedRecord, TicketRecord } from '../records.js';
import { banOf, forGood } from '../rules/bans.js';
import { compareNames, findEntry, listEntries, listEntriesAfter } from '../rules/held-entries.js';
import { bytesOf } from '../rules/quotas.js';
import { detailsOf } from './accounts.js';
import { isBehind } from './list-place.js';
import type { MemoryTables } from './tables.js';

/** What orders each list. */
const placeOf: { readonly [list in AccountList]: (account: AccountRecord, now: number) => number | null } = {
  newest: ({ createdAt }) => createdAt,
  last_seen: ({ lastSeenAt }) => lastSeenAt,
  orphaned: ({ orphanedAt }) => orphanedAt,
  deleted: ({ deletedAt }) => deletedAt,
  banned(account, now) {
    const ban = banOf(account, now);
    return ban === null ? null : (ban.until ?? forGood);
  },
};

/** `Store.listAccounts`. */
export function listAccounts(
  tables: MemoryTables,
  { scope, list, after, max, now }: AccountListRequest,
): AccountDetails[] {
  return [...tables.accounts.values()]
    .map((account) => ({ account, at: placeOf[list](account.record, now), id: account.record.accountId }))
    .filter(({ account: { record } }) => record.gameId === scope.gameId && record.environment === scope.environment)
    .flatMap(({ at, ...one }) => (at === null ? [] : [{ at, ...one }]))
    .filter((place) => after === null || isBehind(place, after))
    .sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1))
    .slice(0, max)
    .map(({ account }) => detailsOf(account));
}

/** `Store.listScopes`. */
export function listScopes(tables: MemoryTables): ScopeCount[] {
  const scopes = new Map<string, ScopeCount>();
  for (const { record } of tables.accounts.values()) {
    const { gameId, environment } = record;
    const name = `${gameId} ${environment}`;
    scopes.set(name, { gameId, environment, accounts: (scopes.get(name)?.accounts ?? 0) + 1 });
  }
  return [...scopes].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, scope]) => scope);
}

/** `Store.listEntries`. */
export function listEntryInfos(tables: MemoryTables, { owner, after, max }: EntriesRequest): EntryInfo[] | null {
  const account = tables.account(owner);
  if (account === undefined) return null;
  return listEntriesAfter(account, after, max).map(infoOf);
}

/** `Store.listWrites`. */
export function listWrites(tables: MemoryTables, { owner, after, max }: WritesRequest): EntryInfo[] {
  const account = tables.account(owner);
  if (account === undefined) return [];
  const isLater = (entry: PlacedRecord): boolean =>
    after === null || entry.changedAt < after.at || (entry.changedAt === after.at && compareNames(entry, after) < 0);
  return listEntries(account)
    .filter(isLater)
    .sort((one, other) => other.changedAt - one.changedAt || compareNames(other, one))
    .slice(0, max)
    .map(infoOf);
}

function infoOf({ collection, key, version, changedAt, text }: PlacedRecord): EntryInfo {
  return { collection, key, version, changedAt, bytes: bytesOf(text) };
}

/** `Store.readEntry`. */
export function readEntry(tables: MemoryTables, { owner, collection, key }: EntryRequest): EntryRecord | null {
  const account = tables.account(owner);
  const entry = account === undefined ? undefined : findEntry(account, { collection, key });
  return entry === undefined ? null : { ...entry };
}

/** `Store.listConflicts`. Two tickets of one moment are one conflict. */
export function listConflicts(tables: MemoryTables, { owner, now }: ListSnapshotsRequest): OpenConflict[] {
  const { gameId, environment, accountId } = owner;
  const open = [...tables.tickets.values()]
    .filter((ticket) => ticket.gameId === gameId && ticket.environment === environment)
    .filter(({ localId, cloudId }) => localId === accountId || cloudId === accountId)
    .filter(({ expiresAt, choice }) => expiresAt > now && choice === null)
    .filter(
      ({ localId, sessionId }) => tables.session({ gameId, environment, accountId: localId, sessionId }) !== undefined,
    )
    .sort((one, other) => other.expiresAt - one.expiresAt)
    .map(({ method, localId, cloudId, expiresAt }) => ({ gameId, environment, method, localId, cloudId, expiresAt }));
  const apart = new Map(open.map((conflict) => [JSON.stringify(conflict), conflict]));
  return [...apart.values()].slice(0, operatorDefaults.conflictsOfPlayer);
}

/** `Store.listOpenConflicts`. */
export function listOpenConflicts(
  tables: MemoryTables,
  { scope: { gameId, environment }, after, max, now }: OpenConflictsRequest,
): ListedConflict[] {
  const latest = new Map<string, TicketRecord>();
  for (const ticket of tables.tickets.values()) {
    const { localId, sessionId, expiresAt } = ticket;
    if (ticket.gameId !== gameId || ticket.environment !== environment || ticket.choice !== null) continue;
    if (expiresAt <= now || tables.session({ gameId, environment, accountId: localId, sessionId }) === undefined)
      continue;
    const other = latest.get(sessionId);
    if (
      other === undefined ||
      isBehind({ at: other.expiresAt, id: other.ticket }, { at: expiresAt, id: ticket.ticket })
    ) {
      latest.set(sessionId, ticket);
    }
  }
  return [...latest.values()]
    .filter(({ expiresAt: at, sessionId: id }) => after === null || isBehind({ at, id }, after))
    .sort((one, other) => other.expiresAt - one.expiresAt || (one.sessionId < other.sessionId ? 1 : -1))
    .slice(0, max)
    .map(({ method, localId, cloudId, sessionId, expiresAt }) => {
      return { gameId, environment, method, localId, cloudId, sessionId, expiresAt };
    });
}
