import type { Owner } from '../records.js';
import { accountKey, whereAccount } from './accounts.js';
import { firstRow, integerOf, rows, type SqlValue, type Steps } from './statement.js';

/**
 * The condition that an account whose row this is may hold so many bytes more: SQL's expressions for how many it may hold
 * and for the growth. What takes no more than before is always written.
 */
export function holdsWithin(limit: string, growth: string): string {
  return `(value_bytes + ${growth} <= CAST(${limit} AS bigint) OR ${growth} <= 0)`;
}

/**
 * Carries out a statement that writes one entry and returns its `version` and `growth`, and adds that to the account's
 * bytes; null where nothing was written. It is one statement where a WITH may write, and always one transaction. The first
 * three values are those of `accountKey`, and the statement has locked the account.
 */
export function* writeCounted(
  canWriteInWith: boolean,
  { text, values }: { text: string; values: readonly [string, number, string, ...SqlValue[]] },
): Steps<number | null> {
  if (canWriteInWith) {
    const row = yield* firstRow(`WITH written AS (${text}), ${counted()} SELECT version FROM written`, ...values);
    return row === null ? null : integerOf(row, 'version');
  }
  const row = yield* firstRow(text, ...values);
  if (row === null) return null;
  const growth = integerOf(row, 'growth');
  const count = `UPDATE @accounts SET value_bytes = value_bytes + $4 WHERE ${whereAccount}`;
  if (growth !== 0) yield* rows(count, ...values.slice(0, 3), growth);
  return integerOf(row, 'version');
}

/**
 * What adds the growth of the entry in the statement `written` to the account's bytes, in the same WITH. With `marks` the
 * account has a new revision, as after every lock.
 */
export function counted({ marks = false } = {}): string {
  return `counted AS (
    UPDATE @accounts AS a SET value_bytes = a.value_bytes + written.growth${marks ? ', revision = a.revision + 1' : ''}
      FROM written
      WHERE a.account_id = $1 AND a.environment = $2 AND a.game_id = $3${marks ? '' : ' AND written.growth <> 0'})`;
}

export function* setValueBytes(owner: Owner, bytes: number): Steps<void> {
  yield* rows(`UPDATE @accounts SET value_bytes = $4 WHERE ${whereAccount}`, ...accountKey(owner), bytes);
}
