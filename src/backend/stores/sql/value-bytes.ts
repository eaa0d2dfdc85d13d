import type { Owner } from '../records.js';
import { noTimes } from '../rules/quotas.js';
import { accountKey, whereAccount } from './accounts.js';
import { firstRow, integerOf, integerOrNull, rows, type SqlRow, type Steps } from './statement.js';

// An account counts each of its values, with the times beside it, as the room that it has: its bytes, and some to grow
// by. What stays within its room leaves the sum as it is, and the account's row alone. Before a write is refused the bytes themselves
// are counted, and the account goes on with those, to the byte, as long as it is that full: so it is not all counted
// again for whoever asks once more.

/** The bytes of the times of an entry's row. */
export const timesBytesSql = `CASE WHEN times = '${noTimes}' THEN 0 ELSE octet_length(times) END`;

/** What an entry's row counts: `entryBytes`. */
export const entryBytesSql = `(octet_length(body) + ${timesBytesSql})`;

/** How an account counts its values. */
export interface ValueCount {
  /** The sum of the rooms, or of the bytes. */
  bytes: number;
  /** Null where the rooms are counted; else the bytes are, until there are no more than this. */
  exactUntil: number | null;
}

export const countColumns = 'value_bytes, exact_until';

export function countFromRow(row: SqlRow): ValueCount {
  return { bytes: integerOf(row, 'value_bytes'), exactUntil: integerOrNull(row, 'exact_until') };
}

/** A stored value. Both are 0 where there is none. */
export interface Placed {
  bytes: number;
  /** The room that it was given; what is written without one may have more bytes than that. */
  room: number;
}

/** The bytes of a value that is about to be written, in the place of another one, and how many the account may hold. */
export interface Replaced {
  from: Placed;
  to: number;
  limit: number;
}

/** The condition of an entry's row that a value has room there; the parameter is an SQL expression for its bytes. */
export const hasRoom = (bytes: string): string => `growth >= ${bytes}`;

/**
 * The condition of an account's row that what stays within its room may be written; the parameter is an SQL expression.
 */
export const countsRooms = (limit: string): string => `exact_until IS NULL AND value_bytes <= ${limit}`;

/** How much more the account counts at least. */
export function moreBytes({ from, to }: Replaced, { exactUntil }: ValueCount): number {
  return exactUntil === null ? Math.max(0, to - roomOf(from)) : to - from.bytes;
}

/**
 * The count by which the write may be allowed or refused; the account is locked. All entries are counted where their
 * rooms leave too little, and where rooms may do again: the one comes after a quarter of the limit has been written,
 * the other after half of the values is gone.
 */
export function* countFor(owner: Owner, count: ValueCount, replaced: Replaced): Steps<ValueCount> {
  const { from, to, limit } = replaced;
  const rooms = { ...count, exactUntil: null };
  const more = moreBytes(replaced, rooms);
  const isDue =
    count.exactUntil === null ? to > from.bytes && count.bytes + more > limit : count.bytes <= count.exactUntil;
  return isDue ? yield* countAnew(owner, { more, limit }) : count;
}

/** Counts all values of an account that is locked: their rooms, where these and `more` leave a quarter of the limit. */
export function* countAnew(owner: Owner, { more, limit }: { more: number; limit: number }): Steps<ValueCount> {
  const text = `SELECT CAST(coalesce(sum(${entryBytesSql}), 0) AS bigint) AS bytes,
      CAST(coalesce(sum(CASE WHEN growth > ${entryBytesSql} THEN growth ELSE ${entryBytesSql} END), 0) AS bigint) AS rooms
    FROM @entries WHERE ${whereAccount}`;
  const row = (yield* firstRow(text, ...accountKey(owner))) ?? {};
  const [bytes, rooms] = [integerOf(row, 'bytes'), integerOf(row, 'rooms')];
  const isRoomy = rooms + more <= (limit * 3) / 4;
  const count = isRoomy
    ? { bytes: rooms, exactUntil: null }
    : { bytes, exactUntil: Math.floor(Math.min(bytes, limit) / 2) };
  yield* setCount(owner, count);
  return count;
}

/** The room for a value that may be written, and the account's count with it. */
export function place(replaced: Replaced, count: ValueCount): { room: number; count: ValueCount } {
  const { from, to, limit } = replaced;
  const by = moreBytes(replaced, count);
  if (count.exactUntil !== null) return { room: to, count: { ...count, bytes: count.bytes + by } };
  const room = from.room >= to ? from.room : to + toGrowBy(to, limit - count.bytes - by);
  return { room, count: { ...count, bytes: count.bytes + room - roomOf(from) } };
}

function roomOf({ bytes, room }: Placed): number {
  return Math.max(bytes, room);
}

/** A quarter of the value, and no more than an eighth of what the account has left. */
function toGrowBy(bytes: number, left: number): number {
  return Math.floor(Math.max(0, Math.min(Math.max(32, bytes / 4), left / 8)));
}

export function* setCount(owner: Owner, { bytes, exactUntil }: ValueCount): Steps<void> {
  const text = `UPDATE @accounts SET value_bytes = $4, exact_until = $5 WHERE ${whereAccount}`;
  yield* rows(text, ...accountKey(owner), bytes, exactUntil);
}
