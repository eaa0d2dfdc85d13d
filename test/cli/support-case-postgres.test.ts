import { afterAll, expect, it } from 'vitest';
import { describeOnPostgres } from '../support/on-postgres.js';
import { testOperatorKey } from '../support/operators.js';
import { setUpServe } from './served.js';
import { playSupportCase } from './support-case.js';

describeOnPostgres('a support case on PostgreSQL', (newSchema) => {
  const database = newSchema();
  const { serve, whole, file, endAll } = setUpServe();
  afterAll(async () => {
    await endAll();
    await database.drop();
  });

  it('gives a player who has merged wrongly the save back while the game runs', { timeout: 60_000 }, async () => {
    const store = `${database.url}?schema=${database.schema}`;
    const service = await serve([], {
      env: { ...whole(), SAVEPOINT_STORE: store, SAVEPOINT_OPERATOR_KEY: testOperatorKey },
    });
    expect(service.lines()[0].store).toBe('postgres');
    await playSupportCase({ file: file(), url: service.url, operatorKey: testOperatorKey });
  });
});
