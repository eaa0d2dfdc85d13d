import { type Migration, migrate } from '../sql/migrations.js';
import { rows, type Steps } from '../sql/statement.js';
import { createSqlStore } from '../sql/store.js';
import type { Store } from '../store.js';
import { StoreUnavailable } from '../unavailable.js';
import { type OwnPool, openPool, type PostgresPool } from './pool.js';
import { createPostgresRunner } from './runner.js';

/** Which database a PostgreSQL store uses: `pool` or `connectionString` must be given. */
export interface PostgresStoreOptions {
  /** A `Pool` of the package pg. It stays yours: `close()` leaves it open. */
  pool?: PostgresPool;
  /** The database's address, from which the store makes a pool of its own: `postgres://user:password@host/database`. */
  connectionString?: string;
  /** How many connections the store's own pool may have; 10 by default. */
  maxConnections?: number;
  /** The schema that holds the tables; `savepoint` by default. It is made where there is none. */
  schema?: string;
}

/** A store on PostgreSQL, for any number of processes. */
export interface PostgresStore extends Store {
  /** Closes the pool, if it is the store's own. */
  close(): Promise<void>;
}

export async function openPostgresStore(
  { pool, connectionString, maxConnections = 10, schema = 'savepoint' }: PostgresStoreOptions,
  { steps, now = Date.now() }: { steps?: readonly Migration[]; now?: number } = {},
): Promise<PostgresStore> {
  if ((pool === undefined) === (connectionString === undefined)) {
    throw new TypeError('Give either pool or connectionString');
  }
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) throw new TypeError('schema must be a name of a-z, 0-9 and _');
  const isCount = Number.isSafeInteger(maxConnections) && maxConnections > 0;
  if (!isCount) throw new TypeError('maxConnections must be an integer from 1 up');
  const own: OwnPool | null = connectionString === undefined ? null : await openPool(connectionString, maxConnections);
  const used = own ?? (pool as PostgresPool);
  const runner = createPostgresRunner(used, schema);
  try {
    await runner.transaction(() => makeSchema(schema));
    await migrate(runner, { now, ...(steps === undefined ? {} : { steps }) });
  } catch (error) {
    await own?.end();
    // Whoever opens a store is told what the driver says, address and all: it is their own.
    throw error instanceof StoreUnavailable ? error.cause : error;
  }
  return { ...createSqlStore(runner), close: async () => own?.end() };
}

/** Looks for the schema first: CREATE SCHEMA takes a right that a service need not have, even if the schema exists. */
function* makeSchema(schema: string): Steps<void> {
  const there = yield* rows('SELECT schema_name FROM information_schema.schemata WHERE schema_name = $1', schema);
  if (there.length === 0) yield* rows(`CREATE SCHEMA "${schema}"`);
}
