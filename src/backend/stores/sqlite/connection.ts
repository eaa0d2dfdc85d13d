import type { SqlRow, SqlValue, Statement } from '../sql/statement.js';

/** A connection to one file. All its calls are synchronous. */
export interface SqliteConnection {
  exec(sql: string): void;
  run(statement: Statement): readonly SqlRow[];
  close(): void;
}

/** What `node:sqlite` and `better-sqlite3` have in common. */
interface PreparedStatement {
  all(...values: SqlValue[]): unknown[];
  run(...values: SqlValue[]): unknown;
  /** Only in better-sqlite3: whether the statement answers rows. Where it does not, `all` throws. */
  readonly reader?: boolean;
}

interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): PreparedStatement;
  close(): unknown;
}

interface Prepared {
  statement: PreparedStatement;
  /** For each `?`, the number of the parameter that stands there. */
  places: readonly number[];
}

/** Opens a file with Node's own SQLite, which 22.13 and later have, else with the package better-sqlite3. */
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

/**
 * Makes SQLite's text of the shared SQL: SQLite orders text by bytes without being told, and its tables have no schema.
 */
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

/** Null for a Node that has SQLite only behind a flag, or not at all. */
function openNodeSqlite(file: string): SqliteDatabase | null {
  const builtIn = process.getBuiltinModule('node:sqlite') as
    | { DatabaseSync: new (file: string) => SqliteDatabase }
    | undefined;
  return builtIn === undefined ? null : new builtIn.DatabaseSync(file);
}

async function openBetterSqlite(file: string): Promise<SqliteDatabase> {
  let Database: new (file: string, options: { timeout: number }) => SqliteDatabase;
  try {
    // @ts-expect-error The package has no types; what is used of it is declared above.
    ({ default: Database } = (await import('better-sqlite3')) as { default: typeof Database });
  } catch (error) {
    throw new Error('SQLite needs Node 22.13 or later, or the package better-sqlite3: npm install better-sqlite3', {
      cause: error,
    });
  }
  return new Database(file, { timeout: 0 });
}
