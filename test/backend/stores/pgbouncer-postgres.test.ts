import { createPostgresStore, type PostgresStore } from 'savepoint/backend/postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeBehindPgBouncer, type SchemaBehind } from '../../support/on-postgres.js';
import { newLink } from './contract-records.js';
import { describeStore } from './store-contract.js';

/** Each kind of statement and transaction that a pooler may break; `npm run prove` asks it everything. */
const some = ['accounts', 'conflicts', 'entries', 'write access', 'writers', 'events', 'counts'] as const;

describeBehindPgBouncer('PostgreSQL behind PgBouncer in transaction mode', (make) => {
  let behind: SchemaBehind;
  let store: PostgresStore | undefined;

  beforeAll(async () => {
    behind = await make();
  });
  afterAll(async () => {
    await store?.close();
    await behind.remove();
    await behind.database.drop();
  });

  const create = async () => {
    const { url: connectionString, database } = behind;
    store ??= await createPostgresStore({ connectionString, schema: database.schema });
    await database.empty();
    return store;
  };
  describeStore('on PostgreSQL behind PgBouncer', create, process.env['PROVE'] === '1' ? undefined : some);

  it('shares its few connections among all', async () => {
    const { url: connectionString, database } = behind;
    const many = await createPostgresStore({ connectionString, schema: database.schema, maxConnections: 30 });
    const made = await Promise.all(
      Array.from({ length: 90 }, (_, index) =>
        many.ensureAccount({ link: newLink('device', `many-${index % 30}`), accountId: `many-${index}`, now: 1 }),
      ),
    );
    expect(made.filter(({ created }) => created)).toHaveLength(30);
    await many.close();
  });
});
