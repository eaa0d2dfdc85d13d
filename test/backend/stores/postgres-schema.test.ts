import pg from 'pg';
import { createPostgresStore } from 'savepoint/backend/postgres';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PostgresConnection, PostgresPool } from '../../../src/backend/stores/postgres/pool.js';
import { createPostgresRunner } from '../../../src/backend/stores/postgres/runner.js';
import { openPostgresStore } from '../../../src/backend/stores/postgres/store.js';
import { migrations } from '../../../src/backend/stores/sql/migrations.js';
import { rows } from '../../../src/backend/stores/sql/statement.js';
import { describeOnPostgres, type TestSchema } from '../../support/on-postgres.js';
import { key, newLink, owner, quotas, snapshot } from './contract-records.js';
import { entryOfTheFirstVersion, expectLedger } from './first-version.js';

const second = ['CREATE TABLE @later (name text)', 'INSERT INTO @later (name) SELECT account_id FROM @accounts'];

interface Sent {
  text: string;
  values: unknown[];
}

/** A pool whose statements are counted, and may be answered by something else. */
function watched(
  pool: PostgresPool,
  instead: (text: string) => void = () => {},
): PostgresPool & { texts: string[]; sent: Sent[] } {
  const texts: string[] = [];
  const sent: Sent[] = [];
  const note = (text: string, values: unknown[] = []): void => {
    texts.push(text);
    sent.push({ text, values });
    instead(text);
  };
  return {
    texts,
    sent,
    async connect(): Promise<PostgresConnection> {
      const connection = await pool.connect();
      return {
        async query(text, values) {
          note(text, values);
          return connection.query(text, values);
        },
        release: (destroy) => connection.release(destroy),
      };
    },
  };
}

describeOnPostgres('PostgreSQL', (newSchema) => {
  let database: TestSchema;
  const open = (steps = migrations) => {
    const { pool, schema } = database;
    return openPostgresStore({ pool, schema }, { steps });
  };
  const account = async () => {
    const store = await open();
    await store.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
    return store;
  };

  beforeEach(() => {
    database = newSchema();
  });
  afterEach(() => database.drop());

  it('is given its schema by one of many processes that start at once', async () => {
    const { url, schema } = database;
    const stores = await Promise.all(
      Array.from({ length: 8 }, () => createPostgresStore({ connectionString: url, maxConnections: 2, schema })),
    );
    const link = newLink('device', 'one');
    const made = await Promise.all(
      stores.map((store, index) => store.ensureAccount({ link, accountId: `a${index}`, now: 1 })),
    );
    expect(made.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(made.map((one) => one.link.accountId)).size).toBe(1);
    for (const store of stores) await store.close();
  });

  it('is brought up to date by the next version, by one of two', async () => {
    await account();
    await Promise.all([open([...migrations, second]), open([...migrations, second])]);
    const { rows: found } = await database.pool.query(`SELECT name FROM "${database.schema}".later`);
    expect(found).toEqual([{ name: 'a' }]);
  });

  it('gives the entries of the first version a ledger', async () => {
    await open(migrations.slice(0, 1));
    const { pool, schema } = database;
    for (const text of entryOfTheFirstVersion(`"${schema}".`)) await pool.query(text);
    await expectLedger(await open());
  });

  it('is left as it was by a migration that fails half way', async () => {
    await account();
    await expect(open([...migrations, [...second, 'SELECT * FROM @nowhere']])).rejects.toThrow(/nowhere/);
    const store = await open();
    expect(await store.readAccount(owner('a'))).not.toBeNull();
    await open([...migrations, second]);
  });

  it('is refused where its schema is newer', async () => {
    await open([...migrations, second]);
    await expect(open()).rejects.toThrow(`The schema has version ${migrations.length + 1}`);
  });

  it('takes an update as one statement, forced or not, and keeps what a forced one overwrites', async () => {
    await account();
    const pool = watched(database.pool);
    const store = await createPostgresStore({ pool, schema: database.schema });
    let names = 0;
    const write = (version: number, text: string, isNamed = false) =>
      store.updateEntry({
        ...(isNamed ? { name: { device: 'd', write: `w-${++names}` }, times: '{"n":1}' } : {}),
        owner: owner('a'),
        sessionId: null,
        collection: 'c',
        key: "it's",
        text,
        version,
        snapshot: snapshot(`lost-${text}`, { max: 2 }),
        quotas: quotas(10),
        now: 5,
      });
    await write(-1, '{"n":0}');
    const statements: number[] = [];
    for (const [version, text] of [
      [0, '{"n":1}'],
      [-1, '{"n":"\\u0000é\\""}'],
      [-1, '{"n":"\\u0000é\\""}'],
      [-1, '{"n":3}'],
      [-1, '{"n":4}'],
    ] as const) {
      pool.texts.length = 0;
      expect((await write(version, text)).outcome).toBe('written');
      statements.push(pool.texts.length);
    }
    expect(statements).toEqual([1, 1, 1, 1, 1]);
    // A device that writes the entry for the first time enters its ledger, in a transaction.
    expect(await write(5, '{"n":4}', true)).toEqual({ outcome: 'written', version: 6 });
    for (const version of [6, -1, 8]) {
      pool.texts.length = 0;
      expect(await write(version, '{"n":4}', true)).toEqual({ outcome: 'written', version: names + 5 });
      expect(pool.texts).toHaveLength(1);
    }
    const kept = await store.listSnapshots({ owner: owner('a'), now: 6 });
    expect(kept.map(({ snapshotId, bytes }) => [snapshotId, bytes])).toEqual([
      ['lost-{"n":4}', 7],
      ['lost-{"n":3}', Buffer.byteLength('{"n":"\\u0000é\\""}')],
    ]);
    const found = await store.readSnapshot({ key: { ...owner('a'), snapshotId: 'lost-{"n":3}' }, now: 6 });
    const entry = { collection: 'c', key: "it's", text: '{"n":"\\u0000é\\""}', version: 3, changedAt: 5 };
    expect(found?.entries).toEqual([entry]);
  });

  it('finds what has expired by an index, in tables with many rows', async () => {
    const { schema, pool } = database;
    const watching = watched(pool);
    const store = await createPostgresStore({ pool: watching, schema });
    await pool.query(
      `INSERT INTO "${schema}".nonces SELECT md5(n::text), 'game-' || n % 3, n FROM generate_series(1, 200000) AS n`,
    );
    await pool.query(`ANALYZE "${schema}".nonces`);
    const sweep = (now: number) => store.removeExpired({ now, batch: 200, orphanedBefore: 0, deletedBefore: 0 });
    for (const [now, removed] of [
      [0, 0],
      [100, 100],
      [150_000, 200],
    ] as const) {
      watching.sent.length = 0;
      expect(await sweep(now)).toBe(removed);
      const { text, values } = watching.sent[0] ?? { text: '', values: [] };
      expect(text).toContain(`"${schema}".nonces`);
      const plan = JSON.stringify((await pool.query(`EXPLAIN (FORMAT JSON) ${text}`, values)).rows);
      expect(plan).toContain('nonces_expiry');
      expect(plan).not.toContain('Seq Scan');
    }
  });

  it('tries again what another transaction came across', async () => {
    for (const code of ['40001', '40P01', '23505', '42P07', '42710', '42P06']) {
      let failures = 2;
      const pool = watched(database.pool, (text) => {
        if (!text.startsWith('INSERT') || failures === 0) return;
        failures -= 1;
        throw Object.assign(new Error('crossed'), { code });
      });
      const store = await createPostgresStore({ pool: database.pool, schema: database.schema });
      await store.close();
      const crossed = await createPostgresStore({ pool, schema: database.schema });
      const link = newLink('device', code);
      expect((await crossed.ensureAccount({ link, accountId: code, now: 1 })).created).toBe(true);
      expect(failures).toBe(0);
      expect((await crossed.findLink(key('device', code)))?.accountId).toBe(code);
    }
  });

  it('gives up on what is crossed again and again, and on any other error at once', async () => {
    let tries = 0;
    const failing = (code: string) =>
      createPostgresRunner(
        watched(database.pool, () => {
          tries += 1;
          throw Object.assign(new Error(code), { code });
        }),
        database.schema,
      );
    await expect(failing('40001').write(() => rows('SELECT 1'))).rejects.toThrow('40001');
    expect(tries).toBe(20);
    tries = 0;
    await expect(failing('57014').write(() => rows('SELECT 1'))).rejects.toThrow('57014');
    expect(tries).toBe(1);
    // The server has undone the statement, and there may be room again later.
    const full = failing('53100').write(() => rows('SELECT 1'));
    await expect(full).rejects.toMatchObject({ name: 'StoreUnavailable', message: expect.stringContaining('53100') });
  });

  it('two transactions that wait for each other both come through', async () => {
    const { pool, schema } = database;
    const runner = createPostgresRunner(pool, schema);
    await open();
    await runner.transaction(() =>
      rows("INSERT INTO @attempts VALUES ('a', 0, 0, 0, 0, 0, 0), ('b', 0, 0, 0, 0, 0, 0)"),
    );
    const raise = (...keys: string[]) =>
      runner.transaction(function* () {
        for (const name of keys) yield* rows('UPDATE @attempts SET count = count + 1 WHERE key = $1', name);
      });
    await Promise.all(Array.from({ length: 4 }, (_, index) => (index % 2 === 0 ? raise('a', 'b') : raise('b', 'a'))));
    const counts = await runner.read(() => rows('SELECT count FROM @attempts'));
    expect(counts).toEqual([{ count: '4' }, { count: '4' }]);
  });

  it('leaves a pool open that was given, and refuses options that cannot be', async () => {
    const store = await open();
    await store.close();
    expect((await database.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    const pool: PostgresPool = new pg.Pool();
    for (const wrong of [
      {},
      { pool, connectionString: 'postgres://x' },
      { pool, schema: 'Robert"; DROP' },
      { pool, maxConnections: 0 },
    ]) {
      await expect(createPostgresStore(wrong)).rejects.toThrow(TypeError);
    }
  });
});
