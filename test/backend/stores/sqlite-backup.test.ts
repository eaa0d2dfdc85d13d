import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore, type SqliteStore } from 'savepoint/backend/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkDatabase, restoreNew } from '../../../src/backend/stores/sqlite/backup.js';
import { openSqlite } from '../../../src/backend/stores/sqlite/connection.js';
import { FileInUse } from '../../../src/backend/stores/sqlite/file-lock.js';
import { openSqliteStore } from '../../../src/backend/stores/sqlite/store.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { key, newLink, openSession, quotas, sessionOf } from './contract-records.js';

let folder: string;
let file: string;
let copy: string;
let store: SqliteStore;

beforeEach(async () => {
  folder = temporaryFolder();
  [file, copy] = [join(folder, 'saves.db'), join(folder, 'copy.db')];
  store = await createSqliteStore({ file });
  await add(store, 'one');
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** An account with an entry of some size; its id is the device's name. */
async function add(to: SqliteStore, device: string, bytes = 0): Promise<void> {
  await to.ensureAccount({ link: newLink('device', device), accountId: device, now: 1 });
  const owner = { gameId: key('device', device).gameId, environment: 0 as const, accountId: device };
  const text = JSON.stringify({ text: 'x'.repeat(bytes) });
  const snapshot = { snapshotId: device, expiresAt: 10, max: 1, maxBytes: 1_000_000 };
  await to.updateEntry({
    owner,
    sessionId: null,
    collection: 'c',
    key: 'k',
    text,
    version: -1,
    snapshot,
    quotas: quotas(9),
    now: 1,
  });
}

async function has(in_: SqliteStore, device: string): Promise<boolean> {
  return (await in_.findLink(key('device', device))) !== null;
}

async function devicesIn(path: string, devices: readonly string[]): Promise<string[]> {
  const opened = await createSqliteStore({ file: path });
  const found: string[] = [];
  for (const device of devices) if (await has(opened, device)) found.push(device);
  await opened.close();
  return found;
}

describe('a backup of a file in use', () => {
  it('is a whole database with all that was committed before, and is found healthy', async () => {
    await store.backUp(copy);
    await checkDatabase(copy);
    await add(store, 'later');
    expect(await devicesIn(copy, ['one', 'later'])).toEqual(['one']);
    expect(await has(store, 'later')).toBe(true);
  });

  it('says how far it is, serves what comes meanwhile, and has all that was written before its last step', async () => {
    for (let index = 0; index < 20; index += 1) await add(store, `big ${index}`, 100_000);
    const shares: number[] = [];
    const during: Promise<void>[] = [];
    await store.backUp(copy, (share) => {
      shares.push(share);
      if (during.length < 5) during.push(add(store, `during ${during.length}`));
    });
    await Promise.all(during);
    expect(shares.at(-1)).toBe(1);
    const devices = ['one', 'big 0', 'big 19', 'during 0'];
    const isInOneGo = process.getBuiltinModule('node:sqlite') !== undefined && shares.length === 1;
    expect(await devicesIn(copy, devices)).toEqual(isInOneGo ? devices.slice(0, 3) : devices);
  });

  it('never takes the place of another file', async () => {
    writeFileSync(copy, 'mine');
    await expect(store.backUp(copy)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(readFileSync(copy, 'utf8')).toBe('mine');
  });

  it('is not there under its name where it fails, and the store goes on', async () => {
    const failing = await openSqliteStore(
      { file: join(folder, 'failing.db') },
      {
        open: async (path) => ({
          ...(await openSqlite(path)),
          backUp: async (to) => {
            writeFileSync(to, 'half');
            throw new Error('disk full');
          },
        }),
      },
    );
    await expect(failing.backUp(copy)).rejects.toThrow('disk full');
    expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual([]);
    await add(failing, 'after');
    expect(await has(failing, 'after')).toBe(true);
    await failing.close();
  });

  it('runs alone, and ends where the store is closed', async () => {
    for (let index = 0; index < 20; index += 1) await add(store, `big ${index}`, 100_000);
    const running = store.backUp(copy);
    await expect(store.backUp(`${copy}2`)).rejects.toThrow('under way');
    await expect(store.restore(copy)).rejects.toThrow('under way');
    const ended = running.then(
      () => 'whole',
      () => 'none',
    );
    await store.close();
    expect(existsSync(copy)).toBe((await ended) === 'whole');
    await expect(store.backUp(`${copy}3`)).rejects.toThrow('closed');
  });
});

describe('a backup that is put back', () => {
  it('takes the place of all, without a restart, and the former file stays', async () => {
    await store.backUp(copy);
    await add(store, 'later');
    const former = await store.restore(copy);
    expect([await has(store, 'one'), await has(store, 'later')]).toEqual([true, false]);
    await add(store, 'after');
    await store.close();
    expect(await devicesIn(file, ['one', 'later', 'after'])).toEqual(['one', 'after']);
    expect(await devicesIn(former, ['one', 'later'])).toEqual(['one', 'later']);
    expect(await devicesIn(copy, ['one', 'after'])).toEqual(['one']);
  });

  it.each(['of a store', 'where there is none'])(
    'has the sessions %s last as long as the latest of their tokens may, which it does not know',
    async (where) => {
      const session = sessionOf('one', 'session', key('device', 'one'), 'one');
      expect(await openSession(store, session)).toBe(true);
      await store.backUp(copy);
      const elsewhere = join(folder, 'elsewhere.db');
      const before = Date.now();
      await (where === 'of a store'
        ? store.restore(copy)
        : restoreNew(elsewhere, { from: copy, progressed: () => {}, now: before }));
      const restored = where === 'of a store' ? store : await createSqliteStore({ file: elsewhere });
      const now = before + 29 * 86_400_000;
      await restored.removeExpired({ now, orphanedBefore: 0, deletedBefore: 0, batch: 100 });
      const found = await restored.findSession(session);
      await restored.close();
      expect(session.expiresAt).toBeLessThan(now);
      expect(found?.expiresAt).toBeGreaterThanOrEqual(before + 30 * 86_400_000);
    },
  );

  it('loses no write that was acknowledged before it: what waits is in the former file', async () => {
    await store.backUp(copy);
    const writes = Array.from({ length: 40 }, (_, index) => add(store, `at once ${index}`));
    const restored = store.restore(copy);
    const outcomes = await Promise.allSettled(writes);
    const former = await restored;
    await store.close();
    const there = await devicesIn(
      former,
      outcomes.map((_, index) => `at once ${index}`),
    );
    const now = await devicesIn(
      file,
      outcomes.map((_, index) => `at once ${index}`),
    );
    for (const [index, { status }] of outcomes.entries()) {
      if (status === 'fulfilled') expect([...there, ...now]).toContain(`at once ${index}`);
    }
  });

  it('changes nothing where it cannot be opened', async () => {
    writeFileSync(copy, 'no database, but longer than the header of one, so that it is not taken for empty '.repeat(9));
    await expect(store.restore(copy)).rejects.toThrow(/not a database/);
    await expect(store.restore(join(folder, 'absent.db'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await has(store, 'one')).toBe(true);
    await add(store, 'after');
    await store.close();
    expect(await devicesIn(file, ['one', 'after'])).toEqual(['one', 'after']);
    expect(readdirSync(folder).sort()).toEqual(['copy.db', 'saves.db']);
  });

  it('leaves nothing behind of a database that is none of ours, and changes nothing', async () => {
    const other = await openSqlite(copy);
    other.exec('CREATE TABLE notes (text)');
    other.close();
    await expect(store.restore(copy)).rejects.toThrow(/no such table/);
    expect(await has(store, 'one')).toBe(true);
    await store.close();
    expect(readdirSync(folder).sort()).toEqual(['copy.db', 'saves.db']);
  });

  it('goes back to the former file where the new one cannot be used', async () => {
    let isFirst = true;
    const wary = await openSqliteStore(
      { file: join(folder, 'wary.db') },
      {
        open: async (path) => {
          if (!isFirst && !existsSync(`${path}.restoring`) && readdirSync(folder).some((name) => /before/.test(name))) {
            if (refusals.length > 0) throw refusals.pop();
          }
          isFirst = false;
          return openSqlite(path);
        },
      },
    );
    const refusals = [new Error('refused')];
    await add(wary, 'mine');
    await store.backUp(copy);
    await expect(wary.restore(copy)).rejects.toThrow('refused');
    expect(await has(wary, 'mine')).toBe(true);
    await wary.close();
    expect(readdirSync(folder).filter((name) => /before|restoring/.test(name))).toEqual([]);
  });
});

describe('a file that is no backup', () => {
  it('is not called damaged while another process has it open, as a second restore of it has', async () => {
    await store.backUp(copy);
    const other = await openSqlite(copy);
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    const refused = checkDatabase(copy);
    await expect(refused).rejects.toThrow(`${copy} is in use by another process.`);
    await expect(refused).rejects.toBeInstanceOf(FileInUse);
    other.close();
    await checkDatabase(copy);
  });

  it('is told from one, by name', async () => {
    await expect(checkDatabase(join(folder, 'absent.db'))).rejects.toMatchObject({ code: 'ENOENT' });
    const other = await openSqlite(join(folder, 'other.db'));
    other.exec('CREATE TABLE things (id integer)');
    other.close();
    await expect(checkDatabase(join(folder, 'other.db'))).rejects.toThrow('is no database of savepoint');
    await store.backUp(copy);
    const newer = await openSqlite(copy);
    newer.exec('INSERT INTO schema_versions (version, applied_at) VALUES (999, 1)');
    newer.close();
    await expect(checkDatabase(copy)).rejects.toThrow('needs a newer savepoint');
  });
});
