export type SqlValue = string | number | null;

/** A row as a driver gives it: PostgreSQL's has its 64-bit integers as text. */
export type SqlRow = { readonly [column: string]: unknown };

/**
 * One statement. Parameters are `$1` and up, a table's name stands behind an `@`; the drivers put their own in these
 * places, and everything else is SQL that they share.
 */
export interface Statement {
  text: string;
  values: readonly SqlValue[];
}

/**
 * What an operation does, statement by statement: it yields one and is given its rows. SQLite's driver runs the steps in
 * one go, PostgreSQL's waits between them, and neither is known here.
 */
export type Steps<Result> = Generator<Statement, Result, readonly SqlRow[]>;

/** Runs steps on a database. */
export interface SqlRunner {
  /** For one statement that reads. */
  read<Result>(steps: () => Steps<Result>): Promise<Result>;
  /** For several statements that read, and have to see one picture. */
  readTransaction<Result>(steps: () => Steps<Result>): Promise<Result>;
  /** For one statement that writes, which is atomic by itself. */
  write<Result>(steps: () => Steps<Result>): Promise<Result>;
  /** One transaction: all or nothing. Runs the steps again where another transaction came between. */
  transaction<Result>(steps: () => Steps<Result>): Promise<Result>;
  /** Whether a WITH may hold statements that write. */
  readonly canWriteInWith: boolean;
}

/** Another transaction came between: nothing has been changed, and the same again may succeed. */
export class RaceError extends Error {
  override readonly name = 'CrossedError';
  constructor() {
    super('Another transaction came between.');
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

/** An integer that JavaScript can hold; an error for one that it would round. */
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
 * A text that any database can keep: PostgreSQL has no U+0000, and UTF-8 no lone surrogates. JSON's escapes, without the
 * quotes around them.
 */
export function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

export function unescaped(text: string): string {
  return JSON.parse(`"${text}"`) as string;
}
