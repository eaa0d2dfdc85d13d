import prometheus from 'prom-client';
import { createPostgresStore, type PostgresStore } from 'savepoint/backend/postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHealth } from '../../src/cli/serve/health.js';
import { createMetrics } from '../../src/cli/serve/metrics.js';
import { describeOnPostgres } from '../support/on-postgres.js';
import { createTestService } from '../support/service.js';

describeOnPostgres('the metrics of a service on PostgreSQL', (newSchema) => {
  const database = newSchema();
  const opened: PostgresStore[] = [];

  /** What is told of the pool of connections, each time that somebody asks. */
  async function measured(maxConnections: number) {
    const { url: connectionString, schema } = database;
    const store = await createPostgresStore({ connectionString, schema, maxConnections });
    opened.push(store);
    const { load } = createTestService({ store }).backend;
    const metrics = createMetrics(prometheus, { version: '1.2.3', now: () => 0 });
    const { connections } = store;
    metrics.watch({ load, health: createHealth(store), connections, isDraining: () => false, warnings: () => [] });
    return async (): Promise<{ [name: string]: number }> => {
      const found = (await metrics.text()).matchAll(/^savepoint_(?:postgres|store)_(\w+)(?:{\w+="(\w+)"})? (\d+)$/gm);
      return Object.fromEntries([...found].map(([, name, label, value]) => [label ?? name, Number(value)]));
    };
  }

  beforeAll(async () => {
    // Makes the schema, so that no other store waits for that.
    await (await createPostgresStore({ connectionString: database.url, schema: database.schema })).close();
  });
  afterAll(async () => {
    for (const store of opened) await store.close();
    await database.drop();
  });

  it.each([1, 2, 10])('tell of no call that waits while nobody asks anything, of %d connections', async (max) => {
    const read = await measured(max);
    for (let times = 0; times < 3; times += 1) {
      expect(await read()).toMatchObject({ reads: 1, writes: 1, busy: 0, waiting: 0, connections_limit: max });
    }
  });
});
