import { moved, type RawTables, shapesOf } from '../sql/raw-tables.js';
import type { SqlValue } from '../sql/statement.js';
import { openSqlite } from './connection.js';
import { createLockNote, takeFile } from './file-lock.js';

const described = `
  SELECT m.name AS "table", p.name AS "column", p.type AS type, nullif(p.pk, 0) AS place
    FROM sqlite_master AS m, pragma_table_info(m.name) AS p
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, p.cid`;

/** Takes a file as no service can while one has it: nobody else reads or writes it until `close`. */
export async function openSqliteTables(file: string, now: number): Promise<RawTables> {
  const connection = await openSqlite(file);
  takeFile(connection, file);
  const note = createLockNote(file);
  note.write(now);
  connection.exec('BEGIN IMMEDIATE');

  return {
    shapes: shapesOf(connection.run({ text: described, values: [] })),
    query: async (statement) => connection.run(statement),
    async insert({ name, columns }, rows) {
      const places = columns.map((_, index) => `$${index + 1}`).join(', ');
      const text = `INSERT INTO @${name} (${columns.join(', ')}) VALUES (${places})`;
      for (const row of rows) connection.run({ text, values: columns.map((column) => cellOf(row[column])) });
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

/** PostgreSQL's integers come as text, of which SQLite makes integers again by the column's type. */
function cellOf(value: unknown): SqlValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as SqlValue);
}
