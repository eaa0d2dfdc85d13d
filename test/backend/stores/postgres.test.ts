import pg from 'pg';
import { createPostgresStore, type PostgresStore } from 'savepoint/backend/postgres';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPostgresTables } from '../../../src/backend/stores/postgres/raw-tables.js';
import { migrations } from '../../../src/backend/stores/sql/migrations.js';
import { describeOnPostgres } from '../../support/on-postgres.js';
import { watchPool } from '../../support/watched-pool.js';
import { brokenRules } from './sql/broken-rules.js';
import { fillTables, scannedFor } from './sql/plans.js';
import { describeStore } from './store-contract.js';

describeOnPostgres('PostgreSQL', (newSchema) => {
  const database = newSchema();
  const { pool, schema } = database;
  const watched = watchPool(pool);
  let store: PostgresStore;

  beforeAll(async () => {
    store = await createPostgresStore({ pool: watched, schema });
  });
  afterAll(() => database.drop());

  describeStore('on PostgreSQL', async () => {
    await database.empty();
    return store;
  });

  /** What `savepoint move` sends, on connections of its own. None of it is committed. */
  async function sentByMove(): Promise<string[]> {
    const query = vi.spyOn(pg.Client.prototype, 'query');
    await (await openPostgresTables({ connectionString: database.url, schema, as: 'snapshot' })).close();
    const tables = await openPostgresTables({ connectionString: database.url, schema, as: 'source' });
    for (const shape of tables.shapes) {
      await tables.fill(shape, nothing());
      for await (const _ of tables.read(shape));
      const key = shape.key.map((column) => (shape.integers.includes(column) ? '7' : 'seven'));
      for await (const _ of tables.read(shape, { after: key, to: key }));
      await tables.replace(shape, { removed: [key], added: { rows: 0, text: new Uint8Array() } });
    }
    await tables.markMoved(0);
    await tables.close();
    // A COPY is a query of our own, which has its text with it.
    const sent = query.mock.calls.map(([given]) => given as unknown as string | { text: string });
    const texts = sent.map((given) => (typeof given === 'string' ? given : given.text));
    query.mockRestore();
    return texts;
  }

  // It looks at what the tests above have had the store send.
  describe('all that was sent to it', () => {
    it('is SQL that Citus, YugabyteDB and CockroachDB document as theirs, but for the exceptions', async () => {
      expect(watched.sent.size).toBeGreaterThan(180);
      const texts = [...watched.sent.keys(), ...(await sentByMove())];
      const { unexcused, unused } = await brokenRules(texts.map((text) => text.replaceAll(`"${schema}".`, '@')));
      expect(unexcused).toEqual([]);
      expect(unused).toEqual([]);
    });

    it('is answered along indexes, and reads no table that grows from end to end', async () => {
      // A migration reads what there is, once.
      const once = new Set(migrations.flat().map((text) => text.replaceAll('@', `"${schema}".`)));
      // Whoever writes all players out reads them all, and counts them first.
      const readsAll = (text: string): boolean => text.includes('count(*) AS accounts');
      const asked = [...watched.sent].filter(
        ([text]) => /^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)\b/.test(text) && !once.has(text) && !readsAll(text),
      );
      expect(asked.length).toBeGreaterThan(120);
      await database.empty();
      await fillTables(database, 100_000);
      const scanning = [];
      for (const [text, values] of asked) {
        for (const table of await scannedFor(pool, text, values)) scanning.push({ table, text });
      }
      expect(scanning).toEqual([]);
    }, 120_000);
  });
});

async function* nothing(): AsyncGenerator<never> {}
