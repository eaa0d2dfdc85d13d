import { createPostgresStore } from 'savepoint/backend/postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Store } from '../../../src/backend/stores/store.js';
import { describeOnPostgres } from '../../support/on-postgres.js';
import { watchPool } from '../../support/watched-pool.js';
import { scope } from './contract-records.js';
import { fillTables } from './sql/plans.js';

const place = { at: 5_000, id: 'a-5000' };

describeOnPostgres('an operator on PostgreSQL with many accounts', (newSchema) => {
  const database = newSchema();
  const { pool, schema } = database;
  const watched = watchPool(pool);
  let store: Store;

  beforeAll(async () => {
    store = await createPostgresStore({ pool: watched, schema });
    await fillTables(database, 10_000, ['accounts', 'account_links', 'sessions', 'tickets', 'choices']);
  });
  afterAll(() => database.drop());

  it('reads no more rows of a list than a page has', async () => {
    watched.sent.clear();
    await store.listAccounts({ scope, list: 'newest', after: place, max: 50, now: 1 });
    const [[text, values] = ['', []]] = watched.sent;
    const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
    const read = [...JSON.stringify(rows).matchAll(/"Actual Rows":([\d.]+)/g)].map(([, count]) => Number(count));
    expect(Math.max(...read)).toBeLessThanOrEqual(100);
  });

  it('reads the open conflicts of a page alone', async () => {
    watched.sent.clear();
    const found = await store.listOpenConflicts({ scope, after: null, max: 50, now: 1 });
    expect(found).toHaveLength(50);
    const [[text, values] = ['', []]] = watched.sent;
    const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
    expect(JSON.stringify(rows)).toContain('tickets_open');
    expect(JSON.stringify(rows)).not.toMatch(/"Seq Scan"|"Sort"/);
    const read = [...JSON.stringify(rows).matchAll(/"Actual Rows":([\d.]+)/g)].map(([, count]) => Number(count));
    expect(Math.max(...read)).toBeLessThanOrEqual(100);
  });

  it('reads the choices of a page alone', async () => {
    watched.sent.clear();
    const found = await store.listChoices({ scope, after: place, max: 50, now: 1 });
    expect(found).toHaveLength(50);
    const [[text, values] = ['', []]] = watched.sent;
    const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
    expect(JSON.stringify(rows)).toContain('choices_of_game');
    expect(JSON.stringify(rows)).not.toMatch(/"Seq Scan"|"Sort"/);
    const read = [...JSON.stringify(rows).matchAll(/"Actual Rows":([\d.]+)/g)].map(([, count]) => Number(count));
    expect(Math.max(...read)).toBeLessThanOrEqual(100);
  });
});
