import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createPostgresStore } from 'savepoint/backend/postgres';
import { createSqliteStore } from 'savepoint/backend/sqlite';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { openPostgresTables } from '../../src/backend/stores/postgres/raw-tables.js';
import type { Store } from '../../src/backend/stores/store.js';
import { newSigningKey } from '../../src/cli/new-key.js';
import { operations } from '../../src/protocol/operations.js';
import { describeOnPostgres, type TestSchema } from '../support/on-postgres.js';
import { createTestService, post, readText, signInGuest, type TestService, writeText } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { contentOf, fillStore } from './filled-store.js';
import { runCommand } from './in-process.js';
import { bundleProgram, start } from './program.js';

describeOnPostgres('savepoint move', (newSchema) => {
  const made: TestSchema[] = [];
  let folder: string;
  let file: string;
  let database: TestSchema;
  let address: string;

  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder, 'saves.db');
    ({ database, address } = another());
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  afterAll(async () => {
    for (const schema of made) await schema.drop();
  });

  function another(): { database: TestSchema; address: string } {
    const schema = newSchema();
    made.push(schema);
    return { database: schema, address: `${schema.url}?schema=${schema.schema}` };
  }

  const move = (from: string, to: string) =>
    runCommand(['move', '--json'], { env: { SAVEPOINT_STORE: from, SAVEPOINT_MOVE_TO: to } });

  it('carries every row of every table to PostgreSQL, from there to another schema, and back into a file', async () => {
    await fillStore(file, 60);
    const [second, back] = [another().address, join(folder, 'back.db')];
    for (const [from, to] of [
      [file, address],
      [address, second],
      [second, back],
    ] as const) {
      expect(await move(from, to)).toMatchObject({ code: 0 });
    }
    expect(await contentOf(back)).toEqual(await contentOf(file));
    expect(await move(second, back)).toMatchObject({ code: 2, err: expect.stringContaining('was moved already') });
  });

  it('signs nobody out, and loses no save', async () => {
    const signingKey = await newSigningKey();
    const on = (store: Store): TestService => createTestService({ store, signingKey });
    const former = await createSqliteStore({ file });
    const player = await signInGuest(on(former));
    await writeText(on(former), player, 'main', '{"coins":1.50}');
    await former.close();
    expect(await move(file, address)).toMatchObject({ code: 0 });

    const store = await createPostgresStore({ pool: database.pool, schema: database.schema });
    const { status, body } = await post(on(store), operations.refreshSession.path, {
      refresh_token: player.refreshToken,
    });
    expect([status, body.userId]).toEqual([200, player.userId]);
    expect(await readText(on(store), body)).toContain('{"coins":1.50}');
    expect(await writeText(on(store), body, 'main', '{"coins":2}')).toMatchObject({
      status: 200,
      body: { version: 1 },
    });
  });

  it('keeps a service that runs on the old database from writing, which takes it for unavailable', async () => {
    const store = await createPostgresStore({ pool: database.pool, schema: database.schema });
    const service = createTestService({ store });
    const player = await signInGuest(service);
    await writeText(service, player, 'main', '{"v":1}');
    expect(await move(address, another().address)).toMatchObject({ code: 0 });
    const answer = await writeText(service, player, 'main', '{"v":2}');
    expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
    expect(await readText(service, player)).toContain('{"v":1}');
    const again = createPostgresStore({ pool: database.pool, schema: database.schema });
    await expect(again).rejects.toThrow('This store was moved to another one');
  });

  it('lets others read the old database and write nothing while it has it, and undoes what is not committed', async () => {
    await (await createPostgresStore({ pool: database.pool, schema: database.schema })).close();
    const { url: connectionString, schema } = database;
    const table = `"${schema}"."attempts"`;
    const source = await openPostgresTables({ connectionString, schema, as: 'source' });
    expect((await database.pool.query(`SELECT * FROM ${table}`)).rows).toEqual([]);
    const writing = `DO $$ BEGIN LOCK TABLE ${table} IN ROW EXCLUSIVE MODE NOWAIT; END $$`;
    await expect(database.pool.query(writing)).rejects.toMatchObject({ code: '55P03' });
    await source.markMoved(0);
    await source.close();
    await (await createPostgresStore({ pool: database.pool, schema })).close();
  });

  it('moves nothing to what is the same database by another name, or has records', async () => {
    await fillStore(file, 2);
    expect(await move(file, address)).toMatchObject({ code: 0 });
    const same = address.replace('127.0.0.1', 'localhost');
    expect(same).not.toBe(address);
    expect(await move(address, same)).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot be moved to itself'),
    });
    const other = join(folder, 'other.db');
    await fillStore(other, 3);
    expect(await move(other, address)).toMatchObject({ code: 2, err: expect.stringContaining('records of its own') });
  });

  it('leaves both as they were where it is killed, and is run again', async () => {
    await fillStore(file, 2_000);
    await (await createPostgresStore({ pool: database.pool, schema: database.schema })).close();
    const text = 'SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = $1 ORDER BY indexname';
    const indexes = async () => (await database.pool.query(text, [database.schema])).rows;
    const [before, had] = [await contentOf(file), await indexes()];
    const moving = start(await bundleProgram(), ['move'], {
      env: { SAVEPOINT_STORE: file, SAVEPOINT_MOVE_TO: address },
    });
    await expect.poll(moving.stderr, { timeout: 10_000, interval: 2 }).toContain('copy [');
    moving.child.kill('SIGKILL');
    await moving.ended;
    expect(await contentOf(file)).toEqual(before);
    // PostgreSQL notices as it reads on.
    await expect
      .poll(() => move(file, address), { timeout: 20_000 })
      .toMatchObject({ code: 0, out: expect.stringContaining('"wasThere":false') });
    expect(await indexes()).toEqual(had);
  });

  it('says so where there is no store', async () => {
    expect(await move(address, file)).toMatchObject({
      code: 2,
      err: expect.stringContaining('is no store of savepoint'),
    });
  });
});
