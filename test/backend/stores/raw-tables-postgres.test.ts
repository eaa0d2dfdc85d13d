import { setImmediate } from 'node:timers/promises';
import { createPostgresStore } from 'savepoint/backend/postgres';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPostgresTables } from '../../../src/backend/stores/postgres/raw-tables.js';
import { lineOf } from '../../../src/backend/stores/sql/copy-text.js';
import type { CopyPiece, RawTables, TableShape } from '../../../src/backend/stores/sql/raw-tables.js';
import { describeOnPostgres, type TestSchema } from '../../support/on-postgres.js';

describeOnPostgres('the tables of a store on PostgreSQL as they are', (newSchema) => {
  let database: TestSchema;
  let tables: RawTables | null;

  beforeEach(async () => {
    database = newSchema();
    await (await createPostgresStore({ pool: database.pool, schema: database.schema })).close();
    tables = null;
  });
  afterEach(async () => {
    await tables?.close();
    await database.drop();
  });

  /** `platforms` has texts of any length, and a key that is none of them. */
  async function openTarget(): Promise<{ target: RawTables; platforms: TableShape }> {
    const target = await openPostgresTables({ connectionString: database.url, schema: database.schema, as: 'target' });
    tables = target;
    const platforms = target.shapes.find(({ name }) => name === 'platforms');
    if (platforms === undefined) throw new Error('There is no such table.');
    return { target, platforms };
  }

  function rowOf(shape: TableShape, game: string, body = '{}'): CopyPiece {
    const row = { game_id: game, environment: 1, revision: 2, body, former: '[]' };
    return { rows: 1, text: Buffer.from(lineOf(shape, row)) };
  }

  const indexes = async (): Promise<unknown[]> => {
    const text = 'SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = $1 ORDER BY indexname';
    return (await database.pool.query(text, [database.schema])).rows;
  };
  const countOf = async (table: string): Promise<number> =>
    Number((await database.pool.query(`SELECT count(*) FROM "${database.schema}"."${table}"`)).rows[0].count);

  it('have all indexes again once they are filled', async () => {
    const before = await indexes();
    expect(before.length).toBeGreaterThan(30);
    const { target } = await openTarget();
    for (const shape of target.shapes) {
      const pieces = shape.name === 'platforms' ? [rowOf(shape, 'one')] : [];
      await target.fill(shape, from(pieces));
    }
    await target.commit();
    expect(await indexes()).toEqual(before);
    expect(await countOf('platforms')).toBe(1);
  });

  it('have nothing, and all indexes, where a row is refused; and no more is read', async () => {
    const before = await indexes();
    const { target, platforms } = await openTarget();
    let asked = 0;
    async function* endless(): AsyncGenerator<CopyPiece> {
      for (;;) {
        asked += 1;
        yield asked === 3 ? { rows: 1, text: Buffer.from('{}\tone\t[]\tgame\t1\n') } : rowOf(platforms, `key ${asked}`);
        await setImmediate();
      }
    }
    await expect(target.fill(platforms, endless())).rejects.toMatchObject({ code: '22P02' });
    const then = asked;
    await setImmediate();
    expect(asked).toBe(then);
    await target.close();
    tables = null;
    expect([await countOf('platforms'), await indexes()]).toEqual([0, before]);
  });

  it('have nothing where the rows end with a failure', async () => {
    const { target, platforms } = await openTarget();
    async function* failing(): AsyncGenerator<CopyPiece> {
      yield rowOf(platforms, 'one');
      throw new Error('the other store is gone');
    }
    await expect(target.fill(platforms, failing())).rejects.toThrow('the other store is gone');
    await target.close();
    tables = null;
    expect(await countOf('platforms')).toBe(0);
  });

  it.each(['fill', 'read'] as const)('say so where the connection is lost while they %s', async (what) => {
    const { target, platforms } = await openTarget();
    const [row = {}] = await target.query({ text: 'SELECT pg_backend_pid() AS pid', values: [] });
    let asked = 0;
    async function* endless(): AsyncGenerator<CopyPiece> {
      for (;;) {
        asked += 1;
        if (asked === 10) await database.pool.query('SELECT pg_terminate_backend($1)', [row['pid']]);
        yield rowOf(platforms, `key ${asked}`);
        await setImmediate();
      }
    }
    if (what === 'fill') {
      await expect(target.fill(platforms, endless())).rejects.toThrow();
      return;
    }
    await target.fill(platforms, from(large(platforms, 40)));
    const reading = (async () => {
      for await (const _ of target.read(platforms)) {
        asked += 1;
        if (asked === 2) await database.pool.query('SELECT pg_terminate_backend($1)', [row['pid']]);
      }
    })();
    await expect(reading).rejects.toThrow();
    expect(asked).toBeLessThan(40);
  });

  it('hand on rows of any size as they were sent, to one who takes them slowly', async () => {
    const { target, platforms } = await openTarget();
    const sent = [...large(platforms, 24), ...Array.from({ length: 3_000 }, (_, n) => rowOf(platforms, `small ${n}`))];
    await target.fill(platforms, from(sent));
    const read: CopyPiece[] = [];
    for await (const piece of target.read(platforms)) {
      for (let turns = 0; turns < 20; turns += 1) await setImmediate();
      read.push({ rows: piece.rows, text: Buffer.from(piece.text) });
    }
    const lines = (pieces: readonly CopyPiece[]): string[] =>
      Buffer.concat(pieces.map(({ text }) => text))
        .toString('utf8')
        .split('\n');
    expect(read.reduce((sum, { rows }) => sum + rows, 0)).toBe(sent.length);
    expect(lines(read).filter((line) => line !== '')).toEqual(
      lines(sent)
        .filter((line) => line !== '')
        .sort(byGame),
    );
  });

  const gameIn = (line: string): string => line.split('\t')[3] ?? '';
  const byGame = (one: string, other: string): number => (gameIn(one) < gameIn(other) ? -1 : 1);

  /** Rows of 1 MB. */
  function large(shape: TableShape, count: number): CopyPiece[] {
    return Array.from({ length: count }, (_, n) => rowOf(shape, `large ${n}`, String(n).repeat(1_000_000)));
  }
});

async function* from(pieces: readonly CopyPiece[]): AsyncGenerator<CopyPiece> {
  yield* pieces;
}
