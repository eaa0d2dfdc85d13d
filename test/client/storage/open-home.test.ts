import 'fake-indexeddb/auto';
import { IDBFactory, IDBOpenDBRequest } from 'fake-indexeddb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Storages } from '../../../src/client/platform/storages.js';
import { createJournal } from '../../../src/client/profile/journal.js';
import { createUniteEntry } from '../../../src/client/profile/other-copy.js';
import { chooseSession } from '../../../src/client/session/session-store.js';
import { homeKeys } from '../../../src/client/storage/home-keys.js';
import { createHomeFinder } from '../../../src/client/storage/open-home.js';
import type { OpenHome } from '../../../src/client/storage/steady-home.js';
import type { StoragePort } from '../../../src/client/storage/storage-port.js';
import { createMemoryStorage, holdTime, pass } from '../world.js';
import { createWebStorage } from './web-storage.js';

const keys = homeKeys('11111111-1111-4111-8111-111111111111', 1);

/** A browser's storages, each of which can be taken away. */
function createDevice() {
  const texts = new Map<string, string>();
  const local = createWebStorage(texts);
  const factory = new IDBFactory() as unknown as globalThis.IDBFactory;
  const denied = vi.fn();
  const storages: Storages = {
    indexedDB: () => factory,
    localStorage: () => local,
    manager: () => undefined,
  };
  return {
    texts,
    local,
    factory,
    denied,
    finder: (parts: Partial<Storages> = {}, custom?: StoragePort) =>
      createHomeFinder({
        keys,
        custom,
        storages: { ...storages, ...parts },
        lock: (_, task) => task(),
        readEarlierCopy: () => [],
        chooseSession,
        uniteEntry: createUniteEntry(keys.entries, createJournal({ localStorage: () => local }, keys.journal)),
        denied,
      }),
  };
}

const refuse = (name: string) => (): never => {
  throw new DOMException('refused', name);
};
const noStorage = { localStorage: () => undefined };
const refusing = { indexedDB: () => ({ open: refuse('UnknownError') }) as never };

/** Asks as often as the steady home would in a minute. */
async function insist(find: () => Promise<OpenHome>): Promise<string> {
  for (let tries = 0; tries < 10; tries += 1) {
    const found = await find().catch(() => null);
    if (found !== null) return found.kind;
  }
  return 'none';
}

describe('the home of a game on a device', () => {
  afterEach(() => vi.useRealTimers());

  it('is IndexedDB, and that is noted', async () => {
    const { finder, texts, denied } = createDevice();
    const { kind, home } = await finder()();
    await home.update(keys.session, () => 'text');
    expect(kind).toBe('indexedDB');
    expect([...texts]).toEqual([[keys.homeRecord, 'indexedDB']]);
    expect(denied).not.toHaveBeenCalled();
  });

  it('is the same for a page and its workers, which have no localStorage', async () => {
    const { finder } = createDevice();
    await (await finder(noStorage)()).home.update(keys.device, () => 'id');
    expect(await (await finder()()).home.readAll(keys.device)).toEqual(new Map([[keys.device, 'id']]));
  });

  it('is what the game has passed in, whatever else there is', async () => {
    const { finder, texts } = createDevice();
    expect((await finder({}, createMemoryStorage())()).kind).toBe('custom');
    expect(texts.size).toBe(0);
  });

  it('is memory where the platform has nothing, and nobody has denied anything', async () => {
    const { finder, denied } = createDevice();
    const { kind } = await finder({ ...noStorage, indexedDB: () => undefined })();
    expect(kind).toBe('memory');
    expect(denied).not.toHaveBeenCalled();
  });

  it('is localStorage where the browser has no IndexedDB, and stays it when there is one', async () => {
    const { finder } = createDevice();
    const { kind, home } = await finder({ indexedDB: () => undefined })();
    await home.update(keys.device, () => 'id');
    const later = await finder()();
    expect([kind, later.kind]).toEqual(['localStorage', 'localStorage']);
    expect(await later.home.readAll(keys.device)).toEqual(new Map([[keys.device, 'id']]));
  });

  it('is localStorage only after IndexedDB, where it has never worked, has refused three times', async () => {
    const { finder } = createDevice();
    const find = finder(refusing);
    await expect(find()).rejects.toThrow('refused');
    await expect(find()).rejects.toThrow('refused');
    expect((await find()).kind).toBe('localStorage');
  });

  it('is never made anew where IndexedDB has worked once', async () => {
    const { finder, texts } = createDevice();
    await finder()();
    expect(await insist(finder(refusing))).toBe('none');
    expect(await insist(finder({ indexedDB: () => undefined }))).toBe('none');
    expect([...texts]).toEqual([[keys.homeRecord, 'indexedDB']]);
    expect(await insist(finder())).toBe('indexedDB');
  });

  it('is waited for where an earlier version has kept its saves in IndexedDB', async () => {
    const { finder, local } = createDevice();
    local.setItem(keys.session, '{}');
    expect(await insist(finder(refusing))).toBe('none');
  });

  it('is localStorage where an earlier version had to keep its saves there too', async () => {
    const { finder, local } = createDevice();
    local.setItem(keys.session, '{}');
    local.setItem(`${keys.prefix}profile:ada`, '{}');
    expect(await insist(finder(refusing))).toBe('localStorage');
  });

  it('is not localStorage because IndexedDB is slow', async () => {
    holdTime();
    const { finder } = createDevice();
    const find = finder({ indexedDB: () => ({ open: () => new IDBOpenDBRequest() }) as never });
    const asking = insist(find);
    await pass(60_000);
    expect(await asking).toBe('none');
  });

  it('is not left because something cannot be written in it', async () => {
    const { finder, local } = createDevice();
    local.setItem(keys.session, JSON.stringify({ generation: 1 }));
    const put = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(refuse('QuotaExceededError'));
    expect(await insist(finder())).toBe('none');
    expect(local.getItem(keys.session)).not.toBeNull();
    put.mockRestore();
    expect(await insist(finder())).toBe('indexedDB');
  });

  it('is memory where the browser denies all of the site, which is said', async () => {
    const { finder, denied } = createDevice();
    const find = finder({ localStorage: refuse('SecurityError'), indexedDB: refuse('SecurityError') });
    expect((await find()).kind).toBe('memory');
    expect(denied).toHaveBeenCalledOnce();
  });

  it('is memory in a worker where the browser denies all of the site', async () => {
    const { finder, denied } = createDevice();
    expect((await finder({ ...noStorage, indexedDB: refuse('SecurityError') })()).kind).toBe('memory');
    expect(denied).toHaveBeenCalledOnce();
  });

  it('is waited for in a worker where IndexedDB fails', async () => {
    const { finder, denied } = createDevice();
    expect(await insist(finder({ ...noStorage, ...refusing }))).toBe('none');
    expect(denied).not.toHaveBeenCalled();
  });

  it('is IndexedDB where localStorage alone is denied, or full', async () => {
    const { finder, local, denied } = createDevice();
    expect((await finder({ localStorage: refuse('SecurityError') })()).kind).toBe('indexedDB');
    const full = { ...local, getItem: () => null, setItem: refuse('QuotaExceededError') };
    expect((await finder({ localStorage: () => full as never })()).kind).toBe('indexedDB');
    expect(denied).not.toHaveBeenCalled();
  });
});
