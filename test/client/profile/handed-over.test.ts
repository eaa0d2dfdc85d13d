import { describe, expect, it } from 'vitest';
import type { Lock } from '../../../src/client/platform/locks.js';
import { type EntryRecord, nextWrite, readRecord, rebaseOn } from '../../../src/client/profile/entry-record.js';
import { createJournal } from '../../../src/client/profile/journal.js';
import { createUniteEntry } from '../../../src/client/profile/other-copy.js';
import { chooseSession } from '../../../src/client/session/session-store.js';
import type { RawHome } from '../../../src/client/storage/home.js';
import { homeKeys } from '../../../src/client/storage/home-keys.js';
import { createMemoryHome } from '../../../src/client/storage/memory-home.js';
import { uniteHomes } from '../../../src/client/storage/unite-homes.js';
import { createWebStorage } from '../storage/web-storage.js';

const keys = homeKeys('11111111-1111-4111-8111-111111111111', 1);
const place = `${keys.entries('ada')}progress/main`;
const lock: Lock = (_, task) => task();

const write = (id: string, coins: number) => ({ id, value: { coins } });
const unsent: EntryRecord = { version: -1, local: write('first', 5), by: 'a tab', since: 1 };

/** A device whose localStorage has an entry with something unsent, and whose home in IndexedDB takes that over. */
function createDevice(own: RawHome = createMemoryHome(), local = createWebStorage()) {
  local.setItem(place, JSON.stringify(unsent));
  const uniteEntry = createUniteEntry(keys.entries, createJournal({ localStorage: () => local }, keys.journal));
  return {
    local,
    there: () => readRecord(local.getItem(place)),
    here: async () => readRecord((await own.readAll(place)).get(place) ?? null),
    /** What a tab that lives on in localStorage does with its entry. */
    playOn: (change: (record: EntryRecord) => EntryRecord) =>
      local.setItem(place, JSON.stringify(change(readRecord(local.getItem(place)) as EntryRecord))),
    takeOver: (home = own) =>
      uniteHomes(home, local, { keys, record: 'localStorage', lock, chooseSession, uniteEntry }, () => false),
  };
}

/** A home that lets something happen before each of its writes is carried out, or once it has been. */
function beside(home: RawHome, { before = () => {}, after = () => {} }): RawHome {
  return {
    readAll: home.readAll,
    update: async (...wanted) => {
      before();
      const text = await home.update(...wanted);
      after();
      return text;
    },
  };
}

const died = (): never => {
  throw new Error('The page is gone.');
};

/** All that anybody on the device may send of the entry. */
async function sendable({ here, there }: ReturnType<typeof createDevice>): Promise<(string | undefined)[]> {
  return [await here(), there()].map((record) => nextWrite(record)?.id);
}

describe('what is unsent in localStorage, as IndexedDB becomes the home again', () => {
  it('is sent by the home alone, and still shown by a tab that lives on', async () => {
    const device = createDevice();
    await device.takeOver();
    expect(await sendable(device)).toEqual(['first', undefined]);
    expect(device.there()).toMatchObject({ base: { coins: 5 }, isAhead: true, counted: ['first'] });
    expect(device.there()?.handed).toBeUndefined();
  });

  it('is sent by nobody else from before the home has it', async () => {
    const own = createMemoryHome();
    const device = createDevice(own);
    const seen: (string | undefined)[] = [];
    await device.takeOver(beside(own, { before: () => seen.push(nextWrite(device.there())?.id) }));
    expect(seen).toContain(undefined);
    expect(seen).not.toContain('first');
  });

  it('is not renamed by a tab whose answer comes while the home gets it', async () => {
    const own = createMemoryHome();
    const device = createDevice(own);
    const settle = (record: EntryRecord): EntryRecord =>
      nextWrite(record)?.id === 'first'
        ? rebaseOn(record, { version: 0, value: { coins: 1 } }, write('merged', 6), 'a tab')
        : record;
    await device.takeOver(beside(own, { after: () => device.playOn(settle) }));
    expect(await sendable(device)).toEqual(['first', undefined]);
  });

  it('comes by the next start where the page is gone before the home has it', async () => {
    const own = createMemoryHome();
    const device = createDevice(own);
    await expect(device.takeOver(beside(own, { before: died }))).rejects.toThrow('gone');
    expect(await sendable(device)).toEqual([undefined, undefined]);
    await device.takeOver();
    expect(await sendable(device)).toEqual(['first', undefined]);
    expect(device.there()?.handed).toBeUndefined();
  });

  it('comes once where the page is gone as soon as the home has it', async () => {
    const own = createMemoryHome();
    const device = createDevice(own);
    await expect(device.takeOver(beside(own, { after: died }))).rejects.toThrow('gone');
    for (let starts = 0; starts < 2; starts += 1) await device.takeOver();
    expect(await sendable(device)).toEqual(['first', undefined]);
  });

  it('comes with what a tab sets meanwhile, in that order', async () => {
    const own = createMemoryHome();
    const device = createDevice(own);
    await expect(device.takeOver(beside(own, { before: died }))).rejects.toThrow('gone');
    device.playOn((record) => ({ ...record, local: write('second', 8), by: 'a tab' }));
    await device.takeOver();
    expect(await sendable(device)).toEqual(['first', undefined]);
    const journal = [...Array(device.local.length).keys()].map((at) => device.local.getItem(`${device.local.key(at)}`));
    expect(journal.join()).toContain('second');
  });

  it('is taken as it is where localStorage is full', async () => {
    const local = createWebStorage();
    const device = createDevice(createMemoryHome(), local);
    const full = new DOMException('It is full.', 'QuotaExceededError');
    const { setItem } = local;
    local.setItem = () => {
      throw full;
    };
    await device.takeOver();
    expect(await device.here()).toMatchObject({ local: { id: 'first' } });
    local.setItem = setItem;
    await device.takeOver();
    expect(await sendable(device)).toEqual(['first', undefined]);
  });
});
