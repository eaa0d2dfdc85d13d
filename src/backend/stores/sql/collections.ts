import type { CollectionRecord, CollectionRequest, ReadRequest } from '../entry-requests.js';
import type { EntryRecord, EntryVersion, Owner } from '../records.js';
import { accountKey, whereAccount } from './accounts.js';
import { entryColumns, entryFromRow, entryVersionFromRow } from './entries.js';
import { integerOf, rows, type SqlRow, type SqlValue, type Steps, textOf } from './statement.js';

/** The row that a read begins at, so that it finds nothing where that is gone: the session that asks, else the account. */
function readerOf({ owner, sessionId }: ReadRequest): { table: string; where: string; keys: SqlValue[] } {
  const keys = accountKey(owner);
  const where = 'r.account_id = $1 AND r.environment = $2 AND r.game_id = $3';
  if (sessionId === null) return { table: '@accounts', where, keys };
  return { table: '@sessions', where: `${where} AND r.session_id = $4`, keys: [...keys, sessionId] };
}

/** A collection's rows, in one statement: a row without an entry says that the reader is there. Null where that is gone. */
function* rowsOfCollection(request: CollectionRequest, selected: string, limit = ''): Steps<readonly SqlRow[] | null> {
  const { table, where, keys } = readerOf(request);
  const text = `
    SELECT ${selected} FROM ${table} r LEFT JOIN @entries e
      ON e.account_id = r.account_id AND e.environment = r.environment AND e.game_id = r.game_id
        AND e.collection = $${keys.length + 1}
      WHERE ${where} ORDER BY e.key${limit}`;
  const found = yield* rows(text, ...keys, request.collection);
  return found.length === 0 ? null : found.filter(({ key }) => key !== null);
}

/** `Store.readCollection`, or the first `max` entries of it. */
export function* readCollection(request: CollectionRequest, max?: number): Steps<EntryRecord[] | null> {
  const selected = 'e.key, e.body, e.version, e.changed_at, e.times, e.origins';
  const found = yield* rowsOfCollection(request, selected, max === undefined ? '' : ` LIMIT ${max}`);
  return found === null ? null : found.map(entryFromRow);
}

/**
 * `Store.readCollection` in one statement, if its values have no more bytes than these; else how many they have, and none
 * of them leaves the database. Only PostgreSQL knows a value's length without reading it among all others.
 */
export function* readCollectionUpTo(
  request: CollectionRequest,
  maxBytes: number,
): Steps<EntryRecord[] | number | null> {
  const bytes = 'sum(octet_length(e.body) + octet_length(e.times)) OVER ()';
  const unlessLarge = (column: string): string => `CASE WHEN ${bytes} > ${maxBytes} THEN NULL ELSE ${column} END`;
  const selected = `e.key, ${unlessLarge('e.body')} AS body, e.version, e.changed_at,
      ${unlessLarge('e.times')} AS times, ${unlessLarge('e.origins')} AS origins, ${bytes} AS bytes`;
  const found = yield* rowsOfCollection(request, selected);
  const [first] = found ?? [];
  if (found === null || first === undefined) return found === null ? null : [];
  const held = integerOf(first, 'bytes');
  return held > maxBytes ? held : found.map(entryFromRow);
}

/** The entries of a collection after a key. */
export function* readCollectionAfter(
  owner: Owner,
  { collection, after, max }: { collection: string; after: string; max: number },
): Steps<EntryRecord[]> {
  const text = `SELECT ${entryColumns} FROM @entries
    WHERE ${whereAccount} AND collection = $4 AND key > $5 ORDER BY key LIMIT $6`;
  return (yield* rows(text, ...accountKey(owner), collection, after, max)).map(entryFromRow);
}

/** A collection's entries without their values. */
export function* listCollectionVersions(request: CollectionRequest): Steps<EntryVersion[] | null> {
  const found = yield* rowsOfCollection(request, 'e.collection, e.key, e.version');
  return found === null ? null : found.map(entryVersionFromRow);
}

/** `Store.listCollections`, in one statement: a row without a name says that the reader is there. */
export function* listCollections(request: ReadRequest): Steps<CollectionRecord[] | null> {
  const { table, where, keys } = readerOf(request);
  const text = `
    SELECT e.collection, CAST(sum(e.version + 1) AS bigint) AS revision FROM ${table} r LEFT JOIN @entries e
      ON e.account_id = r.account_id AND e.environment = r.environment AND e.game_id = r.game_id
      WHERE ${where} GROUP BY e.collection ORDER BY e.collection`;
  const found = yield* rows(text, ...keys);
  if (found.length === 0) return null;
  return found
    .filter(({ collection }) => collection !== null)
    .map((row) => ({ collection: textOf(row, 'collection'), revision: integerOf(row, 'revision') }));
}
