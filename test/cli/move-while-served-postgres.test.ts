import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createPostgresStore } from 'savepoint/backend/postgres';
import { createSqliteStore } from 'savepoint/backend/sqlite';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { openPostgresTables } from '../../src/backend/stores/postgres/raw-tables.js';
import { openSqliteTables } from '../../src/backend/stores/sqlite/raw-tables.js';
import { carryOver } from '../../src/cli/move/carry-over.js';
import { newSigningKey } from '../../src/cli/new-key.js';
import { describeOnPostgres, type TestSchema } from '../support/on-postgres.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { contentOf, fillStore } from './filled-store.js';
import { runCommand } from './in-process.js';
import { playOn } from './move-while-served.js';

describeOnPostgres('savepoint move from a database that a service has open', (newSchema) => {
  const made: TestSchema[] = [];
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  afterAll(async () => {
    for (const schema of made) await schema.drop();
  });

  function another(): { database: TestSchema; address: string } {
    const database = newSchema();
    made.push(database);
    return { database, address: `${database.url}?schema=${database.schema}` };
  }
  const move = (from: string, to: string) =>
    runCommand(['move', '--json'], { env: { SAVEPOINT_STORE: from, SAVEPOINT_MOVE_TO: to } });

  it('loses nothing that was written meanwhile, goes on to answer reads, and signs nobody out', async () => {
    const file = join(folder, 'filled.db');
    await fillStore(file, 300);
    const [{ database, address }, next] = [another(), another()];
    expect((await move(file, address)).code).toBe(0);
    const store = await createPostgresStore({ pool: database.pool, schema: database.schema });
    const playing = await playOn(store, await newSigningKey());
    const { code, out, err } = await move(address, next.address);
    await expect.poll(() => playing.counts().readsBeside, { timeout: 15_000 }).toBeGreaterThan(20);
    await playing.end();
    expect([code, err]).toEqual([0, expect.stringContaining('catch up [')]);
    const said = JSON.parse(out);
    expect(said.changed).toBeGreaterThan(0);
    expect(said.heldSeconds).toBeLessThan(said.seconds);
    const moved = await createPostgresStore({ pool: next.database.pool, schema: next.database.schema });
    const { found, told } = await playing.goOnAt(moved);
    expect(found).toEqual(told);
  });

  it('changes, adds and removes rows with odd keys, in every table and in parts of any size', async () => {
    const [before, now] = [join(folder, 'before.db'), join(folder, 'now.db')];
    await fillStore(before, 150);
    await fillStore(now, 300);
    for (const partBytes of [1, 1e9]) {
      const io = { err: () => {}, stop: new AbortController().signal } as never;
      // From few rows to many others, and back.
      for (const [first, second] of [
        [before, now],
        [now, before],
      ] as const) {
        const copy = join(folder, `${partBytes}-${first === before}.db`);
        await (await createSqliteStore({ file: copy })).close();
        const target = another().database;
        await (await createPostgresStore({ pool: target.pool, schema: target.schema })).close();
        const to = { connectionString: target.url, schema: target.schema };
        const unmarked = async (file: string) => {
          const tables = await openSqliteTables(file, 0);
          return { ...tables, markMoved: async () => {} };
        };
        const source = { snapshot: () => unmarked(first), hold: () => unmarked(second) };
        const openTarget = () => openPostgresTables({ ...to, as: 'target' });
        const { changed } = await carryOver(source, openTarget, { io, check: async () => {}, partBytes });
        expect(changed).toBeGreaterThan(100);
        const back = { snapshot: async () => null, hold: () => openPostgresTables({ ...to, as: 'source' }) };
        await carryOver(back, () => openSqliteTables(copy, 0), { io, check: async () => {} });
        expect(await contentOf(copy)).toEqual(await contentOf(second));
      }
    }
  });
});
