import { type Migration, migrate } from '../sql/migrations.js';
import { rows, type Steps } from '../sql/statement.js';
import { createSqlStore } from '../sql/store.js';
import type { Store } from '../store.js';
import { StoreUnavailable } from '../unavailable.js';
import { type OwnPool, openPool, type PostgresPool } from './pool.js';
import { createPostgresRunner } from './runner.js';

export interface PostgresStoreOptions {
  /** A `Pool` of the package pg, which stays yours: `close()` leaves it open. */
  pool?: PostgresPool;
  /** Where the database is, in the place of a pool: `postgres://user:password@host/database`. */
  connectionString?: string;
  /** How many connections a pool of the store's own may have; 10 by default. */
  maxConnections?: number;
  /** The schema that holds the tables, made where there is none; `savepoint` by default. */
  schema?: string;
}

/** A store on PostgreSQL, for any number of processes. */
export interface PostgresStore extends Store {
  /** Closes the pool, where that is the store's own. */
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
    // Whoever opens one is told what the driver says.
    throw error instanceof StoreUnavailable ? error.cause : error;
  }
  return { ...createSqlStore(runner), close: async () => own?.end() };
}

/** Looked for first: to make one, even one that is there, takes a right that a service need not have. */
function* makeSchema(schema: string): Steps<void> {
  const there = yield* rows('SELECT schema_name FROM information_schema.schemata WHERE schema_name = $1', schema);
  if (there.length === 0) yield* rows(`CREATE SCHEMA "${schema}"`);
}
