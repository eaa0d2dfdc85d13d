import type { UsageRequest } from '../entry-requests.js';
import type { UsageRecord } from '../records.js';
import { accountKey, whereAccount } from './accounts.js';
import { firstRow, integerOf, type Steps } from './statement.js';
import { entryBytesSql } from './value-bytes.js';

const usageSql = `
  SELECT c.value_bytes, c.entries, c.collections, s.snapshots, s.snapshot_bytes,
      (SELECT count(*) FROM @account_links WHERE ${whereAccount} AND method = 'device') AS devices,
      (SELECT count(*) FROM @sessions WHERE ${whereAccount} AND expires_at > $4) AS sessions
    FROM @accounts a,
      (SELECT count(*) AS collections, coalesce(max(entries), 0) AS entries,
          CAST(coalesce(sum(bytes), 0) AS bigint) AS value_bytes
        FROM (SELECT count(*) AS entries, sum(${entryBytesSql}) AS bytes FROM @entries WHERE ${whereAccount}
          GROUP BY collection) AS each_collection) AS c,
      (SELECT count(*) AS snapshots, coalesce(sum(bytes), 0) AS snapshot_bytes FROM @snapshots
        WHERE ${whereAccount} AND expires_at > $4) AS s
    WHERE a.account_id = $1 AND a.environment = $2 AND a.game_id = $3`;

/** `Store.readUsage`. */
export function* readUsage({ owner, now }: UsageRequest): Steps<UsageRecord | null> {
  const row = yield* firstRow(usageSql, ...accountKey(owner), now);
  if (row === null) return null;
  return {
    values: integerOf(row, 'value_bytes'),
    entries: integerOf(row, 'entries'),
    collections: integerOf(row, 'collections'),
    snapshots: integerOf(row, 'snapshots'),
    snapshotBytes: integerOf(row, 'snapshot_bytes'),
    devices: integerOf(row, 'devices'),
    sessions: integerOf(row, 'sessions'),
  };
}
