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
    await fillTables(database, 10_000, ['accounts', 'account_links', 'sessions', 'tickets', 'choices', 'entries']);
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

  it('reads the latest writes among the entries of the account alone, and none of its values', async () => {
    const owner = { ...scope, accountId: 'a-5000' };
    const large = 'x'.repeat(150_000);
    await pool.query(
      `INSERT INTO "${schema}".entries (account_id, environment, game_id, collection, key, version, changed_at, body)
        SELECT $1, 0, $2, 'many', 'k-' || n, 0, n % 100, $3 FROM generate_series(1, 300) AS n`,
      [owner.accountId, owner.gameId, JSON.stringify({ large })],
    );
    watched.sent.clear();
    const found = await store.listWrites({ owner, after: { at: 50, collection: '', key: '' }, max: 50 });
    expect([found.length, found[0]?.changedAt, found[0]?.bytes]).toEqual([50, 49, large.length + 12]);
    const [[text, values] = ['', []]] = watched.sent;
    const { rows } = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
    const plan = JSON.stringify(rows);
    expect(plan).toContain('entries_pkey');
    expect(plan).toContain('top-N heapsort');
    expect(plan).not.toContain('"Seq Scan"');
    const read = [...plan.matchAll(/"Actual Rows":([\d.]+)/g)].map(([, count]) => Number(count));
    expect(Math.max(...read)).toBeLessThanOrEqual(301);
    const buffers = [...plan.matchAll(/"Shared (?:Hit|Read) Blocks":(\d+)/g)].map(([, count]) => Number(count));
    expect(Math.max(...buffers)).toBeLessThan(400);
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
