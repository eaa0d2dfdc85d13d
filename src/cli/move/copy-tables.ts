import { createHash } from 'node:crypto';
import { page, type RawTables, type TableShape } from '../../backend/stores/sql/raw-tables.js';
import type { SqlRow } from '../../backend/stores/sql/statement.js';
import { integerOf } from '../../backend/stores/sql/statement.js';

/** What a table holds: how many rows, and a SHA-256 of all of them in the order of the primary key. */
export interface TableDigest {
  table: string;
  rows: number;
  digest: string;
}

/** Called for each page with how many rows it had; what it throws ends the copying. */
type Heard = (rows: number) => void;

/** So many bytes a page is to have. Accounts have entries and snapshots of very different sizes. */
const pageBytes = 4_000_000;
const [firstPage, longestPage] = [16, 5_000];

/** Copies all rows, and answers what it has read. */
export async function copyTables(from: RawTables, to: RawTables, heard: Heard): Promise<TableDigest[]> {
  return each(from.shapes, (shape) =>
    readTable(from, shape, async (rows) => {
      await to.insert(shape, rows);
      heard(rows.length);
    }),
  );
}

export async function digestTables(tables: RawTables, heard: Heard): Promise<TableDigest[]> {
  return each(tables.shapes, (shape) => readTable(tables, shape, async (rows) => heard(rows.length)));
}

export async function countRows({ shapes, query }: RawTables): Promise<number> {
  const counts = await each(shapes, async ({ name }) => {
    const [row = {}] = await query({ text: `SELECT count(*) AS count FROM @${name}`, values: [] });
    return integerOf(row, 'count');
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The first table that is not the same in both; null where all are. */
export function firstDifference(these: readonly TableDigest[], those: readonly TableDigest[]): string | null {
  const other = new Map(those.map((one) => [one.table, one]));
  const found = these.find(({ table, rows, digest }) => {
    const copy = other.get(table);
    return copy?.rows !== rows || copy.digest !== digest;
  });
  return found?.table ?? null;
}

async function readTable(
  { query }: RawTables,
  shape: TableShape,
  use: (rows: readonly SqlRow[]) => Promise<void>,
): Promise<TableDigest> {
  const hash = createHash('sha256');
  let [after, count, limit]: [SqlRow | null, number, number] = [null, 0, firstPage];
  for (;;) {
    const rows = await query(page(shape, after, limit));
    if (rows.length === 0) return { table: shape.name, rows: count, digest: hash.digest('hex') };
    const text = rows.map((row) => canonical(shape, row)).join('\n');
    hash.update(`${text}\n`);
    await use(rows);
    count += rows.length;
    after = rows.at(-1) ?? null;
    limit = Math.min(longestPage, limit * 2, Math.max(1, Math.floor((pageBytes * rows.length) / text.length)));
  }
}

/** A row as text that is the same whichever engine has it. */
function canonical({ columns, json }: TableShape, row: SqlRow): string {
  return JSON.stringify(
    columns.map((column) => {
      const value = row[column];
      if (value === null) return null;
      return json.includes(column) ? sorted(typeof value === 'string' ? JSON.parse(value) : value) : String(value);
    }),
  );
}

/** PostgreSQL keeps the keys of JSON in an order of its own. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([key, held]) => [key, sorted(held)]);
}

async function each<From, To>(all: readonly From[], go: (one: From) => Promise<To>): Promise<To[]> {
  const results: To[] = [];
  for (const one of all) results.push(await go(one));
  return results;
}
