import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UpdateRequest } from '../../../src/backend/stores/entry-requests.js';
import { migrate } from '../../../src/backend/stores/sql/migrations.js';
import { rows, type Statement } from '../../../src/backend/stores/sql/statement.js';
import { createSqlStore } from '../../../src/backend/stores/sql/store.js';
import { openSqlite, type SqliteConnection } from '../../../src/backend/stores/sqlite/connection.js';
import { createSqliteRunner, type SqliteRunner } from '../../../src/backend/stores/sqlite/runner.js';
import type { Store } from '../../../src/backend/stores/store.js';
import { gameId, newLink, owner, quotas, snapshot } from './contract-records.js';

const account = `account_id = 'a' AND environment = 0 AND game_id = '${gameId}'`;

describe('the count of the bytes of an account in a database', () => {
  let connection: SqliteConnection;
  let runner: SqliteRunner;
  let store: Store;
  let statements: string[];
  let ids = 0;

  beforeEach(async () => {
    statements = [];
    connection = await openSqlite(':memory:');
    const watched = {
      ...connection,
      run(statement: Statement) {
        statements.push(statement.text);
        return connection.run(statement);
      },
    };
    runner = createSqliteRunner(watched);
    await migrate(runner, { now: 1, hasVersions: false });
    store = createSqlStore(runner);
    await store.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
  });
  afterEach(async () => {
    await runner.end();
    connection.close();
  });

  const write = (key: string, bytes: number, limit: number, more: Partial<UpdateRequest> = {}) =>
    store.updateEntry({
      owner: owner('a'),
      sessionId: null,
      collection: 'c',
      key,
      text: '1'.repeat(bytes),
      version: -1,
      snapshot: snapshot(`s-${++ids}`),
      quotas: quotas(1_000, { values: limit }),
      now: 5,
      ...more,
    });
  const used = async () => (await store.readUsage({ owner: owner('a'), now: 6 }))?.values;
  const since = (pattern: RegExp) => {
    const found = statements.filter((text) => pattern.test(text)).length;
    statements = [];
    return found;
  };
  const all = /sum\(\(octet_length/;
  const run = (text: string) => runner.write(() => rows(text));

  it('is left alone by what stays within its room, and kept by little else', async () => {
    await write('k', 400, 10_000);
    since(all);
    for (let bytes = 400; bytes <= 500; bytes += 1) await write('k', bytes, 10_000, { version: bytes - 400 });
    expect(statements).toHaveLength(101);
    statements = [];
    for (let bytes = 500; bytes <= 1_500; bytes += 1) await write('k', bytes, 10_000, { version: bytes - 399 });
    expect(since(/UPDATE @accounts/)).toBeLessThan(10);
    await write('k', 10, 10_000, { version: 1_102 });
    expect(statements).toHaveLength(1);
    expect(await used()).toBe(10);
  });

  it('is taken of all entries once where the account is full, however often it asks', async () => {
    for (let n = 0; n < 100; n += 1) await write(`k${n}`, 100, 10_000);
    expect(since(all)).toBeLessThan(3);
    for (let n = 0; n < 100; n += 1) {
      expect(await write(`k${n}`, 101, 10_000, { version: n % 2 === 0 ? 0 : -1 })).toMatchObject({ used: 10_000 });
    }
    expect(since(all)).toBe(0);
    // Less here and more there, again and again, and never to half of what may be held.
    for (let n = 0; n < 40; n += 1) {
      await write('k0', 100 - (n % 7), 10_000);
      await write('k1', 100 + (n % 7), 10_000);
    }
    expect(since(all)).toBe(0);
    for (let n = 0; n < 80; n += 1) await write(`k${n}`, 1, 10_000);
    for (let bytes = 2; bytes < 30; bytes += 1) await write('k0', bytes, 10_000, { version: -1 });
    expect(since(all)).toBe(1);
  });

  it('is not tried with rooms again and again where many small values have too much of it', async () => {
    for (let n = 0; n < 400; n += 1) await write(`k${n}`, 2, 4_000);
    const counts = since(all);
    expect(counts).toBeGreaterThan(0);
    expect(counts).toBeLessThan(8);
    for (let n = 0; n < 400; n += 1) await write(`k${n}`, 1 + (n % 3), 4_000);
    expect(since(all)).toBeLessThan(4);
    expect(await used()).toBe(799);
  });

  it('has what a process of the version before writes beside it', async () => {
    const limit = 4_000;
    const write1 = async (key: string, bytes: number) => {
      const growth = `${bytes} - octet_length(body)`;
      await run(`UPDATE @accounts SET value_bytes = value_bytes + (SELECT ${growth} FROM @entries WHERE ${account}
        AND key = '${key}') WHERE ${account}`);
      await run(`UPDATE @entries SET growth = ${growth}, body = '${'1'.repeat(bytes)}', version = version + 1
        WHERE ${account} AND key = '${key}'`);
    };
    for (let n = 0; n < 10; n += 1) await write(`k${n}`, 100, limit);
    for (const [n, bytes] of [90, 300, 500, 1, 130, 100].entries()) await write1(`k${n}`, bytes);
    for (let n = 0; n < 10; n += 1) await write(`k${n}`, 200, limit, { version: n < 6 ? 1 : 0 });
    expect(await used()).toBe(2_000);
    for (const [n, bytes] of [20, 700, 210].entries()) await write1(`k${n}`, bytes);
    const now = 20 + 700 + 210 + 7 * 200;
    expect(await used()).toBe(now);
    expect(await write('k9', 200 + limit - now + 1, limit)).toMatchObject({ outcome: 'quota_exceeded', used: now });
    expect(await write('k9', 200 + limit - now, limit)).toMatchObject({ outcome: 'written' });
    await write1('k1', 600);
    expect(await write('k0', 121, limit)).toMatchObject({ outcome: 'quota_exceeded', used: limit - 100 });
    expect(await write('k0', 120, limit)).toMatchObject({ outcome: 'written' });
    expect(await used()).toBe(limit);
  });
});
