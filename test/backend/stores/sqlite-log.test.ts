import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rows, type Steps } from '../../../src/backend/stores/sql/statement.js';
import { openSqlite, type SqliteConnection } from '../../../src/backend/stores/sqlite/connection.js';
import { createDisk } from '../../../src/backend/stores/sqlite/disk.js';
import { createSqliteRunner, type SqliteRunner } from '../../../src/backend/stores/sqlite/runner.js';
import { openSqliteStore, type SqliteStore } from '../../../src/backend/stores/sqlite/store.js';
import { takeLog } from '../../../src/backend/stores/sqlite/synced-log.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { key, newLink, owner, quotas, snapshot } from './contract-records.js';

const folder = temporaryFolder();
let files = 0;
let file: string;
beforeEach(() => {
  files += 1;
  file = join(folder, `${files}.db`);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A disk that answers when the test says so. */
function slowDisk() {
  const asked: { answer(): void; fail(error: Error): void }[] = [];
  const sync = (): Promise<void> => new Promise((answer, fail) => void asked.push({ answer, fail }));
  return { sync, asked };
}

/** Lets all go on that waits for the event loop alone. */
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('a file whose log is put on the disk beside the event loop', () => {
  let connection: SqliteConnection;
  let runner: SqliteRunner;
  let disk: ReturnType<typeof slowDisk>;
  let told: string[];

  beforeEach(async () => {
    connection = await openSqlite(file);
    connection.exec('CREATE TABLE t (n integer)');
    disk = slowDisk();
    runner = createSqliteRunner(connection, { disk: createDisk(disk) });
    told = [];
  });
  afterEach(() => connection.close());

  const hears = (what: string, call: Promise<unknown>) =>
    call.then(
      () => void told.push(what),
      (error: Error) => void told.push(`${what} ${error.name}: ${error.message}`),
    );
  const insert = (n: number) =>
    hears(
      `${n}`,
      runner.transaction(() => rows('INSERT INTO t (n) VALUES ($1)', n)),
    );
  const read = (name: string) =>
    hears(
      name,
      runner.read(() => rows('SELECT n FROM t')),
    );

  it('tells whoever wrote it, and whoever reads it, only when it is there', async () => {
    void insert(1);
    await turn();
    void read('reader');
    await turn();
    expect([told, disk.asked.length]).toEqual([[], 1]);
    disk.asked[0]?.answer();
    await turn();
    expect(told).toEqual(['1', 'reader']);
    await read('later');
    expect([told, disk.asked.length]).toEqual([['1', 'reader', 'later'], 1]);
  });

  it('tells of no failure before it is there either, which may be of what it saw', async () => {
    void insert(1);
    await turn();
    const failing = function* (): Steps<never> {
      const found = yield { text: 'SELECT n FROM t', values: [] };
      throw new Error(`saw ${found.length}`);
    };
    void hears('reader', runner.read(failing));
    void hears('writer', runner.transaction(failing));
    await turn();
    expect(told).toEqual([]);
    disk.asked[0]?.answer();
    await turn();
    disk.asked[1]?.answer();
    await turn();
    expect(told).toEqual(['1', 'reader Error: saw 1', 'writer Error: saw 1']);
  });

  it('tells all together who have committed while the disk was busy, and who has read that', async () => {
    for (const n of [1, 2, 3, 4]) {
      void insert(n);
      await turn();
      if (n === 1) void read('reader of 1');
    }
    void read('reader of 4');
    expect(disk.asked).toHaveLength(1);
    disk.asked[0]?.answer();
    await turn();
    expect([told, disk.asked.length]).toEqual([['1', 'reader of 1'], 2]);
    disk.asked[1]?.answer();
    await turn();
    expect([told, disk.asked.length]).toEqual([['1', 'reader of 1', '2', '3', '4', 'reader of 4'], 2]);
  });

  it('takes nothing more where the disk has failed, and calls nothing undone that may be there', async () => {
    void insert(1);
    await turn();
    void read('reader');
    void insert(2);
    await turn();
    void insert(3);
    disk.asked[0]?.fail(new Error('EIO: i/o error, fdatasync'));
    await turn();
    const unknown = 'Error: EIO: i/o error, fdatasync';
    // The third is surely not made, and who read has changed nothing.
    const refused = (who: string) => expect.stringMatching(`^${who} StoreUnavailable: `);
    expect(told.sort()).toEqual([`1 ${unknown}`, `2 ${unknown}`, refused('3'), refused('reader')]);
    const gone = { name: 'StoreUnavailable', message: expect.stringContaining('only a restart shows what is there') };
    await expect(runner.read(() => rows('SELECT n FROM t'))).rejects.toMatchObject(gone);
    await expect(runner.write(() => rows('INSERT INTO t (n) VALUES (3)'))).rejects.toMatchObject(gone);
    expect(disk.asked).toHaveLength(1);
  });

  it('is closed only once all of it is there', async () => {
    void insert(1);
    await turn();
    void insert(2);
    void hears('closed', runner.end());
    await turn();
    expect(told).toEqual([]);
    disk.asked[0]?.answer();
    await turn();
    expect(told).toEqual(['1']);
    disk.asked[1]?.answer();
    await turn();
    expect(told).toEqual(['1', '2', 'closed']);
  });

  it('believes no disk, as it is closed, that has just failed', async () => {
    void insert(1);
    await turn();
    void insert(2);
    void hears('closed', runner.end());
    disk.asked[0]?.fail(new Error('EIO'));
    await turn();
    expect([told, disk.asked.length]).toEqual([['1 Error: EIO', '2 Error: EIO', 'closed'], 1]);
  });
});

/** A store whose disk answers when the test says so. */
async function openOnSlowDisk() {
  const { sync, asked } = slowDisk();
  const logOf: typeof takeLog = (...taken) => {
    const log = takeLog(...taken);
    return log && { ...log, sync };
  };
  return { store: await openSqliteStore({ file }, { logOf }), asked };
}

it('a file gives way to a backup only once what was written to it is there', async () => {
  const { store, asked } = await openOnSlowDisk();
  await store.backUp(`${file}.backup`);
  const written = store.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
  await turn();
  const restored = store.restore(`${file}.backup`);
  const read = () => store.readAccount(owner('a')).catch((error: Error) => error.name);
  // Until then a reader waits for the disk.
  await vi.waitUntil(async () => (await Promise.race([read(), turn()])) === 'StoreUnavailable');
  await turn();
  expect(readdirSync(folder).filter((name) => name.startsWith(`${files}.db.before-`))).toEqual([]);
  asked[0]?.answer();
  await written;
  const former = await openSqliteStore({ file: await restored });
  expect(await former.findLink(key('device', 'one'))).toMatchObject({ accountId: 'a' });
  expect(await store.findLink(key('device', 'one'))).toBeNull();
  await Promise.all([former.close(), store.close()]);
});

it('a store that is closed twice is closed for both at once', async () => {
  const { store, asked } = await openOnSlowDisk();
  const written = store.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
  await turn();
  const told: string[] = [];
  const closed = ['first', 'second'].map((name) => store.close().then(() => void told.push(name)));
  await turn();
  expect(told).toEqual([]);
  asked[0]?.answer();
  await Promise.all([written, ...closed]);
  expect(told).toEqual(['first', 'second']);
});

describe('a file that is opened after its process was killed', () => {
  const left = async (): Promise<void> => {
    const store = await openSqliteStore({ file });
    await store.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
    copyFileSync(file, `${file}.left`);
    copyFileSync(`${file}-wal`, `${file}.left-wal`);
    await store.close();
    file = `${file}.left`;
  };

  it('does not trust what its log has, but writes it back before anybody reads it', async () => {
    await left();
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    const store = await openSqliteStore({ file });
    expect(statSync(`${file}-wal`).size).toBe(0);
    copyFileSync(file, `${file}.alone`);
    await store.close();
    const alone = await openSqliteStore({ file: `${file}.alone` });
    expect(await alone.findLink(key('device', 'one'))).toMatchObject({ accountId: 'a' });
    await alone.close();
  });

  it('is not opened where that cannot be done, and loses nothing', async () => {
    await left();
    const open = async (path: string): Promise<SqliteConnection> => {
      const connection = await openSqlite(path);
      const run: SqliteConnection['run'] = (statement) =>
        statement.text.includes('wal_checkpoint') ? [{ busy: 1, log: 9, checkpointed: 0 }] : connection.run(statement);
      return { ...connection, run };
    };
    await expect(openSqliteStore({ file }, { open })).rejects.toThrow('could not write its log back');
    const store = await openSqliteStore({ file });
    expect(await store.findLink(key('device', 'one'))).toMatchObject({ accountId: 'a' });
    await store.close();
  });
});

describe('a machine that loses its power', () => {
  const collection = 'world';
  let writes = 0;
  const write = async (store: SqliteStore, name: string): Promise<number> => {
    writes += 1;
    const outcome = await store.updateEntry({
      owner: owner('a'),
      sessionId: null,
      ...{ collection, key: name, text: `{"n":${writes}}`, version: -1 },
      snapshot: snapshot(`s-${writes}`),
      quotas: quotas(10_000),
      now: 5,
    });
    return outcome.outcome === 'written' ? outcome.version : Number.NaN;
  };
  const read = async (store: SqliteStore, name: string): Promise<number> => {
    const found = await store.readCollection({ owner: owner('a'), sessionId: null, collection });
    return found?.find((entry) => entry.key === name)?.version ?? -1;
  };

  const step = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    act: fc.constantFrom(write, write, read),
    turns: fc.nat(3),
  });

  it('has all that anybody was told of, whenever it does', async () => {
    const steps = fc.array(step, { minLength: 1, maxLength: 12 });
    const run = fc.asyncProperty(steps, fc.boolean(), async (steps, isLink) => {
      files += 1;
      const before = join(folder, `${files}.db`);
      const path = isLink ? join(folder, `${files}-link.db`) : before;
      if (isLink) {
        writeFileSync(before, '');
        symlinkSync(before, path);
      }
      // What the disk has for sure: the log up to where it was told of it last.
      let onDisk: Uint8Array = new Uint8Array();
      const logOf: typeof takeLog = (...taken) => {
        const log = takeLog(...taken);
        const now = () => readFileSync(`${before}-wal`);
        onDisk = now();
        return log && { ...log, sync: () => noteSynced(now(), log.sync()) };
      };
      const noteSynced = async (content: Uint8Array, synced: Promise<void>): Promise<void> => {
        await synced;
        onDisk = content;
      };
      const store = await openSqliteStore({ file: path }, { logOf });
      const told = new Map<string, number>();
      await store.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
      for (const { name, act, turns } of steps) {
        void act(store, name).then((version) => told.set(name, Math.max(version, told.get(name) ?? -1)));
        for (let left = turns; left > 0; left -= 1) await turn();
      }
      // The power is gone: another machine has the disk.
      const [promised, log] = [new Map(told), onDisk];
      const after = join(folder, `${files}-after.db`);
      copyFileSync(before, after);
      writeFileSync(`${after}-wal`, log);
      const again = await openSqliteStore({ file: after });
      expect(await again.findLink(key('device', 'one'))).toMatchObject({ accountId: 'a' });
      for (const [name, version] of promised) expect(await read(again, name)).toBeGreaterThanOrEqual(version);
      await again.close();
      await store.close();
    });
    await fc.assert(run, { numRuns: 40, seed: 7 });
  });
});
