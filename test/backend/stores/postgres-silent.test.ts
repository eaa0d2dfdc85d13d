import pg from 'pg';
import { createPostgresStore } from 'savepoint/backend/postgres';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { asUnavailableIfLost, createConnections } from '../../../src/backend/stores/postgres/connection.js';
import { openPool, type PostgresPool } from '../../../src/backend/stores/postgres/pool.js';
import { createPostgresRunner } from '../../../src/backend/stores/postgres/runner.js';
import { openPostgresStore } from '../../../src/backend/stores/postgres/store.js';
import { rows, type Steps } from '../../../src/backend/stores/sql/statement.js';
import { isStoreUnavailable, limitOf } from '../../../src/backend/stores/unavailable.js';
import { postgresTimeouts } from '../../../src/protocol/gaps/postgres-timeouts.js';
import { describeOnPostgres, type TestSchema } from '../../support/on-postgres.js';
import { startRelay, type TcpRelay } from '../../support/tcp-relay.js';
import { key, newLink } from './contract-records.js';

const timeouts = { ...postgresTimeouts, connectMs: 1_500, statementMs: 300, closeMs: 300 };
const options = { connectTimeoutMs: timeouts.connectMs, statementTimeoutMs: timeouts.statementMs };

describeOnPostgres('PostgreSQL behind a network that goes silent', (newSchema) => {
  let database: TestSchema;
  let relay: TcpRelay;
  let url: string;

  beforeAll(async () => {
    database = newSchema();
    const { pool, schema } = database;
    await (await createPostgresStore({ pool, schema })).close();
    await pool.query(`CREATE TABLE "${schema}".marks (name text)`);
  });
  beforeEach(async () => {
    relay = await startRelay(database.url);
    url = relay.through(database.url);
  });
  afterEach(() => relay.close());
  afterAll(() => database.drop());

  const look = (): Steps<unknown> => rows('SELECT name FROM @marks');
  const mark = (name: string): Steps<unknown> => rows('INSERT INTO @marks VALUES ($1)', name);
  const marks = async (name: string): Promise<number> => {
    const found = await database.pool.query(`SELECT name FROM "${database.schema}".marks WHERE name = $1`, [name]);
    return found.rows.length;
  };

  /** A pool before which the network falls silent at the first statement like this: on the way there, or back. */
  function silencedAt(pool: PostgresPool, at: string, way: 'there' | 'back'): PostgresPool {
    let isArmed = true;
    return {
      async connect() {
        const connection = await pool.connect();
        const { query } = connection;
        connection.query = (statement: string | { text: string }, values?: unknown[]) => {
          const text = typeof statement === 'string' ? statement : statement.text;
          if (isArmed && text.startsWith(at)) {
            isArmed = false;
            relay.silence(way === 'there' ? 'all' : 'answers');
          }
          return query.call(connection, statement as string, values);
        };
        return connection;
      },
    };
  }

  it.each([
    ['read', 'SELECT', 'back', 'not done', 0],
    ['readTransaction', 'BEGIN', 'there', 'not done', 0],
    ['readTransaction', 'COMMIT', 'there', 'not done', 0],
    ['transaction', 'BEGIN', 'back', 'not done', 0],
    ['transaction', 'INSERT', 'back', 'not done', 0],
    ['transaction', 'COMMIT', 'there', 'unknown', 0],
    ['transaction', 'COMMIT', 'back', 'unknown', 1],
    ['write', 'INSERT', 'there', 'unknown', 0],
    ['write', 'INSERT', 'back', 'unknown', 1],
  ] as const)('tells what became of a call, in time: %s, %s, %s', async (kind, at, way, told, times) => {
    const name = `${kind}, ${at}, ${way}`;
    const pool = await openPool({ connectionString: url, max: 2 }, timeouts);
    const runner = createPostgresRunner(silencedAt(pool, at, way), database.schema, timeouts);
    const steps = kind === 'read' || kind === 'readTransaction' ? look : () => mark(name);
    const error = await runner[kind](steps).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(Error);
    expect(isStoreUnavailable(error) ? 'not done' : 'unknown').toBe(told);
    await expect.poll(() => marks(name)).toBe(times);
    // The one that was silent is gone, and a new one is made.
    await expect.poll(relay.open).toBe(0);
    relay.speak();
    await runner.write(() => mark(`after ${name}`));
    await pool.end();
  });

  const pools = {
    'of its own': async () => {
      const store = await createPostgresStore({ connectionString: url, schema: database.schema, ...options });
      return { store, end: () => store.close(), removed: null };
    },
    'that it was given': async () => {
      const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: timeouts.connectMs });
      const removed = { count: 0 };
      pool.on('remove', () => {
        removed.count += 1;
      });
      const store = await createPostgresStore({ pool, schema: database.schema, ...options });
      return { store, end: () => pool.end(), removed };
    },
  };

  it.each(['of its own', 'that it was given'] as const)(
    'serves again as soon as one connection of a pool %s was seen to be silent',
    async (whose) => {
      const { store, end, removed } = await pools[whose]();
      await Promise.all(Array.from({ length: 10 }, () => store.findLink(key('device', 'one'))));
      const before = relay.asked();
      expect(relay.open()).toBe(before);
      relay.silence();
      relay.speak();
      // One after the other, so that no more than one of them sees it for itself.
      const first = await store.findLink(key('device', 'one')).catch((failure: unknown) => failure);
      expect(isStoreUnavailable(first)).toBe(true);
      for (let times = 0; times < 20; times += 1) expect(await store.findLink(key('device', 'one'))).toBeNull();
      expect(relay.asked()).toBe(before + 1);
      // Nothing is left open that nobody uses.
      await expect.poll(relay.open).toBe(1);
      // Nor is a socket that waits for the goodbye of who is silent.
      if (removed !== null) await expect.poll(() => removed.count).toBe(before);
      await end();
    },
  );

  it('is not used up by calls that come while nothing passes', async () => {
    const { store, end } = await pools['of its own']();
    relay.silence();
    const told = await Promise.allSettled(Array.from({ length: 40 }, () => store.findLink(key('device', 'one'))));
    expect(told.map((one) => one.status === 'rejected' && isStoreUnavailable(one.reason))).toEqual(
      told.map(() => true),
    );
    relay.speak();
    const link = newLink('device', 'after');
    expect((await store.ensureAccount({ link, accountId: 'after', now: 1 })).created).toBe(true);
    await end();
  });

  it('gives up a pool that never has a connection, and gives back one that comes too late', async () => {
    let give: () => void = () => {};
    const given: unknown[] = [];
    const late: PostgresPool = {
      connect: () =>
        new Promise((resolve) => {
          give = () =>
            resolve({ query: async () => ({ rows: [] }), release: (destroy) => void given.push(destroy ?? 'back') });
        }),
    };
    const take = createConnections(late, { ...timeouts, connectMs: 20 });
    const error = await take().catch((failure: unknown) => failure);
    expect(isStoreUnavailable(error) && limitOf(error)).toEqual({ limitName: 'connectTimeoutMs' });
    give();
    await expect.poll(() => given).toEqual(['back']);
  });

  it('says which limit a statement without an answer has reached', async () => {
    const silent: PostgresPool = {
      connect: async () => ({ query: () => new Promise(() => {}), release() {} }),
    };
    const connection = await createConnections(silent, { ...timeouts, statementMs: 20 })();
    const error = asUnavailableIfLost(await connection.query('SELECT 1').catch((failure: unknown) => failure));
    expect(isStoreUnavailable(error) && limitOf(error)).toEqual({ limitName: 'statementTimeoutMs' });
  });

  it('keeps the connections that have answered since', async () => {
    const store = await createPostgresStore({ connectionString: url, schema: database.schema, ...options });
    await Promise.all(Array.from({ length: 3 }, () => store.findLink(key('device', 'one'))));
    const asked = relay.asked();
    const held = await database.pool.connect();
    await held.query('BEGIN');
    await held.query(`LOCK TABLE "${database.schema}".nonces`);
    // Nobody is silent: one statement waits for another.
    const nonce = { gameId: 'g', nonce: 'n'.repeat(32), expiresAt: 9, now: 1, max: 10 };
    const waiting = store.claimNonce(nonce).catch((failure: unknown) => failure);
    let isOver = false;
    void waiting.then(() => {
      isOver = true;
    });
    while (!isOver) await Promise.all([1, 2].map(() => store.findLink(key('device', 'one'))));
    expect(await waiting).toBeInstanceOf(Error);
    await Promise.all([1, 2].map(() => store.findLink(key('device', 'one'))));
    expect(relay.asked()).toBe(asked);
    await held.query('ROLLBACK');
    held.release();
    await store.close();
  });

  it('lets a store be closed while a statement has no answer', async () => {
    const store = await openPostgresStore(
      { connectionString: url, schema: database.schema, statementTimeoutMs: 60_000 },
      { timeouts },
    );
    await Promise.all(Array.from({ length: 5 }, () => store.findLink(key('device', 'one'))));
    relay.silence();
    const waiting = store.findLink(key('device', 'one')).catch((failure: unknown) => failure);
    // It has its connection by then, and has sent the statement.
    await new Promise((resolve) => setImmediate(resolve));
    await store.close();
    expect(isStoreUnavailable(await waiting)).toBe(true);
    await expect.poll(relay.open).toBe(0);
  });

  it('refuses time-outs that cannot be', async () => {
    for (const wrong of [0, -1, 1.5, Number.NaN, 2 ** 31]) {
      for (const name of ['connectTimeoutMs', 'statementTimeoutMs']) {
        await expect(createPostgresStore({ connectionString: url, [name]: wrong })).rejects.toThrow(name);
      }
    }
  });
});
