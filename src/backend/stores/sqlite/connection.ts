import type { SqlRow, SqlValue, Statement } from '../sql/statement.js';

/** One connection to one file. Every call is done when it returns. */
export interface SqliteConnection {
  exec(sql: string): void;
  run(statement: Statement): readonly SqlRow[];
  close(): void;
}

/** What `node:sqlite` and `better-sqlite3` have in common. */
interface PreparedStatement {
  all(...values: SqlValue[]): unknown[];
  run(...values: SqlValue[]): unknown;
  /** better-sqlite3: whether it answers rows; its `all` throws where it does not. */
  readonly reader?: boolean;
}

interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): PreparedStatement;
  close(): unknown;
}

interface Prepared {
  statement: PreparedStatement;
  /** Which value stands at which of its places. */
  places: readonly number[];
}

/** Node's own SQLite (from 22.13 on), else the package better-sqlite3. */
export async function openSqlite(file: string): Promise<SqliteConnection> {
  const database = openNodeSqlite(file) ?? (await openBetterSqlite(file));
  const prepared = new Map<string, Prepared>();

  return {
    exec: (sql) => void database.exec(sql),
    run({ text, values }) {
      let known = prepared.get(text);
      if (known === undefined) {
        const { sql, places } = toSqlite(text);
        known = { statement: database.prepare(sql), places };
        prepared.set(text, known);
      }
      const { statement, places } = known;
      const given = places.map((place) => values[place - 1] ?? null);
      if (statement.reader !== false) return statement.all(...given) as SqlRow[];
      statement.run(...given);
      return [];
    },
    close: () => void database.close(),
  };
}

/** The shared SQL as SQLite takes it: its own order is that of bytes, and its tables have no schema. */
function toSqlite(text: string): { sql: string; places: number[] } {
  const places: number[] = [];
  const sql = text
    .replaceAll(' COLLATE "C"', '')
    .replaceAll('@', '')
    .replaceAll(/\$(\d+)/g, (_, place: string) => {
      places.push(Number(place));
      return '?';
    });
  return { sql, places };
}

/** Null for a Node that has it behind a flag, or not at all. */
function openNodeSqlite(file: string): SqliteDatabase | null {
  const builtIn = process.getBuiltinModule('node:sqlite') as
    | { DatabaseSync: new (file: string) => SqliteDatabase }
    | undefined;
  return builtIn === undefined ? null : new builtIn.DatabaseSync(file);
}

async function openBetterSqlite(file: string): Promise<SqliteDatabase> {
  let Database: new (file: string, options: { timeout: number }) => SqliteDatabase;
  try {
    // @ts-expect-error It has no types of its own, and what is used of it stands above.
    ({ default: Database } = (await import('better-sqlite3')) as { default: typeof Database });
  } catch (error) {
    throw new Error('SQLite needs Node 22.13 or later, or the package better-sqlite3: npm install better-sqlite3', {
      cause: error,
    });
  }
  return new Database(file, { timeout: 0 });
}
