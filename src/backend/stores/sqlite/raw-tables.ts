import { moveDefaults } from '../../../protocol/gaps/moving.js';
import { lineOf, rowsOf } from '../sql/copy-text.js';
import {
  allRows,
  type CopyPiece,
  moved,
  type RawTables,
  type RowKey,
  type RowRange,
  shapesOf,
  type TableShape,
} from '../sql/raw-tables.js';
import { type SqlRow, type SqlValue, type Statement, textOf } from '../sql/statement.js';
import { openSqlite, type SqliteConnection } from './connection.js';
import { createLockNote, takeFile } from './file-lock.js';

const described = `
  SELECT m.name AS "table", p.name AS "column", p.type AS type, nullif(p.pk, 0) AS place
    FROM sqlite_master AS m, pragma_table_info(m.name) AS p
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, p.cid`;

/** The indexes of a table that keep nothing unique, and how each is made. */
const searchIndexes = `
  SELECT name, sql AS definition FROM sqlite_master
    WHERE type = 'index' AND tbl_name = $1 AND sql IS NOT NULL AND sql NOT LIKE 'CREATE UNIQUE %' ORDER BY name`;

/** Takes a file as no service can while one has it: nobody else reads or writes it until `close`. */
export async function openSqliteTables(file: string, now: number): Promise<RawTables> {
  const connection = await openSqlite(file);
  takeFile(connection, file);
  const note = createLockNote(file);
  note.write(now);
  // In KiB, where it is below 0.
  connection.exec(`PRAGMA cache_size = ${-moveDefaults.moveIndexBytes / 1024}`);
  connection.exec('BEGIN IMMEDIATE');

  return {
    shapes: shapesOf(connection.run({ text: described, values: [] })),
    query: async (statement) => connection.run(statement),
    read: (shape, range = allRows) => piecesOf(connection, shape, range),
    async fill(shape, pieces) {
      const { name } = shape;
      // To sort all keys once takes a fraction of the time that it takes to find the place of each as it comes.
      const indexes = connection.run({ text: searchIndexes, values: [name] });
      for (const index of indexes) connection.exec(`DROP INDEX ${textOf(index, 'name')}`);
      for await (const piece of pieces) add(connection, shape, piece);
      for (const index of indexes) connection.exec(textOf(index, 'definition'));
    },
    async replace(shape, { removed, added }) {
      const where = shape.key.map((column, index) => `${column} = $${index + 1}`).join(' AND ');
      const text = `DELETE FROM @${shape.name} WHERE ${where}`;
      for (const key of removed) connection.run({ text, values: valuesOf(shape, key) });
      add(connection, shape, added);
    },
    markMoved: async (at) => void connection.run(moved(at)),
    commit: async () => connection.exec('COMMIT'),
    async close() {
      try {
        connection.exec('ROLLBACK');
      } catch {
        // It is committed.
      }
      connection.close();
      note.remove();
    },
  };
}

function add(connection: SqliteConnection, shape: TableShape, { text: lines }: CopyPiece): void {
  const { name, columns } = shape;
  const places = columns.map((_, index) => `$${index + 1}`).join(', ');
  const text = `INSERT INTO @${name} (${columns.join(', ')}) VALUES (${places})`;
  // Of the text of a number SQLite makes one again, by the column's type.
  for (const row of rowsOf(shape, Buffer.from(lines).toString('utf8'))) {
    connection.run({ text, values: columns.map((column) => row[column] as SqlValue) });
  }
}

/** A key as it is compared: SQLite takes a number and its text for two values. */
function valuesOf({ key: columns, integers }: TableShape, key: RowKey): SqlValue[] {
  return key.map((value, index) => (integers.includes(columns[index] ?? '') ? Number(value) : value));
}

/** So many bytes a piece is to have, so that who takes it has something to do while the next one is read. */
const pieceBytes = 256 * 1024;
const [firstPage, longestPage] = [16, 5_000];

async function* piecesOf(
  connection: SqliteConnection,
  shape: TableShape,
  { after: first, to }: RowRange,
): AsyncGenerator<CopyPiece> {
  const upTo = to === null ? null : valuesOf(shape, to);
  let [after, limit] = [first === null ? null : valuesOf(shape, first), firstPage];
  for (;;) {
    const rows = connection.run(page(shape, { after, upTo, limit }));
    if (rows.length === 0) return;
    const text = Buffer.from(rows.map((row) => lineOf(shape, row)).join(''), 'utf8');
    yield { rows: rows.length, text };
    const last = rows.at(-1) as SqlRow;
    after = shape.key.map((column) => last[column] as SqlValue);
    // Accounts have entries and snapshots of very different sizes.
    limit = Math.min(longestPage, limit * 2, Math.max(1, Math.floor((pieceBytes * rows.length) / text.length)));
  }
}

/** The rows behind `after` up to `upTo`, by the primary key. */
function page(
  { name, key }: TableShape,
  { after, upTo, limit }: { after: readonly SqlValue[] | null; upTo: readonly SqlValue[] | null; limit: number },
): Statement {
  const columns = key.join(', ');
  const values: SqlValue[] = [limit];
  const bound = (sign: string, key: readonly SqlValue[] | null): string[] => {
    if (key === null) return [];
    const places = key.map((value) => `$${values.push(value)}`);
    return [`(${columns}) ${sign} (${places.join(', ')})`];
  };
  const bounds = [...bound('>', after), ...bound('<=', upTo)];
  const where = bounds.length === 0 ? '' : ` WHERE ${bounds.join(' AND ')}`;
  return { text: `SELECT * FROM @${name}${where} ORDER BY ${columns} LIMIT $1`, values };
}
