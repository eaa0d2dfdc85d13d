import pg from 'pg';
import { createPostgresStore } from 'savepoint/backend/postgres';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPostgresStore } from '../../../src/backend/stores/postgres/store.js';
import { migrations } from '../../../src/backend/stores/sql/migrations.js';
import { runCommand } from '../../cli/in-process.js';
import { describeOnPostgres, type TestSchema } from '../../support/on-postgres.js';
import { newLink, owner } from './contract-records.js';

describeOnPostgres("PostgreSQL's rights", (newSchema) => {
  let database: TestSchema;
  let role: string;
  /** The address for a user who may read and write, and no more. */
  let url: string;

  beforeEach(async () => {
    database = newSchema();
    role = `role_of_${database.schema}`;
    await database.pool.query(`CREATE ROLE "${role}" LOGIN PASSWORD 'geheim'`);
    const address = new URL(database.url);
    address.username = role;
    address.password = 'geheim';
    url = address.href;
  });
  afterEach(async () => {
    await database.pool.query(`DROP OWNED BY "${role}"; DROP ROLE "${role}"`);
    await database.drop();
  });

  async function grant(): Promise<void> {
    const { pool, schema } = database;
    await pool.query(`GRANT USAGE ON SCHEMA "${schema}" TO "${role}"`);
    await pool.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO "${role}"`);
  }

  it('to change the schema are not needed where it is up to date', async () => {
    const { pool, schema } = database;
    await (await createPostgresStore({ pool, schema })).close();
    await grant();
    const store = await createPostgresStore({ connectionString: url, schema });
    await store.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
    expect(await store.readAccount(owner('a'))).not.toBeNull();
    await store.close();
  });

  it.each([
    ['there is no schema', 0],
    ['it is older', 1],
    ['it may not be read', migrations.length],
  ])('to change the schema are asked for by name where %s', async (_, version) => {
    const { pool, schema } = database;
    if (version > 0) await (await openPostgresStore({ pool, schema }, { steps: migrations.slice(0, version) })).close();
    if (version < migrations.length && version > 0) await grant();
    await expect(createPostgresStore({ connectionString: url, schema })).rejects.toThrow(
      /may not bring the schema .* up to date.*run savepoint migrate as its owner, and grant/,
    );
    const store = `${url}?schema=${schema}`;
    const { code, err } = await runCommand(['migrate'], { env: { SAVEPOINT_STORE: store } });
    expect(code).toBe(2);
    expect(err).toMatch(/the store cannot be opened: .*run savepoint migrate as its owner/);
    expect(err).not.toContain('geheim');
  });

  it('to change it may be those of savepoint migrate alone', async () => {
    const { schema } = database;
    const env = { SAVEPOINT_STORE: `${database.url}?schema=${schema}` };
    for (const _ of ['first', 'again']) {
      expect(await runCommand(['migrate'], { env })).toEqual({ code: 0, out: 'the schema is up to date\n', err: '' });
    }
    await grant();
    const pool = new pg.Pool({ connectionString: url });
    const store = await createPostgresStore({ pool, schema });
    expect(await store.readAccount(owner('a'))).toBeNull();
    await pool.end();
  });
});
