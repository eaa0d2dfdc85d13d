import fc from 'fast-check';
import { createSqliteStore } from 'savepoint/backend/sqlite';
import { openSqlite } from '../../src/backend/stores/sqlite/connection.js';

const seed = 20_261_122;

/** Text as the stores keep it: no U+0000 and no half of a surrogate pair, but all else that may break a copy. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }).map((any) => any.replaceAll('\0', '')),
  fc.constantFrom('', '0', '007', '1e3', '"', '\\', '{"a":1}', '\\ud83d', '-0', ' 12 ', 'null', '@accounts', '$1'),
);
const integer = fc.oneof(fc.integer(), fc.constantFrom(0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER));
// Engines keep the keys of JSON in orders of their own: these differ in length and in bytes, and some by one of them alone.
// From Node 24 on, one that ends in a backslash would let `JSON.parse` read others for it (nodejs/node#63785).
const device = fc
  .oneof(
    fc.string({ maxLength: 8 }).filter((name) => name !== '__proto__'),
    fc.string({ unit: 'binary', maxLength: 3 }).map((any) => any.replaceAll('\0', '')),
    fc.constantFrom('a', 'b', 'ab', 'ba', 'ä', 'aa', '\u{1f600}', '\uffee', '"', '\\a', '\n', '\u001f', '\u007f'),
  )
  .filter((name) => !name.endsWith('\\'));
const ledger = fc.dictionary(device, fc.tuple(fc.uuid(), fc.nat()));

const cells: { [type: string]: fc.Arbitrary<string | number> } = {
  text,
  smallint: fc.nat(2),
  jsonb: ledger.map((held) => JSON.stringify(held)),
};

/** A store in a file with so many rows in every table that the schema has, each with values as odd as its types allow. */
export async function fillStore(file: string, rowsPerTable: number): Promise<void> {
  await (await createSqliteStore({ file })).close();
  const connection = await openSqlite(file);
  connection.exec('BEGIN');
  for (const { name } of connection.run({ text: tables, values: [] })) {
    const columns = connection.run({ text: 'SELECT * FROM pragma_table_info($1)', values: [String(name)] });
    const places = columns.map((_, index) => `$${index + 1}`);
    const insert = `INSERT OR IGNORE INTO ${name} (${columns.map((column) => column['name']).join(', ')}) VALUES (${places})`;
    const rows = fc.tuple(...columns.map(cellOf));
    for (const values of fc.sample(rows, { seed, numRuns: rowsPerTable })) connection.run({ text: insert, values });
  }
  connection.exec('COMMIT');
  connection.close();
}

const tables = `SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'schema_versions'`;

function cellOf({ type, notnull }: { readonly [column: string]: unknown }): fc.Arbitrary<string | number | null> {
  const cell = cells[String(type)] ?? integer;
  return notnull === 1 ? cell : fc.option(cell);
}

/** All that is in a file, by table, in the order of the primary keys. */
export async function contentOf(file: string): Promise<{ [table: string]: unknown[] }> {
  const connection = await openSqlite(file);
  try {
    const found = connection.run({ text: tables, values: [] }).map(({ name }) => {
      const rows = connection.run({ text: `SELECT * FROM ${name}`, values: [] });
      return [String(name), rows.map(rowText).sort()];
    });
    return Object.fromEntries(found);
  } finally {
    connection.close();
  }
}

function rowText(row: { readonly [column: string]: unknown }): string {
  const writes = typeof row['writes'] === 'string' ? { writes: Object.entries(JSON.parse(row['writes'])).sort() } : {};
  return JSON.stringify({ ...row, ...writes });
}
