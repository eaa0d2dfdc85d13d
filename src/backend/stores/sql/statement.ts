import type { Slices } from '../../slices.js';
import type { LedgerSql } from './ledger-sql.js';
import type { RowLocks } from './row-locks.js';
import type { RowOrder } from './row-order.js';

export type SqlValue = string | number | null;

/** A row as a driver gives it. PostgreSQL's driver gives 64-bit integers as text. */
export type SqlRow = { readonly [column: string]: unknown };

/**
 * One statement, in SQL that both engines share. Its parameters are `$1` and up, and a table's name stands behind an
 * `@`: each engine puts its own notation there.
 */
export interface Statement {
  text: string;
  values: readonly SqlValue[];
}

/**
 * An operation, statement by statement: it yields one and is given the rows. SQLite's runner runs all steps in one go,
 * PostgreSQL's waits for each; the operation does not notice.
 */
export type Steps<Result> = Generator<Statement, Result, readonly SqlRow[]>;

export type Engine = 'sqlite' | 'postgres';

/** Reading in many turns of the event loop. */
export interface Turns {
  /** Begins to read in slices. */
  slices(): Slices;
  /** What is read from. Where it is another one than before, a backup has taken its place: nothing read before is of it. */
  source(): unknown;
  /** Carries out what holds large accounts in memory; null where another one is at it. */
  alone<Result>(task: () => Promise<Result>): Promise<Result> | null;
}

/** Runs operations on a database. */
export interface SqlRunner {
  readonly engine: Engine;
  /** Runs one statement that reads. */
  read<Result>(steps: () => Steps<Result>): Promise<Result>;
  /** The same for one that comes often, and whose best plan is the same for all values: it may be planned once. */
  readOften<Result>(steps: () => Steps<Result>): Promise<Result>;
  /** Runs several statements that read, all of which see the database as it was at one moment. */
  readTransaction<Result>(steps: () => Steps<Result>): Promise<Result>;
  /** Runs one statement that writes, which is atomic by itself. */
  write<Result>(steps: () => Steps<Result>): Promise<Result>;
  /** Runs statements in one transaction. It runs them again where another transaction came first. */
  transaction<Result>(steps: () => Steps<Result>): Promise<Result>;
  /** How much is read where a statement holds up the event loop; null where that goes on meanwhile. */
  readonly turns: Turns | null;
  /** Whether a WITH may hold statements that write. */
  readonly canWriteInWith: boolean;
  /** The engine's words for an entry's ledger. */
  readonly ledgerSql: LedgerSql;
  /** The engine's words for locking what a SELECT finds. */
  readonly rowLocks: RowLocks;
  /** The engine's words for reading many rows of a table. */
  readonly rowOrder: RowOrder;
}

/** Another transaction came first: nothing has been changed, and the same steps may succeed if they are run again. */
export class RaceError extends Error {
  override readonly name = 'RaceError';
  constructor() {
    super('Another transaction came first.');
  }
}

export function* rows(text: string, ...values: SqlValue[]): Steps<readonly SqlRow[]> {
  return yield { text, values };
}

export function* firstRow(text: string, ...values: SqlValue[]): Steps<SqlRow | null> {
  const [row = null] = yield { text, values };
  return row;
}

export function textOf(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`column ${column} holds no text`);
  return value;
}

export function textOrNull(row: SqlRow, column: string): string | null {
  return row[column] === null ? null : textOf(row, column);
}

/** An integer; throws RangeError for one that JavaScript would round. */
export function integerOf(row: SqlRow, column: string): number {
  const value = row[column];
  const number = typeof value === 'number' ? value : /^-?\d+$/.test(String(value)) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new RangeError(`column ${column} holds no safe integer`);
  return number;
}

export function integerOrNull(row: SqlRow, column: string): number | null {
  return row[column] === null ? null : integerOf(row, column);
}

/**
 * A text in JSON's escapes, without the quotes around it, so that any database can keep it: PostgreSQL cannot keep
 * U+0000, and no UTF-8 can keep half of a surrogate pair.
 */
export function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

export function unescaped(text: string): string {
  return JSON.parse(`"${text}"`) as string;
}
