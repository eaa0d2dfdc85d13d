import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createSqliteStore } from 'savepoint/backend/sqlite';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { linkHash } from '../../../src/backend/stores/sql/link-hash.js';
import { type Migration, migrations, textsFor } from '../../../src/backend/stores/sql/migrations.js';
import { listWrites } from '../../../src/backend/stores/sql/players.js';
import { rows, type Statement } from '../../../src/backend/stores/sql/statement.js';
import { openSqlite, type SqliteConnection } from '../../../src/backend/stores/sqlite/connection.js';
import { lockFile } from '../../../src/backend/stores/sqlite/file-lock.js';
import { createSqliteRunner } from '../../../src/backend/stores/sqlite/runner.js';
import { openSqliteStore } from '../../../src/backend/stores/sqlite/store.js';
import type { Store } from '../../../src/backend/stores/store.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import {
  key,
  loginQuotas,
  meetAda,
  newLink,
  openSession,
  owner,
  quotas,
  scope,
  sessionOf,
  snapshot,
} from './contract-records.js';
import { entryOfTheFirstVersion, expectLedger } from './first-version.js';

const folder = temporaryFolder();
let files = 0;
let file: string;

beforeEach(() => {
  files += 1;
  file = join(folder, `${files}.db`);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function makeAccount(accountId: string, device: string): Promise<void> {
  const store = await createSqliteStore({ file });
  await store.ensureAccount({ link: newLink('device', device), accountId, now: 1 });
  await store.close();
}

/** Two writes of one turn, as the disk is full, and one as it has room again: those two leave nothing, and are told why. */
async function expectLostToFullDisk(
  faulty: (connection: SqliteConnection, isFull: () => boolean) => SqliteConnection,
): Promise<void> {
  const connection = await openSqlite(file);
  let isFull = false;
  const runner = createSqliteRunner(faulty(connection, () => isFull));
  await runner.transaction(() => rows('CREATE TABLE t (n integer)'));
  const insert = () => runner.transaction(() => rows('INSERT INTO t (n) VALUES (1)'));
  isFull = true;
  const outcomes = await Promise.allSettled([insert(), insert()]);
  const reason = expect.objectContaining({
    name: 'StoreUnavailable',
    message: expect.stringContaining('disk is full'),
  });
  expect(outcomes).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ]);
  isFull = false;
  expect(await runner.read(() => rows('SELECT n FROM t'))).toEqual([]);
  await insert();
  expect(await runner.read(() => rows('SELECT n FROM t'))).toHaveLength(1);
  connection.close();
}

describe('a file', () => {
  it('keeps everything when it is opened again, claimed nonces too', async () => {
    const claim = { gameId: 'g', nonce: 'n', expiresAt: 1_000, now: 1, max: 10 };
    const store = await createSqliteStore({ file });
    await store.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
    expect(await store.claimNonce(claim)).toBe('claimed');
    await store.close();
    const again = await createSqliteStore({ file });
    expect((await again.findLink(key('device', 'one')))?.accountId).toBe('a');
    expect(await again.claimNonce(claim)).toBe('reused');
    await again.close();
  });

  it("is read from front to back for an account's latest writes, whose places the index of names alone tells", async () => {
    await makeAccount('a', 'one');
    const connection = await openSqlite(file);
    const runner = createSqliteRunner(connection);
    const plan = await runner.read(function* () {
      const asked = listWrites({ owner: owner('a'), after: null, max: 50 }, runner.rowOrder).next();
      const { text, values } = asked.value as Statement;
      return yield* rows(`EXPLAIN QUERY PLAN ${text}`, ...values);
    });
    // Newer versions of SQLite besides ask a filter whether a place is among them.
    const details = plan.map(({ detail }) => detail).filter((detail) => detail !== 'CREATE BLOOM FILTER');
    expect(details).toEqual([
      'SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)',
      'LIST SUBQUERY 1',
      expect.stringContaining('SEARCH entries USING COVERING INDEX'),
      'USE TEMP B-TREE FOR ORDER BY',
    ]);
    connection.close();
  });

  it('has to be named', async () => {
    for (const wrong of ['', undefined, 7]) {
      await expect(createSqliteStore({ file: wrong as string })).rejects.toThrow(TypeError);
    }
  });

  it('is refused where it is no database', async () => {
    writeFileSync(
      file,
      'not a database, but longer than the header of one, so that nobody takes it for an empty file '.repeat(9),
    );
    await expect(createSqliteStore({ file })).rejects.toThrow(/not a database/);
  });

  it('takes nothing more once it is closed, and may be closed twice', async () => {
    const store = await createSqliteStore({ file });
    const made = store.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
    await store.findLink(key('device', 'one'));
    await store.close();
    await store.close();
    await expect(store.findLink(key('device', 'one'))).rejects.toThrow('The store is closed.');
    await expect(
      made.then(
        () => 'made',
        () => 'refused',
      ),
    ).resolves.toMatch(/made|refused/);
  });
});

describe('a file whose name is taken away while it is open', () => {
  const newAccount = (store: Store, accountId: string) =>
    store.ensureAccount({ link: newLink('device', accountId), accountId, now: 1 });

  const ways: [string, () => void][] = [
    ['because it was removed', () => rmSync(file)],
    [
      'by another file',
      () => {
        writeFileSync(`${file}.other`, '');
        renameSync(`${file}.other`, file);
      },
    ],
  ];
  // Windows removes and replaces no file that is open.
  it.each(process.platform === 'win32' ? [] : ways)(
    'takes no more writes, for they would be lost: %s',
    async (_, takeAway) => {
      const store = await createSqliteStore({ file });
      await newAccount(store, 'a');
      takeAway();
      const refused = { name: 'StoreUnavailable', message: expect.stringContaining('removed') };
      await expect(newAccount(store, 'b')).rejects.toMatchObject(refused);
      expect((await store.findLink(key('device', 'a')))?.accountId).toBe('a');
      expect(await store.findLink(key('device', 'b'))).toBeNull();
      await store.close();
    },
  );

  it('goes on as before under a second name, as a backup by a hard link is', async () => {
    const store = await createSqliteStore({ file });
    linkSync(file, `${file}.copy`);
    rmSync(`${file}.copy`);
    await newAccount(store, 'a');
    expect((await store.findLink(key('device', 'a')))?.accountId).toBe('a');
    await store.close();
  });
});

describe('the lock of a file', () => {
  it('says who has it, and is gone when that one closes it', async () => {
    const store = await openSqliteStore({ file }, { now: Date.UTC(2026, 0, 2, 3, 4, 5) });
    await expect(createSqliteStore({ file })).rejects.toThrow(
      `${file} is in use by process ${process.pid} on ${hostname()} since 2026-01-02T03:04:05.000Z.`,
    );
    await store.close();
    expect(existsSync(`${file}.lock`)).toBe(false);
    await (await createSqliteStore({ file })).close();
  });

  it('is given back where its note cannot be written', async () => {
    mkdirSync(`${file}.lock`);
    await expect(createSqliteStore({ file })).rejects.toThrow();
    rmSync(`${file}.lock`, { recursive: true });
    await (await createSqliteStore({ file })).close();
  });

  it('is taken from a process that died, whatever its note says', async () => {
    await makeAccount('a', 'one');
    const gone = spawnSync(process.execPath, ['--version']).pid;
    for (const note of [JSON.stringify({ pid: gone, host: hostname(), since: 'then' }), '', '{"pid":']) {
      writeFileSync(`${file}.lock`, note);
      const store = await createSqliteStore({ file });
      expect((JSON.parse(readFileSync(`${file}.lock`, 'utf8')) as { pid: number }).pid).toBe(process.pid);
      expect(await store.readAccount(owner('a'))).not.toBeNull();
      await store.close();
    }
  });
});

describe('the schema of a file', () => {
  const second = ['CREATE TABLE @later (name text)', 'INSERT INTO @later (name) SELECT account_id FROM @accounts'];
  const open = (steps: readonly Migration[]) => openSqliteStore({ file }, { steps });
  const versionBefore = (word: string): number =>
    migrations.findIndex((migration) => textsFor('sqlite', migration).some((text) => text.includes(word)));

  it('is brought up to date by the next version, with what is in it', async () => {
    await makeAccount('a', 'one');
    await (await open([...migrations, second])).close();
    const connection = await openSqlite(file);
    expect(connection.run({ text: 'SELECT name FROM @later', values: [] })).toMatchObject([{ name: 'a' }]);
    connection.close();
    await (await open([...migrations, second])).close();
  });

  it('gives the entries of the first version a ledger', async () => {
    await (await open(migrations.slice(0, 1))).close();
    const connection = await openSqlite(file);
    for (const text of entryOfTheFirstVersion('')) connection.exec(text);
    connection.close();
    const store = await createSqliteStore({ file });
    await expectLedger(store);
    await store.close();
  });

  it('has the snapshots of before in the order in which they were made', async () => {
    const force = (store: Store, name: string) =>
      store.updateEntry({
        owner: owner('a'),
        sessionId: null,
        collection: 'c',
        key: 'k',
        text: JSON.stringify(name),
        version: -1,
        snapshot: snapshot(name, { max: 4 }),
        quotas: quotas(10),
        now: 5,
      });
    const kept = async (store: Store): Promise<string[]> =>
      (await store.listSnapshots({ owner: owner('a'), now: 6 })).map(({ snapshotId }) => snapshotId);
    const earlier = await open(migrations.slice(0, versionBefore('snapshots_by_id')));
    await earlier.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
    for (const name of ['z', 'y', 'a', 'x', 'b']) await force(earlier, name);
    expect(await kept(earlier)).toEqual(['b', 'x', 'a', 'y']);
    await earlier.close();
    const store = await createSqliteStore({ file });
    expect(await kept(store)).toEqual(['b', 'x', 'a', 'y']);
    await force(store, 'c');
    expect(await kept(store)).toEqual(['c', 'b', 'x', 'a']);
    await store.close();
  });

  it('takes for the common past what an earlier version has merged last', async () => {
    const before = versionBefore('origins');
    const earlier = await open(migrations.slice(0, before));
    await earlier.ensureAccount({ link: newLink('name', 'ada'), accountId: 'a', now: 1 });
    await earlier.ensureAccount({ link: newLink('device', 'two'), accountId: 'b', now: 1 });
    await earlier.close();
    const connection = await openSqlite(file);
    const { gameId } = scope;
    for (const [id, text] of [
      ['a', '{"both":1}'],
      ['b', '{"b":2}'],
    ]) {
      connection.exec(`INSERT INTO entries (account_id, environment, game_id, collection, key, version, changed_at, body)
        VALUES ('${id}', 0, '${gameId}', 'c', 'k', 1, 5, '${text}')`);
    }
    for (const [ordinal, text] of ['{"b":0}', '{"b":1}'].entries()) {
      const kept = JSON.stringify([{ collection: 'c', key: 'k', text, version: 0, changedAt: 4 }]);
      connection.exec(`INSERT INTO snapshots (account_id, environment, game_id, snapshot_id, created_at, expires_at, reason,
          from_id, entry_count, bytes, ordinal, entries)
        VALUES ('a', 0, '${gameId}', 'kept-${ordinal}', 4, 5000, 'merge', 'b', 1, 7, ${ordinal}, '${kept}')`);
    }
    connection.close();
    const store = await createSqliteStore({ file });
    await openSession(store, sessionOf('b', 'session', key('device', 'two'), 'two'));
    await meetAda(store, { ticket: 'hash', localId: 'b', sessionId: 'session', device: 'two', expiresAt: 1_000 });
    const sides = await store.readConflictSides({ scope, ticket: 'hash', device: 'two', now: 7 });
    expect(sides?.merged.map(({ text }) => text)).toEqual(['{"b":1}']);
    await store.close();
  });

  it('says of an e-mail address that is there already that it was verified by then', async () => {
    const before = versionBefore('mail_address_at');
    await (await open(migrations.slice(0, before))).close();
    const connection = await openSqlite(file);
    for (const [name, address] of [
      ['ada', "'ada@mail.example'"],
      ['bob', 'NULL'],
    ]) {
      const hash = linkHash(key('name', name as string));
      connection.exec(`INSERT INTO links (link_hash, account_id, linked_at, revision, mail_address)
        VALUES ('${hash}', 'a', 1, 0, ${address})`);
    }
    connection.close();
    const start = Date.now();
    const store = await createSqliteStore({ file });
    const ada = await store.findLink(key('name', 'ada'));
    expect(ada?.mailAddressAt).toBeGreaterThanOrEqual(start);
    expect(await store.findLink(key('name', 'bob'))).toMatchObject({ mailAddress: null, mailAddressAt: null });
    await store.close();
  });

  it('takes from a device the e-mail address that an earlier version has copied to it', async () => {
    const earlier = await open(migrations.slice(0, versionBefore('DROP INDEX @sessions_by_use')));
    const address = { mailAddress: 'ada@mail.example', mailAddressAt: 1 };
    await earlier.ensureAccount({ link: newLink('name', 'ada', address), accountId: 'a', now: 1 });
    const device = newLink('device', 'one', address);
    await earlier.linkMethod({ owner: owner('a'), session: null, link: device, now: 1, quotas: loginQuotas });
    await earlier.close();
    const store = await createSqliteStore({ file });
    const links = (await store.readAccount(owner('a')))?.links ?? [];
    expect(links.map(({ method, mailAddress, mailAddressAt }) => [method, mailAddress, mailAddressAt])).toEqual([
      ['name', 'ada@mail.example', 1],
      ['device', null, null],
    ]);
    await store.close();
  });

  it('is left as it was by a migration that fails half way', async () => {
    await makeAccount('a', 'one');
    await expect(open([...migrations, [...second, 'SELECT * FROM @nowhere']])).rejects.toThrow(/nowhere/);
    const store = await createSqliteStore({ file });
    expect(await store.readAccount(owner('a'))).not.toBeNull();
    await store.close();
    await (await open([...migrations, second])).close();
  });

  it('is refused where it is newer, and left alone', async () => {
    await (await open([...migrations, second])).close();
    await expect(createSqliteStore({ file })).rejects.toThrow(
      `The schema has version ${migrations.length + 1}, and this savepoint knows ${migrations.length}`,
    );
    await (await open([...migrations, second])).close();
  });
});

describe('changes of one turn', () => {
  it('are one commit, and one that fails takes no other with it', async () => {
    const connection = await openSqlite(file);
    const done: string[] = [];
    const runner = createSqliteRunner({
      ...connection,
      exec(sql) {
        done.push(sql);
        connection.exec(sql);
      },
    });
    await runner.transaction(() => rows('CREATE TABLE t (n integer PRIMARY KEY)'));
    done.length = 0;
    const insert = (n: number) => runner.transaction(() => rows('INSERT INTO t (n) VALUES ($1) RETURNING n', n));
    const outcomes = await Promise.allSettled([insert(1), insert(1), insert(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(done.filter((sql) => sql === 'COMMIT')).toHaveLength(1);
    expect(await runner.read(() => rows('SELECT n FROM t ORDER BY n'))).toMatchObject([{ n: 1 }, { n: 2 }]);
    connection.close();
  });

  it('are told to nobody where the commit fails', async () => {
    await expectLostToFullDisk((connection, isFull) => ({
      ...connection,
      exec(sql) {
        if (isFull() && sql === 'COMMIT') throw new Error('database or disk is full');
        connection.exec(sql);
      },
    }));
  });

  it('fail for the reason of the one by which SQLite has ended all of them', async () => {
    await expectLostToFullDisk((connection, isFull) => ({
      ...connection,
      run(statement) {
        // As SQLite does where the disk is full in the middle: the transaction is over, and its savepoints with it.
        if (isFull() && statement.text.startsWith('INSERT')) {
          connection.exec('ROLLBACK');
          throw new Error('database or disk is full');
        }
        return connection.run(statement);
      },
    }));
  });

  it('may have been made where the disk fails in the commit, and are not called undone', async () => {
    const connection = await openSqlite(file);
    let fails = '';
    const runner = createSqliteRunner({
      ...connection,
      exec(sql) {
        if (sql === fails) throw new Error('disk I/O error');
        connection.exec(sql);
      },
    });
    await runner.transaction(() => rows('CREATE TABLE t (n integer)'));
    const insert = () => runner.transaction(() => rows('INSERT INTO t (n) VALUES (1)'));
    fails = 'COMMIT';
    await expect(insert()).rejects.toMatchObject({ name: 'Error' });
    fails = 'BEGIN IMMEDIATE';
    await expect(insert()).rejects.toMatchObject({ name: 'StoreUnavailable' });
    connection.close();
  });

  it('wait for the disk', async () => {
    const connection = await openSqlite(file);
    lockFile(connection);
    const setting = (name: string) => Object.values(connection.run({ text: `PRAGMA ${name}`, values: [] })[0] ?? {});
    expect(setting('journal_mode')).toEqual(['wal']);
    expect(setting('synchronous')).toEqual([2]);
    connection.close();
  });
});

it('an integer that JavaScript would round is refused', async () => {
  await makeAccount('a', 'one');
  const connection = await openSqlite(file);
  connection.exec('UPDATE links SET linked_at = 9007199254740993');
  connection.close();
  const store = await createSqliteStore({ file });
  await expect(store.findLink(key('device', 'one'))).rejects.toThrow(RangeError);
  await store.close();
});
