import { longestTimerMs } from '../../../http/timers.js';
import { postgresConnections, postgresTimeouts } from '../../../protocol/gaps/postgres-timeouts.js';
import { type Migration, migrate } from '../sql/migrations.js';
import { firstRow, integerOf, rows, type SqlRunner, type Steps } from '../sql/statement.js';
import { createSqlStore } from '../sql/store.js';
import type { Store } from '../store.js';
import { StoreUnavailable } from '../unavailable.js';
import type { PostgresLimits } from './limits.js';
import { type OwnPool, openPool, type PoolLoad, type PostgresPool } from './pool.js';
import { createPostgresRunner, type PostgresTimeouts } from './runner.js';

/** Which database a PostgreSQL store uses: `pool` or `connectionString` must be given. */
export interface PostgresStoreOptions extends PostgresLimits {
  /** A `Pool` of the package pg. It stays yours: `close()` leaves it open. */
  pool?: PostgresPool;
  /** The database's address, from which the store makes a pool of its own: `postgres://user:password@host/database`. */
  connectionString?: string;
  /** The schema that holds the tables; `savepoint` by default. It is made where there is none. */
  schema?: string;
}

/** A store on PostgreSQL, for any number of processes. */
export interface PostgresStore extends Store {
  /** The connections at this moment; null where the pool is yours. */
  connections(): PoolLoad | null;
  /** How large the schema's tables are, in bytes, with their indexes and long values. */
  bytes(): Promise<number>;
  /** Closes the pool, if it is the store's own. */
  close(): Promise<void>;
}

interface Surroundings {
  steps?: readonly Migration[];
  now?: number;
  timeouts?: PostgresTimeouts;
}

export async function openPostgresStore(
  {
    pool,
    connectionString,
    maxConnections = postgresConnections,
    schema = 'savepoint',
    ...options
  }: PostgresStoreOptions,
  { steps, now = Date.now(), timeouts: defaults = postgresTimeouts }: Surroundings = {},
): Promise<PostgresStore> {
  if ((pool === undefined) === (connectionString === undefined)) {
    throw new TypeError('Give either pool or connectionString');
  }
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) throw new TypeError('schema must be a name of a-z, 0-9 and _');
  const isCount = Number.isSafeInteger(maxConnections) && maxConnections > 0;
  if (!isCount) throw new TypeError('maxConnections must be an integer from 1 up');
  const timeouts = withTimeouts(options, defaults);
  const own: OwnPool | null =
    connectionString === undefined ? null : await openPool({ connectionString, max: maxConnections }, timeouts);
  const used = own ?? (pool as PostgresPool);
  const runner = createPostgresRunner(used, schema, timeouts);
  try {
    await bringUpToDate(runner, {
      schema,
      now,
      patient: createPostgresRunner(used, schema, { ...timeouts, statementMs: timeouts.migrationMs }),
      ...(steps === undefined ? {} : { steps }),
    });
  } catch (error) {
    await own?.end();
    // Whoever opens a store is told what the driver says, address and all: it is their own.
    throw error instanceof StoreUnavailable ? error.cause : error;
  }
  return {
    ...createSqlStore(runner),
    connections: () => own?.load() ?? null,
    bytes: () => runner.read(() => sizeOf(schema)),
    close: async () => own?.end(),
  };
}

/**
 * Looks first: what makes or changes something takes rights that a service need not have, even if it is there already.
 */
async function bringUpToDate(
  runner: SqlRunner,
  { schema, ...migration }: { schema: string; now: number; patient: SqlRunner; steps?: readonly Migration[] },
): Promise<void> {
  const hasVersions = await runner.read(() => isTableThere(schema, 'schema_versions'));
  try {
    if (!hasVersions) await runner.transaction(() => makeSchema(schema));
    await migrate(runner, { ...migration, hasVersions });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== '42501') throw error;
    throw new Error(
      `This user may not bring the schema "${schema}" up to date, or not use it (${message}): run savepoint migrate as ` +
        'its owner, and grant this user USAGE on the schema, and SELECT, INSERT, UPDATE and DELETE on its tables.',
      { cause: error },
    );
  }
}

/** Asks the catalogs, which everybody may read: the information schema hides what a user has no rights on. */
function* isTableThere(schema: string, table: string): Steps<boolean> {
  const text = 'SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = $2';
  return (yield* rows(text, schema, table)).length > 0;
}

/** Reads the sizes of files, and no table. */
function* sizeOf(schema: string): Steps<number> {
  const text = `SELECT coalesce(sum(pg_catalog.pg_total_relation_size(c.oid)), 0)::bigint AS bytes
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relkind = 'r'`;
  const row = yield* firstRow(text, schema);
  return row === null ? 0 : integerOf(row, 'bytes');
}

function* makeSchema(schema: string): Steps<void> {
  const there = yield* rows('SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname = $1', schema);
  if (there.length === 0) yield* rows(`CREATE SCHEMA "${schema}"`);
}

function withTimeouts(options: PostgresStoreOptions, defaults: PostgresTimeouts): PostgresTimeouts {
  const { connectTimeoutMs = defaults.connectMs, statementTimeoutMs = defaults.statementMs } = options;
  for (const [name, ms] of Object.entries({ connectTimeoutMs, statementTimeoutMs })) {
    // A timer cannot wait for longer.
    if (!Number.isSafeInteger(ms) || ms < 1 || ms > longestTimerMs) {
      throw new TypeError(`${name} must be an integer of milliseconds from 1 to 2,147,483,647`);
    }
  }
  return { ...defaults, connectMs: connectTimeoutMs, statementMs: statementTimeoutMs };
}
