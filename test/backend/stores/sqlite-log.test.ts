import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rows } from '../../../src/backend/stores/sql/statement.js';
import { openSqlite, type SqliteConnection } from '../../../src/backend/stores/sqlite/connection.js';
import { createSqliteRunner, type SqliteRunner } from '../../../src/backend/stores/sqlite/runner.js';
import { openSqliteStore, type SqliteStore } from '../../../src/backend/stores/sqlite/store.js';
import { openLog, type SyncedLog } from '../../../src/backend/stores/sqlite/synced-log.js';
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
  let timesAtOnce = 0;
  const log: SyncedLog = {
    sync: () => new Promise((answer, fail) => void asked.push({ answer, fail })),
    syncNow() {
      timesAtOnce += 1;
    },
    close() {},
  };
  return { log, asked, timesAtOnce: () => timesAtOnce };
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
    runner = createSqliteRunner(connection, { log: disk.log });
    told = [];
  });
  afterEach(() => connection.close());

  const insert = (n: number) =>
    runner
      .transaction(() => rows('INSERT INTO t (n) VALUES ($1)', n))
      .then(
        () => void told.push(`${n}`),
        (error: Error) => void told.push(`${n} ${error.name}: ${error.message}`),
      );

  it('tells a caller only when it is there, and serves others until then', async () => {
    void insert(1);
    await turn();
    expect([told, disk.asked.length]).toEqual([[], 1]);
    expect(await runner.read(() => rows('SELECT n FROM t'))).toEqual([{ n: 1 }]);
    disk.asked[0]?.answer();
    await turn();
    expect(told).toEqual(['1']);
  });

  it('tells all together who have committed while the disk was busy', async () => {
    for (const n of [1, 2, 3, 4]) {
      void insert(n);
      await turn();
    }
    expect(disk.asked).toHaveLength(1);
    disk.asked[0]?.answer();
    await turn();
    expect([told, disk.asked.length]).toEqual([['1'], 2]);
    disk.asked[1]?.answer();
    await turn();
    expect([told, disk.asked.length]).toEqual([['1', '2', '3', '4'], 2]);
  });

  it('takes nothing more where the disk has failed, and calls nothing undone that may be there', async () => {
    void insert(1);
    await turn();
    void insert(2);
    await turn();
    void insert(3);
    disk.asked[0]?.fail(new Error('EIO: i/o error, fdatasync'));
    await turn();
    const unknown = 'Error: EIO: i/o error, fdatasync';
    // The third is surely not made.
    expect(told).toEqual([`1 ${unknown}`, `2 ${unknown}`, expect.stringMatching(/^3 StoreUnavailable: /)]);
    const gone = { name: 'StoreUnavailable', message: expect.stringContaining('only a restart shows what is there') };
    await expect(runner.read(() => rows('SELECT n FROM t'))).rejects.toMatchObject(gone);
    await expect(runner.write(() => rows('INSERT INTO t (n) VALUES (3)'))).rejects.toMatchObject(gone);
    expect(disk.asked).toHaveLength(1);
  });

  it('is on the disk as soon as it is closed, whatever the disk does meanwhile', async () => {
    void insert(1);
    await turn();
    void insert(2);
    await turn();
    void insert(3);
    runner.end();
    await turn();
    expect([told, disk.timesAtOnce()]).toEqual([['1', '2', '3'], 1]);
    disk.asked[0]?.fail(new Error('EBADF'));
    await turn();
    expect(told).toEqual(['1', '2', '3']);
  });
});

describe('a machine that loses its power', () => {
  let writes = 0;
  const write = (store: SqliteStore, name: string) => {
    writes += 1;
    return store
      .updateEntry({
        owner: owner('a'),
        sessionId: null,
        collection: 'world',
        key: name,
        text: `{"n":${writes}}`,
        version: -1,
        snapshot: snapshot(`s-${writes}`),
        quotas: quotas(10_000),
        now: 5,
      })
      .then((outcome) => (outcome.outcome === 'written' ? outcome.version : Number.NaN));
  };

  it('has every write that was answered, whenever it does', async () => {
    const run = fc.asyncProperty(
      fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c'), turns: fc.nat(3) }), { minLength: 1, maxLength: 12 }),
      async (steps) => {
        files += 1;
        const before = join(folder, `${files}.db`);
        // What the disk has for sure: the log up to where it was told of it last.
        let onDisk = new Uint8Array();
        const logOf = (path: string): SyncedLog => {
          const log = openLog(path) as SyncedLog;
          onDisk = readFileSync(`${path}-wal`);
          const noting = <Done>(sync: () => Done): Done => {
            const now = readFileSync(`${path}-wal`);
            const done = sync();
            if (done instanceof Promise) void done.then(() => (onDisk = now));
            else onDisk = now;
            return done;
          };
          return { ...log, sync: () => noting(log.sync), syncNow: () => noting(log.syncNow) };
        };
        const store = await openSqliteStore({ file: before }, { logOf });
        const answered = new Map<string, number>();
        await store.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
        for (const { name, turns } of steps) {
          void write(store, name).then((version) => answered.set(name, version));
          for (let left = turns; left > 0; left -= 1) await turn();
        }
        // The power is gone: another machine has the disk.
        const [promised, log] = [new Map(answered), onDisk];
        const after = join(folder, `${files}-after.db`);
        copyFileSync(before, after);
        writeFileSync(`${after}-wal`, log);
        const again = await openSqliteStore({ file: after });
        expect(await again.findLink(key('device', 'one'))).toMatchObject({ accountId: 'a' });
        const there = await again.readCollection({ owner: owner('a'), sessionId: null, collection: 'world' });
        for (const [name, version] of promised) {
          expect(there?.find((entry) => entry.key === name)?.version).toBeGreaterThanOrEqual(version);
        }
        await again.close();
        await store.close();
      },
    );
    await fc.assert(run, { numRuns: 30, seed: 7 });
  });
});
