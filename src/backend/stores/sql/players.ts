import type { LinkMethod } from '../../../protocol/conflict.js';
import type { Environment } from '../../../protocol/environments.js';
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
import type { AccountDetails, EntryRecord, Scope } from '../records.js';
import { accountColumns, accountFromRow, accountKey, findAccountRecord, whereAccount } from './accounts.js';
import { entryFromRow } from './entries.js';
import { linkFromRow } from './links.js';
import { placeValues } from './list-place.js';
import type { RowOrder } from './row-order.js';
import { firstRow, integerOf, rows, type SqlRow, type Steps, textOf, textOrNull } from './statement.js';

/** The column that orders each list; an index of the game begins with it. */
const placeOf: { readonly [list in AccountList]: string } = {
  newest: 'created_at',
  last_seen: 'last_seen_at',
  orphaned: 'orphaned_at',
  deleted: 'deleted_at',
  banned: 'banned_until',
};

/** `Store.listAccounts`, in one statement. */
export function* listAccounts({ scope, list, after, max, now }: AccountListRequest): Steps<AccountDetails[]> {
  const place = placeOf[list];
  const found = yield* rows(
    `WITH page AS (
        SELECT account_id, environment, game_id, ${accountColumns}, ${place} AS place FROM @accounts
          WHERE game_id = $1 AND environment = $2 AND ${place} IS NOT NULL AND (${place}, account_id) < ($3, $4)
            ${list === 'banned' ? `AND ${place} > $6` : ''}
          ORDER BY ${place} DESC, account_id DESC LIMIT $5)
      SELECT page.*, method, subject, label, credential, mail_address, mail_address_at, linked_at, last_used_at, k.revision AS revision
        FROM page LEFT JOIN @account_links k ON k.account_id = page.account_id AND k.environment = page.environment
          AND k.game_id = page.game_id
        ORDER BY place DESC, page.account_id DESC, ordinal, method, subject`,
    scope.gameId,
    scope.environment,
    ...placeValues(after),
    max,
    ...(list === 'banned' ? [now] : []),
  );
  const accounts = new Map<string, AccountDetails>();
  for (const row of found) {
    const owner = { ...scope, accountId: textOf(row, 'account_id') };
    const details = accounts.get(owner.accountId) ?? { account: accountFromRow(owner, row), links: [] };
    if (textOrNull(row, 'method') !== null) details.links.push(linkFromRow(owner, row));
    accounts.set(owner.accountId, details);
  }
  return [...accounts.values()];
}

/** `Store.listScopes`. */
export function* listScopes(): Steps<ScopeCount[]> {
  const text = `SELECT game_id, environment, count(*) AS accounts FROM @accounts
    GROUP BY game_id, environment ORDER BY game_id, environment`;
  return (yield* rows(text)).map((row) => ({
    gameId: textOf(row, 'game_id'),
    environment: integerOf(row, 'environment') as Environment,
    accounts: integerOf(row, 'accounts'),
  }));
}

/** PostgreSQL knows how long a value is without a look at it. */
const infoColumns = 'collection, key, version, changed_at, octet_length(body) AS bytes';

/** `Store.listEntries`. */
export function* listEntryInfos({ owner, after, max }: EntriesRequest): Steps<EntryInfo[] | null> {
  const { collection, key } = after ?? { collection: '', key: '' };
  const text = `SELECT ${infoColumns} FROM @entries
    WHERE ${whereAccount} AND (collection, key) > ($4, $5) ORDER BY collection, key LIMIT $6`;
  const found = yield* rows(text, ...accountKey(owner), collection, key, max);
  if (found.length === 0 && (yield* findAccountRecord(owner)) === null) return null;
  return found.map(infoFromRow);
}

/**
 * `Store.listWrites`. No index has the time, because each write would have to change it: the entries of the
 * account are read along the primary key, without their values, and of these the latest are kept. How many there
 * are is bounded by the quotas.
 */
export function* listWrites({ owner, after, max }: WritesRequest, rowOrder: RowOrder): Steps<EntryInfo[]> {
  const { at, collection, key } = after ?? { at: Number.MAX_SAFE_INTEGER, collection: '', key: '' };
  const text = `SELECT ${infoColumns} FROM @entries
    WHERE ${rowOrder('@entries', whereAccount)} AND (changed_at, collection, key) < ($4, $5, $6)
    ORDER BY changed_at DESC, collection DESC, key DESC LIMIT $7`;
  return (yield* rows(text, ...accountKey(owner), at, collection, key, max)).map(infoFromRow);
}

function infoFromRow(row: SqlRow): EntryInfo {
  return {
    collection: textOf(row, 'collection'),
    key: textOf(row, 'key'),
    version: integerOf(row, 'version'),
    changedAt: integerOf(row, 'changed_at'),
    bytes: integerOf(row, 'bytes'),
  };
}

/** `Store.readEntry`. */
export function* readEntry({ owner, collection, key }: EntryRequest): Steps<EntryRecord | null> {
  const text = `SELECT key, body, version, changed_at, times, origins FROM @entries
    WHERE ${whereAccount} AND collection = $4 AND key = $5`;
  const row = yield* firstRow(text, ...accountKey(owner), collection, key);
  return row === null ? null : entryFromRow(row);
}

/** `Store.listConflicts`. Each side has an index of its own. */
export function* listConflicts({ owner, now }: ListSnapshotsRequest): Steps<OpenConflict[]> {
  const open = (
    side: string,
  ): string => `SELECT t.method AS method, local_id, cloud_id, t.expires_at AS expires_at FROM @tickets t
    WHERE ${side} = $1 AND t.expires_at > $4 AND t.environment = $2 AND t.game_id = $3 AND choice IS NULL
      AND EXISTS (SELECT 1 FROM @sessions s
        WHERE s.account_id = local_id AND s.environment = $2 AND s.game_id = $3 AND s.session_id = t.session_id)`;
  const text = `${open('local_id')} UNION ${open('cloud_id')} ORDER BY expires_at DESC, method LIMIT $5`;
  const found = yield* rows(text, ...accountKey(owner), now, operatorDefaults.conflictsOfPlayer);
  return found.map((row) => conflictFromRow(owner, row));
}

/**
 * `Store.listOpenConflicts`, along the index `tickets_open`. A player who signs in again in the same session gets
 * another ticket for the same conflict: the one that ends last stands for it.
 */
export function* listOpenConflicts({ scope, after, max, now }: OpenConflictsRequest): Steps<ListedConflict[]> {
  const text = `SELECT t.method AS method, local_id, cloud_id, t.session_id AS session_id, t.expires_at AS expires_at
    FROM @tickets t
    WHERE t.game_id = $1 AND t.environment = $2 AND choice IS NULL AND t.expires_at > $6
      AND (t.expires_at, t.session_id) < ($3, $4)
      AND EXISTS (SELECT 1 FROM @sessions s
        WHERE s.account_id = local_id AND s.environment = $2 AND s.game_id = $1 AND s.session_id = t.session_id)
      AND NOT EXISTS (SELECT 1 FROM @tickets n
        WHERE n.local_id = t.local_id AND n.session_id = t.session_id AND n.game_id = $1 AND n.environment = $2
          AND n.choice IS NULL AND (n.expires_at, n.ticket) > (t.expires_at, t.ticket))
    ORDER BY t.expires_at DESC, t.session_id DESC LIMIT $5`;
  const found = yield* rows(text, scope.gameId, scope.environment, ...placeValues(after), max, now);
  return found.map((row) => ({ ...conflictFromRow(scope, row), sessionId: textOf(row, 'session_id') }));
}

function conflictFromRow({ gameId, environment }: Scope, row: SqlRow): OpenConflict {
  return {
    gameId,
    environment,
    method: textOf(row, 'method') as LinkMethod,
    localId: textOf(row, 'local_id'),
    cloudId: textOf(row, 'cloud_id'),
    expiresAt: integerOf(row, 'expires_at'),
  };
}
