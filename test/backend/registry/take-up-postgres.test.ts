import { createPostgresStore } from 'savepoint/backend/postgres';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeOnPostgres, type TestSchema } from '../../support/on-postgres.js';
import { adminOf, here } from '../../support/operators.js';
import { addWave, createServiceWithPlatforms, secret, signInWithSocial } from '../../support/platforms.js';

describeOnPostgres('two processes on one PostgreSQL', (newSchema) => {
  let database: TestSchema;
  beforeEach(() => {
    database = newSchema();
  });
  afterEach(() => database.drop());

  it('take up within 5 s what is registered and switched off at the other one, and lose no change', async () => {
    const { url, schema } = database;
    const stores = await Promise.all([0, 1].map(() => createPostgresStore({ connectionString: url, schema })));
    const [one, two] = stores.map((store) => createServiceWithPlatforms({ store }));
    if (one === undefined || two === undefined) throw new Error('There are two.');
    const atTwo = async () => (await signInWithSocial(two, `ada:${secret}`, 'wave')).status;
    expect(await atTwo()).toBe(400);
    await addWave(one);
    two.backend.control.advance(5_000);
    expect(await atTwo()).toBe(200);
    const kept = { ...here, name: 'wave', preset: 'wave', settings: { app: 'one' }, isOn: false, version: 1 };
    const both = await Promise.allSettled([one, two].map((service) => adminOf(service).savePlatform(kept)));
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    two.backend.control.advance(5_000);
    expect(await atTwo()).toBe(400);
    expect((await adminOf(one).audit()).entries).toHaveLength(2);
    await Promise.all(stores.map((store) => store.close()));
  });
});
