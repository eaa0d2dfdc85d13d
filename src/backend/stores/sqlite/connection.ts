import type { SqlRow, SqlValue, Statement } from '../sql/statement.js';

/** A connection to one file. All its calls are synchronous. */
export interface SqliteConnection {
  exec(sql: string): void;
  run(statement: Statement): readonly SqlRow[];
  /** Copies all that is committed into a new file, some pages at a time; calls made meanwhile are served. */
  backUp(file: string, progressed: (share: number) => void): Promise<void>;
  close(): void;
}

/** How far a copy has come, in pages. */
interface CopiedPages {
  totalPages: number;
  remainingPages: number;
}

type Progress = (pages: CopiedPages) => void;

/** A statement that takes its values and answers its rows, none where it only writes: so it is in `node:sqlite`. */
interface PreparedStatement {
  all(...values: SqlValue[]): unknown[];
}

interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): PreparedStatement;
  backUp(file: string, progress: Progress): Promise<unknown>;
  close(): unknown;
}

/** A statement of better-sqlite3. */
interface BetterStatement extends PreparedStatement {
  /** Whether it answers rows. Where it does not, `all`, `raw` and `columns` throw. */
  readonly reader: boolean;
  run(...values: SqlValue[]): unknown;
  /** Makes `all` answer each row as a list of its cells. */
  raw(): BetterStatement;
  columns(): { name: string }[];
}

interface BetterDatabase extends Omit<SqliteDatabase, 'backUp'> {
  prepare(sql: string): BetterStatement;
  backup(file: string, options: { progress: Progress }): Promise<unknown>;
}

/** `node:sqlite`; its copying came with Node 22.16. */
interface NodeSqlite {
  DatabaseSync: new (file: string) => Omit<SqliteDatabase, 'backUp'>;
  backup?(database: object, file: string, options: { progress: Progress }): Promise<unknown>;
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
      return statement.all(...given) as SqlRow[];
    },
    async backUp(file, progressed) {
      await database.backUp(file, ({ totalPages, remainingPages }) => progressed(1 - remainingPages / totalPages));
      progressed(1);
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
  const builtIn = process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined;
  if (builtIn === undefined) return null;
  const database = new builtIn.DatabaseSync(file);
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => database.prepare(sql),
    backUp: async (to, progress) => {
      if (builtIn.backup !== undefined) return builtIn.backup(database, to, { progress });
      // In one go, which holds up everything else for as long as it takes.
      return database.prepare('VACUUM INTO ?').all(to);
    },
    close: () => database.close(),
  };
}

/** How long SQLite waits for a file that somebody else has. By itself `node:sqlite` does not wait either. */
const busyMs = 0;

async function openBetterSqlite(file: string): Promise<SqliteDatabase> {
  let Database: new (file: string, options: { timeout: number }) => BetterDatabase;
  try {
    // @ts-expect-error The package has no types; what is used of it is declared above.
    ({ default: Database } = (await import('better-sqlite3')) as { default: typeof Database });
  } catch (error) {
    throw new Error('SQLite needs Node 22.13 or later, or the package better-sqlite3: npm install better-sqlite3', {
      cause: error,
    });
  }
  const database = new Database(file, { timeout: busyMs });
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => preparedOf(database.prepare(sql)),
    backUp: (to, progress) => database.backup(to, { progress }),
    close: () => database.close(),
  };
}

/**
 * Names the cells here: better-sqlite3 would make each column's name anew for every row, which takes about a fifth of
 * the time of reading a collection.
 */
function preparedOf(statement: BetterStatement): PreparedStatement {
  if (!statement.reader) {
    return {
      all(...values) {
        statement.run(...values);
        return [];
      },
    };
  }
  const names = statement
    .raw()
    .columns()
    .map(({ name }) => name);
  return { all: (...values) => (statement.all(...values) as unknown[][]).map((cells) => rowOf(names, cells)) };
}

function rowOf(names: readonly string[], cells: readonly unknown[]): SqlRow {
  const row: { [column: string]: unknown } = {};
  names.forEach((name, index) => {
    row[name] = cells[index];
  });
  return row;
}
