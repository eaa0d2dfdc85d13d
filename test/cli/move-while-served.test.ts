import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore, type SqliteStore } from 'savepoint/backend/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newSigningKey } from '../../src/cli/new-key.js';
import { askToHandOver, openStoreSocket } from '../../src/cli/store-socket.js';
import { createTestService, signInGuest, type TestService, writeText } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { contentOf, fillStore } from './filled-store.js';
import { runCommand } from './in-process.js';
import { playOn } from './move-while-served.js';

let folder: string;
let from: string;
let to: string;
let store: SqliteStore;
let service: TestService;
let socket: { close(): Promise<void> };

beforeEach(async () => {
  folder = temporaryFolder();
  [from, to] = [join(folder, 'old.db'), join(folder, 'new.db')];
  await fillStore(from, 300);
  store = await createSqliteStore({ file: from });
  service = createTestService({ store });
  socket = await openStoreSocket(store, from);
});
afterEach(async () => {
  await socket.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

const move = (stop?: AbortSignal, heard?: (text: string) => void) =>
  runCommand(['move', '--from', from, '--to', to, '--json'], {
    ...(stop === undefined ? {} : { stop }),
    ...(heard === undefined ? {} : { heard }),
  });
const save = async () => (await writeText(service, await signInGuest(service), 'main', '{"n":1}')).status;

describe('savepoint move from a file that a service has open', () => {
  it('loses nothing that was written meanwhile, goes on to answer reads, and signs nobody out', async () => {
    const signingKey = await newSigningKey();
    const playing = await playOn(store, signingKey);
    const { code, out, err } = await move();
    await expect.poll(() => playing.counts().readsBeside).toBeGreaterThan(20);
    await playing.end();
    expect([code, err]).toEqual([0, expect.stringContaining('catch up [')]);
    const said = JSON.parse(out);
    expect(said).toMatchObject({ wasThere: false, changed: expect.any(Number) });
    expect(said.changed).toBeGreaterThan(0);
    expect(said.heldSeconds).toBeLessThan(said.seconds);
    const { writes, refused, readsBeside } = playing.counts();
    expect(writes).toBeGreaterThan(0);
    expect(readsBeside).toBe(refused);
    await socket.close();
    await store.close();
    expect(await contentOf(to)).toEqual(await contentOf(from));
    const next = await createSqliteStore({ file: to });
    const { found, told } = await playing.goOnAt(next);
    await next.close();
    expect(found).toEqual(told);
    expect(readdirSync(folder).filter((name) => name.includes('moving'))).toEqual([]);
    await expect(createSqliteStore({ file: from })).rejects.toThrow('This store was moved to another one');
  });

  it('leaves the service as it was where it is interrupted, while it copies or while nobody can write', async () => {
    for (const what of ['copy [', 'check [', 'catch up [']) {
      const ending = new AbortController();
      const heard = (text: string): void => {
        if (text.includes(what)) ending.abort('SIGINT');
      };
      expect(await move(ending.signal, heard)).toMatchObject({ code: 130 });
      await expect.poll(save).toBe(200);
      expect(readdirSync(folder).filter((name) => name.includes('moving'))).toEqual([]);
    }
    expect(await move()).toMatchObject({ code: 0 });
    expect(await save().catch(() => 503)).toBe(503);
  });
});

describe('a store that is handed over', () => {
  it('takes no writes until whoever asked is gone', async () => {
    const copy = join(folder, 'copy.db');
    const stop = new AbortController().signal;
    const handed = await askToHandOver(from, copy, { stop });
    expect(existsSync(copy)).toBe(true);
    await expect(save()).rejects.toThrow();
    await expect(store.restore(copy)).rejects.toThrow('The store is being moved.');
    await expect(askToHandOver(from, join(folder, 'other.db'), { stop })).rejects.toThrow('is being moved');
    handed?.leave();
    await expect.poll(() => save().catch(() => 503)).toBe(200);
  });

  it('takes none any more, and is opened no more, once it is marked as moved', async () => {
    const handed = await askToHandOver(from, join(folder, 'copy.db'), { stop: new AbortController().signal });
    await handed?.markMoved();
    handed?.leave();
    expect(await store.listScopes()).not.toBeNull();
    await expect(save()).rejects.toThrow();
    await socket.close();
    await store.close();
    await expect(createSqliteStore({ file: from })).rejects.toThrow('This store was moved to another one');
  });

  it('takes writes where there is no room for the copy', async () => {
    const copy = join(folder, 'no', 'such', 'folder.db');
    await expect(askToHandOver(from, copy, { stop: new AbortController().signal })).rejects.toThrow();
    expect(await save()).toBe(200);
  });
});
