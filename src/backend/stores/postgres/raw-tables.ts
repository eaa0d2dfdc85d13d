import { postgresTimeouts } from '../../../protocol/gaps/postgres-timeouts.js';
import { moved, type RawTables, shapesOf, type TableShape } from '../sql/raw-tables.js';
import { type SqlRow, type Statement, textOf } from '../sql/statement.js';
import { copyIn, copyOut } from './copy.js';
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

/** The indexes of a table that keep nothing unique, and how each is made. */
const searchIndexes = `
  SELECT pg_catalog.quote_ident(c.relname) AS name, pg_catalog.pg_get_indexdef(c.oid) AS definition
    FROM pg_catalog.pg_index i
    JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
    JOIN pg_catalog.pg_class t ON t.oid = i.indrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
    WHERE n.nspname = $1 AND t.relname = $2 AND NOT i.indisunique ORDER BY c.relname`;

/**
 * For the one who fills a store: memory for the indexes, and rows that came in their order are not
 * sorted again to be read.
 */
const forFilling = ["maintenance_work_mem = '256MB'", 'enable_sort = off'];

/** Others may read a source; who writes to it has time to come to an end. Nobody else may have a target. */
const locks = {
  source: { mode: 'EXCLUSIVE', timeoutMs: postgresTimeouts.statementMs },
  target: { mode: 'ACCESS EXCLUSIVE', timeoutMs: 2_000 },
} as const;

/** As a save of a player locks them: in another order it and whoever locks all tables would wait for each other. */
const lockedFirst = ['entries', 'sessions', 'accounts'];

function inLockOrder(shapes: readonly TableShape[]): string[] {
  const names = shapes.map(({ name }) => name);
  return [
    ...lockedFirst.filter((name) => names.includes(name)),
    ...names.filter((name) => !lockedFirst.includes(name)),
  ];
}

export interface PostgresTablesOptions {
  connectionString: string;
  schema?: string;
  as: keyof typeof locks;
}

/**
 * Takes one connection and locks all tables: whoever writes meanwhile waits, or is told that the store is unavailable.
 */
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
  const inSchema = (text: string): string => text.replaceAll('@', `"${schema}".`);
  const run = async ({ text, values }: Statement): Promise<readonly SqlRow[]> => {
    const { rows } = await connection.query(inSchema(text), [...values]);
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
    if (as === 'target') for (const setting of forFilling) await exec(`SET LOCAL ${setting}`);
    const shapes = shapesOf(await run({ text: described, values: [schema] }));
    if (shapes.length === 0) return shapes;
    for (const table of ['schema_versions', ...inLockOrder(shapes)]) {
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
    read: ({ name, columns, key }) =>
      copyOut(
        connection,
        inSchema(`COPY (SELECT ${columns.join(', ')} FROM @${name} ORDER BY ${key.join(', ')}) TO STDOUT`),
      ),
    async fill({ name, columns }, pieces) {
      // To sort all keys once takes a fraction of the time that it takes to find the place of each as it comes.
      const indexes = await run({ text: searchIndexes, values: [schema, name] });
      for (const index of indexes) await exec(`DROP INDEX @${textOf(index, 'name')}`);
      await copyIn(connection, inSchema(`COPY @${name} (${columns.join(', ')}) FROM STDIN`), pieces);
      for (const index of indexes) await connection.query(textOf(index, 'definition'));
      await exec(`ANALYZE @${name}`);
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
    commit: async () => void (await exec('COMMIT')),
    close,
  };
}
