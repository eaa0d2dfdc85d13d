import { createPostgresStore } from 'savepoint/backend/postgres';
import { afterAll, beforeAll } from 'vitest';
import { describeOnPostgres } from '../../support/on-postgres.js';
import { describeWorld } from './world/property.js';

describeOnPostgres('PostgreSQL', (newSchema) => {
  const { pool, schema, drop } = newSchema();
  let store: Awaited<ReturnType<typeof createPostgresStore>>;
  beforeAll(async () => {
    store = await createPostgresStore({ pool, schema });
  });
  afterAll(async () => {
    await store.close();
    await drop();
  });

  describeWorld('PostgreSQL', () => store, { few: 100, part: 1 / 3 });
});
