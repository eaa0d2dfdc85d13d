import { afterAll } from 'vitest';
import { openPostgresStore } from '../../../src/backend/stores/postgres/store.js';
import { describeOnPostgres, type TestSchema } from '../../support/on-postgres.js';
import { describeKills } from './kill-contract.js';

describeOnPostgres('PostgreSQL', (newSchema) => {
  const databases: TestSchema[] = [];
  afterAll(async () => {
    for (const database of databases) await database.drop();
  });

  describeKills('on PostgreSQL', {
    place() {
      const database = newSchema();
      databases.push(database);
      return { kind: 'postgres', url: database.url, schema: database.schema };
    },
    open: (place, steps) => {
      const { url: connectionString, schema } = place as { url: string; schema: string };
      return openPostgresStore({ connectionString, schema }, steps === undefined ? {} : { steps });
    },
  });
});
