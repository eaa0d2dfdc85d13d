import { moveDefaults } from '../../../protocol/gaps/moving.js';
import { postgresTimeouts } from '../../../protocol/gaps/postgres-timeouts.js';
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
 * Parts of a table are read along the primary key, of a target also what came in its order: neither is looked for in the
 * whole table to be sorted. To compile the plan of each part takes longer than to read it. Whoever fills a store has
 * memory for the indexes.
 */
const alongKeys = ['enable_sort = off', 'jit = off'];
const settings = {
  snapshot: [],
  source: alongKeys,
  target: [`maintenance_work_mem = '${moveDefaults.moveIndexBytes / 1024}kB'`, ...alongKeys],
} as const;

/**
 * Others may read a source; who writes to it has time to come to an end. Nobody else may have a target. A snapshot
 * keeps from others nothing but to change the tables themselves.
 */
const locks = {
  snapshot: { mode: 'ACCESS SHARE', timeoutMs: moveDefaults.moveLockMs },
  source: { mode: 'EXCLUSIVE', timeoutMs: postgresTimeouts.statementMs },
  target: { mode: 'ACCESS EXCLUSIVE', timeoutMs: moveDefaults.moveLockMs },
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
 * Takes one connection and locks all tables: of a source, whoever writes meanwhile waits, or is told that the store is
 * unavailable. As a `snapshot` it sees what was there when it began, and nobody waits for it.
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
    await exec(as === 'snapshot' ? 'BEGIN ISOLATION LEVEL REPEATABLE READ' : 'BEGIN');
    await exec('SET LOCAL statement_timeout = 0');
    await exec('SET LOCAL idle_in_transaction_session_timeout = 0');
    await exec(`SET LOCAL lock_timeout = ${locks[as].timeoutMs}`);
    for (const setting of settings[as]) await exec(`SET LOCAL ${setting}`);
    const shapes = shapesOf(await run({ text: described, values: [schema] }));
    if (shapes.length === 0) return shapes;
    const tables = ['schema_versions', ...inLockOrder(shapes)].map((name) => `@${name}`);
    await exec(`LOCK TABLE ${tables.join(', ')} IN ${locks[as].mode} MODE`);
    return shapes;
  }

  /** A service that writes may have locked some of the tables in another order. Of the two one gives way. */
  async function beginPatiently(tries: number = moveDefaults.moveLockTries): Promise<readonly TableShape[]> {
    try {
      return await begin();
    } catch (error) {
      if (tries === 1 || (error as { code?: unknown }).code !== deadlock) throw error;
      await exec('ROLLBACK');
      return beginPatiently(tries - 1);
    }
  }

  const shapes = await beginPatiently().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const table = ({ name }: TableShape): string => `"${schema}".${name}`;
  const copyRows = (shape: TableShape, pieces: AsyncIterable<CopyPiece>): Promise<void> =>
    copyIn(connection, `COPY ${table(shape)} (${shape.columns.join(', ')}) FROM STDIN`, pieces);
  return {
    shapes,
    query: run,
    read(shape, range = allRows) {
      const { columns, key } = shape;
      const rows = `SELECT ${columns.join(', ')} FROM ${table(shape)}${within(shape, range)} ORDER BY ${key.join(', ')}`;
      return copyOut(connection, `COPY (${rows}) TO STDOUT`);
    },
    async fill(shape, pieces) {
      const { name } = shape;
      // To sort all keys once takes a fraction of the time that it takes to find the place of each as it comes.
      const indexes = await run({ text: searchIndexes, values: [schema, name] });
      for (const index of indexes) await exec(`DROP INDEX @${textOf(index, 'name')}`);
      await copyRows(shape, pieces);
      for (const index of indexes) await connection.query(textOf(index, 'definition'));
      await exec(`ANALYZE @${name}`);
    },
    async replace(shape, { removed, added }) {
      for (let from = 0; from < removed.length; from += removedAtOnce) {
        const keys = removed.slice(from, from + removedAtOnce).map(literals);
        // A key may have any letter, so that the schema is not put into this by its sign.
        await connection.query(
          `DELETE FROM ${table(shape)} WHERE (${shape.key.join(', ')}) IN (${keys.join(', ')})`,
          [],
        );
      }
      if (added.rows > 0) await copyRows(shape, only(added));
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

/** PostgreSQL's code for two transactions that wait for each other. */
const deadlock = '40P01';
const removedAtOnce = 500;

async function* only(piece: CopyPiece): AsyncGenerator<CopyPiece> {
  yield piece;
}

function within({ key }: TableShape, { after, to }: RowRange): string {
  const columns = key.join(', ');
  const bounds = [
    ...(after === null ? [] : [`(${columns}) > ${literals(after)}`]),
    ...(to === null ? [] : [`(${columns}) <= ${literals(to)}`]),
  ];
  return bounds.length === 0 ? '' : ` WHERE ${bounds.join(' AND ')}`;
}

/** COPY takes no parameters. Each value gets the type of the column that it is compared with. */
function literals(key: RowKey): string {
  const quoted = key.map((value) => `E'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`);
  return `(${quoted.join(', ')})`;
}
