import { createPostgresStore, type PostgresStore } from 'savepoint/backend/postgres';
import { afterAll, beforeAll } from 'vitest';
import { describeOnPostgres } from '../../support/on-postgres.js';
import { describeStore } from './store-contract.js';

describeOnPostgres('PostgreSQL', (newSchema) => {
  const database = newSchema();
  const { pool, schema } = database;
  let store: PostgresStore;

  beforeAll(async () => {
    store = await createPostgresStore({ pool, schema });
  });
  afterAll(() => database.drop());

  describeStore('on PostgreSQL', async () => {
    await database.empty();
    return store;
  });
});
