import pg from 'pg';
import { describe, inject } from 'vitest';
import type { OwnPostgres } from '../../scripts/postgres.mjs';
import { ownPostgres } from './postgres.js';

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

/** Tests that need PostgreSQL; reported as skipped where the run has none. */
export function describeOnPostgres(name: string, tests: (newSchema: () => TestSchema) => void): void {
  const url = inject('postgres');
  describe.skipIf(url === null)(url === null ? `${name} (skipped: no PostgreSQL)` : name, () => {
    tests(() => schemaOn(url ?? ''));
  });
}

/** Tests that stop PostgreSQL, and so need one of their own; reported as skipped where the machine cannot have one. */
export function describeOnOwnPostgres(name: string, tests: (make: () => Promise<OwnPostgres>) => void): void {
  const make = ownPostgres();
  describe.skipIf(make === null)(make === null ? `${name} (skipped: no PostgreSQL on this machine)` : name, () => {
    if (make !== null) tests(make);
  });
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
