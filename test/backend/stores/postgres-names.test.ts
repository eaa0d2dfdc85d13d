import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPostgresRunner } from '../../../src/backend/stores/postgres/runner.js';
import { rows, type Steps } from '../../../src/backend/stores/sql/statement.js';
import { describeOnPostgres, type TestSchema } from '../../support/on-postgres.js';

describeOnPostgres('a statement that PostgreSQL knows by its name', (newSchema) => {
  let database: TestSchema;
  /** One connection, which a test looks into. */
  let pool: pg.Pool;

  beforeEach(async () => {
    database = newSchema();
    pool = new pg.Pool({ connectionString: database.url, max: 1 });
    await database.pool.query(`CREATE SCHEMA "${database.schema}"`);
    await database.pool.query(`CREATE TABLE "${database.schema}".marks (name text)`);
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const runner = () => createPostgresRunner(pool, database.schema);
  function* mark(name: string): Steps<void> {
    yield* rows('INSERT INTO @marks (name) VALUES ($1) RETURNING *', name);
  }
  function* look(): Steps<unknown[]> {
    return (yield* rows('SELECT name FROM @marks WHERE name <> $1 ORDER BY name', '')).map(({ name }) => name);
  }
  const known = async (): Promise<unknown[]> => {
    const found = await pool.query("SELECT statement FROM pg_prepared_statements WHERE name LIKE 'savepoint\\_%'");
    return found.rows.map(({ statement }) => statement);
  };

  it('is a write of one statement, and no other', async () => {
    const { write, read, transaction } = runner();
    for (const name of ['a', 'b', 'c']) await write(() => mark(name));
    await transaction(() => mark('d'));
    expect(await read(look)).toEqual(['a', 'b', 'c', 'd']);
    expect(await known()).toEqual([expect.stringMatching(/^INSERT INTO/)]);
  });

  it('is the same for two runners of one pool, and another one in another schema', async () => {
    const other = newSchema();
    await other.pool.query(`CREATE SCHEMA "${other.schema}"`);
    await other.pool.query(`CREATE TABLE "${other.schema}".marks (name text)`);
    for (const one of [runner(), runner(), createPostgresRunner(pool, other.schema)]) await one.write(() => mark('a'));
    expect(await known()).toHaveLength(2);
    await other.drop();
  });

  it.each([
    ['somebody has had all names forgotten', () => pool.query('DEALLOCATE ALL')],
    ['its table was changed', () => database.pool.query(`ALTER TABLE "${database.schema}".marks ADD COLUMN n integer`)],
  ])('is carried out once more where %s, and counts once', async (_, change) => {
    const { write, read } = runner();
    await write(() => mark('a'));
    await change();
    await write(() => mark('b'));
    await write(() => mark('c'));
    expect(await read(look)).toEqual(['a', 'b', 'c']);
  });

  it('is none where the connection does not lead to one server for good', async () => {
    const { write, read } = createPostgresRunner(
      {
        async connect() {
          const connection = await pool.connect();
          // A pooler has a number of its own to tell.
          return new Proxy(connection, {
            get: (target, key) => {
              if (key === 'processID') return 1;
              const found = Reflect.get(target, key) as unknown;
              return typeof found === 'function' ? found.bind(target) : found;
            },
          });
        },
      },
      database.schema,
    );
    for (const name of ['a', 'b']) await write(() => mark(name));
    expect([await read(look), await known()]).toEqual([['a', 'b'], []]);
  });
});
