import pg from 'pg';
import { describe, inject } from 'vitest';
import { findPgBouncer, findPostgres, type OwnPostgres, startPgBouncer } from '../../scripts/postgres.mjs';
import { ownPostgres } from './postgres.js';
import { type PostgresPair, startPostgresPair } from './postgres-pair.js';

/** A schema of a test file's own. */
export interface TestSchema {
  url: string;
  schema: string;
  pool: pg.Pool;
  /** Removes every row, and leaves the tables. */
  empty(): Promise<void>;
  /** Removes the schema, and closes the pool. */
  drop(): Promise<void>;
}

/** A schema, and the address that leads to it by way of PgBouncer. */
export interface SchemaBehind {
  database: TestSchema;
  url: string;
  remove(): Promise<void>;
}

/** Tests that need PostgreSQL; reported as skipped where the run has none. */
export function describeOnPostgres(name: string, tests: (newSchema: () => TestSchema) => void): void {
  const url = inject('postgres');
  describe.skipIf(url === null)(url === null ? `${name} (skipped: no PostgreSQL)` : name, () => {
    tests(() => schemaOn(url ?? ''));
  });
}

/** Tests behind PgBouncer in transaction mode; reported as skipped where the run has no PostgreSQL, or no PgBouncer. */
export function describeBehindPgBouncer(name: string, tests: (make: () => Promise<SchemaBehind>) => void): void {
  const url = inject('postgres');
  const program = findPgBouncer();
  if (program === null && process.env['REQUIRE_POSTGRES']) throw new Error('No PgBouncer: apt-get install pgbouncer.');
  const missing = url === null ? 'PostgreSQL' : program === null ? 'PgBouncer' : null;
  describe.skipIf(missing !== null)(missing === null ? name : `${name} (skipped: no ${missing})`, () => {
    tests(async () => {
      const { url: through, remove } = await startPgBouncer(program ?? '', url ?? '');
      return { database: schemaOn(url ?? ''), url: through, remove };
    });
  });
}

/** Tests that stop PostgreSQL, and so need one of their own; reported as skipped where the machine cannot have one. */
export function describeOnOwnPostgres(name: string, tests: (make: () => Promise<OwnPostgres>) => void): void {
  const make = ownPostgres();
  describe.skipIf(make === null)(make === null ? `${name} (skipped: no PostgreSQL on this machine)` : name, () => {
    if (make !== null) tests(make);
  });
}

/** Tests that start PostgreSQL's programs themselves; reported as skipped where the machine does not have them. */
export function describeWithPrograms(name: string, tests: (binaries: string) => void): void {
  const binaries = findPostgres();
  const isMissing = binaries === null;
  describe.skipIf(isMissing)(isMissing ? `${name} (skipped: no PostgreSQL on this machine)` : name, () => {
    if (binaries !== null) tests(binaries);
  });
}

/** Tests that need a primary and a standby of their own. */
export function describeOnPostgresPair(name: string, tests: (make: () => Promise<PostgresPair>) => void): void {
  describeWithPrograms(name, (binaries) => tests(() => startPostgresPair(binaries)));
}

let schemas = 0;

function schemaOn(url: string): TestSchema {
  schemas += 1;
  const schema = `test_${process.pid}_${process.env['VITEST_POOL_ID'] ?? 0}_${schemas}`;
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  return {
    url,
    schema,
    pool,
    async empty() {
      const { rows } = await pool.query<{ tablename: string }>(
        `SELECT tablename FROM pg_tables WHERE schemaname = $1 AND tablename <> 'schema_versions'`,
        [schema],
      );
      for (const { tablename } of rows) await pool.query(`DELETE FROM "${schema}"."${tablename}"`);
    },
    async drop() {
      await pool.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
      await pool.end();
    },
  };
}
