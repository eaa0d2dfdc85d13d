import { migrations, movedAway, textsFor } from './migrations.js';
import { integerOf, type SqlRow, type Statement, textOf } from './statement.js';

/** A table as its database describes it, so that no list of tables can forget one. */
export interface TableShape {
  name: string;
  columns: readonly string[];
  /** The columns of the primary key, in its order. */
  key: readonly string[];
  /** The columns that hold integers. */
  integers: readonly string[];
  /** The columns that hold JSON, which one engine answers parsed and the other as text. */
  json: readonly string[];
}

/** Some rows of a table, in PostgreSQL's text format (copy-text.ts), each whole, with its line feed. */
export interface CopyPiece {
  rows: number;
  text: Uint8Array;
}

/** The primary key of a row, column by column, as text. */
export type RowKey = readonly string[];

/** The rows behind one key, up to another one with it; null has no bound. */
export interface RowRange {
  after: RowKey | null;
  to: RowKey | null;
}

export const allRows: RowRange = { after: null, to: null };

/**
 * The tables of a store just as they are, in one transaction. It keeps everybody else from writing, or sees what was
 * there when it began.
 */
export interface RawTables {
  /** All tables with records; none where this is no store. */
  readonly shapes: readonly TableShape[];
  query(statement: Statement): Promise<readonly SqlRow[]>;
  /** Rows in the order of the primary key, letter for letter the same whichever engine has them. */
  read(shape: TableShape, range?: RowRange): AsyncIterable<CopyPiece>;
  /** Takes all rows of a table that has none. */
  fill(shape: TableShape, pieces: AsyncIterable<CopyPiece>): Promise<void>;
  /** Removes the rows with these keys, and then takes others, as lines. */
  replace(shape: TableShape, rows: { removed: readonly RowKey[]; added: CopyPiece }): Promise<void>;
  /** Marks the store as moved: no service starts on it any more, and none that runs can write. */
  markMoved(now: number): Promise<void>;
  commit(): Promise<void>;
  /** Gives the store back. What is not committed is undone. */
  close(): Promise<void>;
}

const ownTables = new Set(
  migrations.flatMap((one) => textsFor('postgres', one)).map((text) => /CREATE TABLE @(\w+)/.exec(text)?.[1]),
);

/** Of rows with `table`, `column`, `type`, and `place`: the column's in the primary key, null where it is not in it. */
export function shapesOf(described: readonly SqlRow[]): readonly TableShape[] {
  const names = new Set(described.map((row) => textOf(row, 'table')));
  // A schema in PostgreSQL may have other people's tables as well.
  const own = [...names].filter((name) => ownTables.has(name));
  return own.sort().map((name) => {
    const columns = described.filter(({ table }) => table === name);
    const named = (some: readonly SqlRow[]): string[] => some.map((row) => textOf(row, 'column'));
    const inKey = columns.filter(({ place }) => place !== null);
    return {
      name,
      columns: named(columns).sort(),
      key: named(inKey.sort((one, other) => integerOf(one, 'place') - integerOf(other, 'place'))),
      integers: named(columns.filter(({ type }) => /int/.test(String(type)))),
      json: named(columns.filter(({ type }) => type === 'jsonb')),
    };
  });
}

export function moved(now: number): Statement {
  return { text: 'INSERT INTO @schema_versions (version, applied_at) VALUES ($1, $2)', values: [movedAway, now] };
}
