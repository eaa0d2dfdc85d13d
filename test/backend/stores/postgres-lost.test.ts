import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isLost } from '../../../src/backend/stores/postgres/connection.js';
import type { PostgresConnection, PostgresPool } from '../../../src/backend/stores/postgres/pool.js';
import { createPostgresRunner } from '../../../src/backend/stores/postgres/runner.js';
import { rows, type Steps } from '../../../src/backend/stores/sql/statement.js';
import { isStoreUnavailable } from '../../../src/backend/stores/unavailable.js';
import { postgresTimeouts } from '../../../src/protocol/gaps/postgres-timeouts.js';
import { describeOnPostgres, type TestSchema } from '../../support/on-postgres.js';

describeOnPostgres('a connection to PostgreSQL that is lost', (newSchema) => {
  let database: TestSchema;

  beforeAll(async () => {
    database = newSchema();
    await database.pool.query(`CREATE SCHEMA "${database.schema}"`);
    await database.pool.query(`CREATE TABLE "${database.schema}".marks (name text)`);
  });
  afterAll(() => database.drop());

  /** A pool whose connection the server ends at the first statement like this: before it is sent, or before its answer comes. */
  function losing(at: string, when: 'before' | 'after'): PostgresPool {
    const { pool } = database;
    let isArmed = true;
    const end = async (connection: pg.PoolClient): Promise<void> => {
      isArmed = false;
      const ended = new Promise((resolve) => connection.once('end', resolve));
      const { processID } = connection as pg.PoolClient & { processID: number };
      await pool.query('SELECT pg_terminate_backend($1)', [processID]);
      await ended;
    };
    return {
      async connect() {
        const connection = await pool.connect();
        return {
          async query(text, values) {
            const isHere = isArmed && text.startsWith(at);
            if (isHere && when === 'before') await end(connection);
            const result = await connection.query(text, values);
            if (!isHere || when === 'before') return result;
            await end(connection);
            throw new Error('Connection terminated unexpectedly');
          },
          release: (destroy) => connection.release(destroy),
          on: (event, listener) => connection.on(event, listener),
          off: (event, listener) => connection.off(event, listener),
        };
      },
    };
  }

  function* mark(name: string): Steps<void> {
    yield* rows('INSERT INTO @marks VALUES ($1)', name);
  }
  function* look(): Steps<void> {
    yield* rows('SELECT name FROM @marks');
  }
  const marks = async (name: string): Promise<number> => {
    const found = await database.pool.query(`SELECT name FROM "${database.schema}".marks WHERE name = $1`, [name]);
    return found.rows.length;
  };

  /** What somebody is told who has it done on a connection that is lost there, and how often it is done. */
  async function outcome(
    kind: 'read' | 'readTransaction' | 'write' | 'transaction',
    at: string,
    when: 'before' | 'after',
  ) {
    const name = `${kind}, ${at}, ${when}`;
    const runner = createPostgresRunner(losing(at, when), database.schema);
    const steps = kind === 'read' || kind === 'readTransaction' ? look : () => mark(name);
    const error = await runner[kind](steps).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(Error);
    return { told: isStoreUnavailable(error) ? 'not done' : 'unknown', times: await marks(name) };
  }

  it.each([
    ['BEGIN', 'before'],
    ['BEGIN', 'after'],
    ['INSERT', 'before'],
    ['INSERT', 'after'],
  ] as const)('leaves nothing of a transaction, and says so: %s, %s', async (at, when) => {
    expect(await outcome('transaction', at, when)).toEqual({ told: 'not done', times: 0 });
  });

  it.each([
    ['transaction', 'COMMIT', 'before', 0],
    ['transaction', 'COMMIT', 'after', 1],
    ['write', 'INSERT', 'before', 0],
    ['write', 'INSERT', 'after', 1],
  ] as const)('is not called not done from where it may be done: %s, %s, %s', async (kind, at, when, times) => {
    expect(await outcome(kind, at, when)).toEqual({ told: 'unknown', times });
  });

  it.each([
    ['read', 'SELECT', 'before'],
    ['read', 'SELECT', 'after'],
    ['readTransaction', 'SELECT', 'after'],
    ['readTransaction', 'COMMIT', 'after'],
  ] as const)('is of no consequence to what reads: %s, %s, %s', async (kind, at, when) => {
    expect(await outcome(kind, at, when)).toEqual({ told: 'not done', times: 0 });
  });

  it.each(['write', 'transaction'] as const)(
    'takes a read-only server for one that has done nothing: %s',
    async (kind) => {
      const connectionString = `${database.url}?options=${encodeURIComponent('-c default_transaction_read_only=on')}`;
      const pool = new pg.Pool({ connectionString });
      const runner = createPostgresRunner(pool, database.schema);
      const ids = new Set<unknown>();
      pool.on('connect', (connection) => ids.add(connection));
      for (const times of [1, 2, 3]) {
        const error = await runner[kind](() => mark('read-only')).catch((failure: unknown) => failure);
        expect(isStoreUnavailable(error) && error.message).toBe('The store cannot be reached (25006).');
        // Another connection may lead to another server.
        expect(ids.size).toBe(times);
      }
      expect(await marks('read-only')).toBe(0);
      await pool.end();
    },
  );

  it('ends a transaction that does nothing, so that nobody else waits for it', async () => {
    const { pool, schema } = database;
    let ended: Promise<unknown> = Promise.resolve();
    const hanging: PostgresPool = {
      async connect() {
        const connection = await pool.connect();
        const query: PostgresConnection['query'] = async (text, values) => {
          if (text === 'COMMIT') await ended;
          return connection.query(text, values);
        };
        ended = new Promise((resolve) => connection.once('end', resolve));
        const { on, off } = connection;
        return {
          query,
          on: on.bind(connection),
          off: off.bind(connection),
          release: (destroy) => connection.release(destroy),
        };
      },
    };
    const hangs = createPostgresRunner(hanging, schema, { ...postgresTimeouts, idleInTransactionMs: 50 });
    const error = await hangs.transaction(() => mark('hangs')).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(Error);
    expect(await marks('hangs')).toBe(0);
    await createPostgresRunner(pool, schema).transaction(() => mark('after'));
  });

  it('has its time-outs for a transaction only, in the round trip that begins it', async () => {
    const { schema } = database;
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    const texts: string[] = [];
    const watched: PostgresPool = {
      async connect() {
        const connection = await pool.connect();
        return {
          query: (text, values) => {
            texts.push(text.split(/[ ;]/)[0] ?? '');
            return connection.query(text, values);
          },
          release: (destroy) => connection.release(destroy),
        };
      },
    };
    const runner = createPostgresRunner(watched, schema, { ...postgresTimeouts, statementMs: 1_234 });
    const look = `SELECT current_setting('statement_timeout') AS statement,
      current_setting('idle_in_transaction_session_timeout') AS idle`;
    expect(await runner.transaction(() => rows(look))).toEqual([{ statement: '1234ms', idle: '15s' }]);
    expect(texts).toEqual(['BEGIN', 'SELECT', 'COMMIT']);
    expect(await runner.read(() => rows(look))).toEqual([{ statement: '0', idle: '0' }]);
    await pool.end();
  });

  it('is not used again, and leaves no listener behind', async () => {
    const runner = createPostgresRunner(database.pool, database.schema);
    await createPostgresRunner(losing('INSERT', 'before'), database.schema)
      .transaction(() => mark('once'))
      .catch(() => {});
    for (let times = 0; times < 20; times += 1) await runner.transaction(() => mark('often'));
    expect([await marks('once'), await marks('often')]).toEqual([0, 20]);
    const connection = await database.pool.connect();
    expect(connection.listenerCount('error')).toBe(0);
    connection.release();
  });

  it('that cannot be had at all says only a code of the reason', async () => {
    const connectionString = 'postgres://geheim:geheim@127.0.0.1:1/geheim';
    const pool = new pg.Pool({ connectionString });
    const error = await createPostgresRunner(pool, 'a')
      .write(() => rows('SELECT 1'))
      .catch((failure: unknown) => failure);
    expect(isStoreUnavailable(error) && error.message).toBe('The store cannot be reached (ECONNREFUSED).');
    expect(isStoreUnavailable(error) && error.stack).not.toContain('geheim');
    await pool.end();
  });

  it('in a pool that has none free says so in time', async () => {
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    const held = await pool.connect();
    // From here on: on a busy machine the connection that is held may take longer than that to be made.
    pool.options.connectionTimeoutMillis = 50;
    const error = await createPostgresRunner(pool, 'a')
      .write(() => rows('SELECT 1'))
      .catch((failure: unknown) => failure);
    expect(isStoreUnavailable(error)).toBe(true);
    held.release();
    await pool.end();
  });

  it.each([
    ['ECONNRESET', '', true],
    ['EPIPE', '', true],
    ['57P01', '', true],
    ['08006', '', true],
    [undefined, 'Connection terminated unexpectedly', true],
    ['23505', '', false],
    ['40001', '', false],
    ['53100', '', false],
    ['25006', '', false],
    ['ERR_INVALID_ARG_TYPE', '', false],
    [undefined, 'column version holds no safe integer', false],
  ])('is told from other failures: %s %s', (code, message, lost) => {
    expect(isLost(Object.assign(new Error(message), code === undefined ? {} : { code }))).toBe(lost);
  });
});
