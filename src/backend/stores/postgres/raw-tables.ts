import { postgresTimeouts } from '../../../protocol/gaps/postgres-timeouts.js';
import { moved, type RawTables, shapesOf, type TableShape } from '../sql/raw-tables.js';
import type { SqlRow, Statement } from '../sql/statement.js';
import { openPool } from './pool.js';

const described = `
  SELECT c.relname AS "table", a.attname AS "column", t.typname AS type,
      array_position(i.indkey::smallint[], a.attnum) AS place
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_catalog.pg_index i ON i.indrelid = c.oid AND i.indisprimary
    WHERE n.nspname = $1 AND c.relkind = 'r' ORDER BY c.relname, a.attnum`;

/** Others may read a source; who writes to it has time to come to an end. Nobody else may have a target. */
const locks = {
  source: { mode: 'EXCLUSIVE', timeoutMs: postgresTimeouts.statementMs },
  target: { mode: 'ACCESS EXCLUSIVE', timeoutMs: 2_000 },
} as const;

export interface PostgresTablesOptions {
  connectionString: string;
  schema?: string;
  as: keyof typeof locks;
}

/** Takes one connection and locks all tables: whoever writes meanwhile waits, or is told that the store is unavailable. */
export async function openPostgresTables({
  connectionString,
  schema = 'savepoint',
  as,
}: PostgresTablesOptions): Promise<RawTables> {
  const pool = await openPool({ connectionString, max: 1 }, postgresTimeouts);
  const end = async (error: unknown): Promise<never> => {
    await pool.end();
    throw error;
  };
  const connection = await pool.connect().catch(end);
  // Without a listener the event would end the process; the statement under way fails by itself.
  connection.on?.('error', () => {});
  const run = async ({ text, values }: Statement): Promise<readonly SqlRow[]> => {
    const { rows } = await connection.query(text.replaceAll('@', `"${schema}".`), [...values]);
    return rows as SqlRow[];
  };
  const exec = (text: string): Promise<unknown> => run({ text, values: [] });
  const close = async (): Promise<void> => {
    connection.release(true);
    await pool.end();
  };

  async function begin(): Promise<readonly TableShape[]> {
    await exec('BEGIN');
    await exec('SET LOCAL statement_timeout = 0');
    await exec('SET LOCAL idle_in_transaction_session_timeout = 0');
    await exec(`SET LOCAL lock_timeout = ${locks[as].timeoutMs}`);
    const shapes = shapesOf(await run({ text: described, values: [schema] }));
    if (shapes.length === 0) return shapes;
    for (const table of ['schema_versions', ...shapes.map(({ name }) => name)]) {
      await exec(`LOCK TABLE @${table} IN ${locks[as].mode} MODE`);
    }
    return shapes;
  }

  const shapes = await begin().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    shapes,
    query: run,
    async insert(shape, rows) {
      // PostgreSQL itself knows what each text is to be.
      const text = `INSERT INTO @${shape.name} SELECT * FROM json_populate_recordset(NULL::@${shape.name}, $1::json)`;
      await run({ text, values: [JSON.stringify(rows.map((row) => withJson(shape, row)))] });
    },
    async markMoved(now) {
      await run(moved(now));
      // As a server says that is read-only, which a service takes for a store that is unavailable.
      await exec(`CREATE FUNCTION @refuse_moved() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'moved to another store' USING ERRCODE = '25006'; END $$`);
      for (const { name } of shapes) {
        await exec(`CREATE TRIGGER moved BEFORE INSERT OR UPDATE OR DELETE ON @${name}
          FOR EACH STATEMENT EXECUTE FUNCTION @refuse_moved()`);
      }
    },
    async commit() {
      if (as === 'target') for (const { name } of shapes) await exec(`ANALYZE @${name}`);
      await exec('COMMIT');
    },
    close,
  };
}

/** SQLite keeps JSON as text. */
function withJson({ json }: TableShape, row: SqlRow): SqlRow {
  const parsed = json.map((column) => {
    const value = row[column];
    return [column, typeof value === 'string' ? JSON.parse(value) : value] as const;
  });
  return { ...row, ...Object.fromEntries(parsed) };
}
