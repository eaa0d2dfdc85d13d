import { afterAll } from 'vitest';
import { createPostgresStore, type PostgresStore } from '../../../src/backend/postgres.js';
import { describeOnPostgres } from '../../support/on-postgres.js';
import { describeInFlight } from './in-flight-contract.js';

describeOnPostgres('PostgreSQL', (newSchema) => {
  const database = newSchema();
  const { url, schema } = database;
  afterAll(() => database.drop());

  // Each store has connections of its own, so that services share nothing but the database, as processes do.
  describeInFlight('on PostgreSQL', () => {
    const opened: PostgresStore[] = [];
    return {
      async open() {
        const store = await createPostgresStore({ connectionString: url, schema, maxConnections: 3 });
        opened.push(store);
        return store;
      },
      async end() {
        for (const store of opened) await store.close();
        await database.empty();
      },
    };
  });
});
