import { createPostgresStore } from 'savepoint/backend/postgres';
import { afterAll, beforeAll, vi } from 'vitest';
import { describeOnPostgres } from '../../support/on-postgres.js';
import { describeWorld } from './world/property.js';

vi.mock(import('../../../src/protocol/gaps/sizes.js'), async (original) =>
  (await import('./small-sizes.js')).smallSizes(original),
);

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

  describeWorld('PostgreSQL', () => store, 1 / 3);
});
