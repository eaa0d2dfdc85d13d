import { afterAll } from 'vitest';
import { describeOnPostgres } from '../../support/on-postgres.js';
import { describeService } from './service-contract.js';

describeOnPostgres('PostgreSQL', (newSchema) => {
  const database = newSchema();
  const { url, schema } = database;
  afterAll(() => database.drop());

  describeService('on PostgreSQL', () => ({ kind: 'postgres', url, schema }), { processes: 2, survives: true });
});
