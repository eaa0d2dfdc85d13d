import { describe, expect, it } from 'vitest';
import { createJournal, type JournalItem } from '../../../src/client/profile/journal.js';
import type { StoragePort } from '../../../src/client/storage/storage-port.js';
import { createMemoryStorage } from '../world.js';
import { createTabStorages } from './tab-storages.js';

const key = 'savepoint:game:0:journal';
const item = (id: string, userId = 'ada'): JournalItem => ({
  userId,
  name: 'progress\nmain',
  writes: [{ id, value: { coins: 1 }, times: { skin: 4 } }],
  version: 3,
  before: { coins: 0 },
  isAsked: true,
});
const idsOf = (items: readonly JournalItem[]): string[] => items.map(({ writes }) => writes.map(({ id }) => id).join());

describe('the journal', () => {
  it('is there for the next page, as it was written', () => {
    const storage = createMemoryStorage();
    expect(createJournal(storage, key).put(item('a'))).toBe(true);
    const next = createJournal(storage, key);
    expect(next.items('ada')).toEqual([item('a')]);
    expect([next.isAsked('a'), next.isAsked('b')]).toEqual([true, false]);
  });

  it('keeps what several pages have left, in their order, for each account its own', () => {
    const storage = createMemoryStorage();
    const [one, other] = [createJournal(storage, key), createJournal(storage, key)];
    one.put(item('a'));
    other.put(item('b', 'bob'));
    one.put(item('c'));
    expect([idsOf(other.items('ada')), idsOf(one.items('bob')), one.items('cy')]).toEqual([['a', 'c'], ['b'], []]);
  });

  it('drops the one item of a write, whoever has added it', () => {
    const storage = createMemoryStorage();
    const [one, other] = [createJournal(storage, key), createJournal(storage, key)];
    for (const id of ['a', 'b', 'c']) one.put(item(id));
    other.settled('b');
    other.settled('none');
    expect([idsOf(one.items('ada')), one.isAsked('b')]).toEqual([['a', 'c'], false]);
  });

  it('keeps what tabs leave in the same moment, each before it hears of the other', () => {
    const { open, texts } = createTabStorages();
    const storages = [open(), open()];
    const [one, other] = storages.map((storage) => createJournal(storage, key));
    one?.put(item('a'));
    other?.put(item('b'));
    one?.put(item('c'));
    for (const storage of storages) storage.hear();
    other?.settled('a');
    expect(idsOf(other?.items('ada') ?? []).sort()).toEqual(['b', 'c']);
    expect([...texts().keys()].every((name) => name.startsWith(`${key}:`))).toBe(true);
  });

  it('has them in the order in which they were put, however the storage names its keys', () => {
    const journal = createJournal(createTabStorages().open(), key);
    const ids = Array.from({ length: 12 }, (_, index) => `write-${index}`);
    for (const id of ids) journal.put(item(id));
    expect(idsOf(journal.items('ada'))).toEqual(ids);
  });

  it('leaves nothing behind when it is empty, and touches no other key', () => {
    const storage = createMemoryStorage(new Map([['other', 'text']]));
    const journal = createJournal(storage, key);
    journal.put(item('a'));
    expect([...storage.values.keys()]).toEqual(['other', key]);
    journal.settled('a');
    expect([...storage.values]).toEqual([['other', 'text']]);
  });

  it('writes only where something goes', () => {
    let writes = 0;
    const memory = createMemoryStorage();
    const counting: StoragePort = {
      getItem: memory.getItem,
      setItem: (name, text) => {
        writes += 1;
        memory.setItem(name, text);
      },
      removeItem: () => {
        writes += 1;
      },
    };
    const journal = createJournal(counting, key);
    journal.put(item('a'));
    journal.settled('none');
    journal.items('ada');
    expect(writes).toBe(1);
  });

  it('says that it has kept nothing where there is no storage', () => {
    const journal = createJournal(undefined, key);
    expect(journal.put(item('a'))).toBe(false);
    expect([journal.items('ada'), journal.isAsked('a')]).toEqual([[], false]);
    expect(() => journal.settled('a')).not.toThrow();
  });

  it('looks for the storage of the platform each time, which may refuse it', () => {
    const storage = createMemoryStorage();
    let opens: () => StoragePort | undefined = () => storage;
    const journal = createJournal({ localStorage: () => opens() as Storage | undefined }, key);
    expect([journal.put(item('a')), journal.isAsked('a')]).toEqual([true, true]);
    opens = () => undefined;
    expect([journal.put(item('b')), journal.isAsked('a')]).toEqual([false, false]);
    opens = () => {
      throw new Error('SecurityError');
    };
    expect([journal.put(item('b')), journal.items('ada')]).toEqual([false, []]);
  });

  it('says that it has kept nothing where the storage is full, and keeps what it had', () => {
    const memory = createMemoryStorage();
    let isFull = false;
    const storage: StoragePort = {
      ...memory,
      setItem: (name, text) => {
        if (isFull) throw new Error('QuotaExceededError');
        memory.setItem(name, text);
      },
    };
    const journal = createJournal(storage, key);
    journal.put(item('a'));
    isFull = true;
    expect(journal.put(item('b'))).toBe(false);
    expect(idsOf(journal.items('ada'))).toEqual(['a']);
    journal.settled('a');
    expect(journal.items('ada')).toEqual([]);
  });

  it('says that it has kept nothing where the storage does not answer at once', () => {
    const texts = new Map<string, string>();
    const later: StoragePort = {
      getItem: async (name) => texts.get(name) ?? null,
      setItem: async (name, text) => void texts.set(name, text),
      removeItem: async (name) => void texts.delete(name),
    };
    const journal = createJournal(later, key);
    expect(journal.put(item('a'))).toBe(false);
    expect([journal.items('ada'), journal.isAsked('a')]).toEqual([[], false]);
  });

  it('throws nothing where the page may not use the storage', () => {
    const refuse = (): never => {
      throw new Error('SecurityError');
    };
    const journal = createJournal({ getItem: refuse, setItem: refuse, removeItem: refuse }, key);
    expect(journal.put(item('a'))).toBe(false);
    expect([journal.items('ada'), journal.isAsked('a')]).toEqual([[], false]);
    expect(() => journal.settled('a')).not.toThrow();
  });

  it('begins anew where what is stored is damaged', () => {
    for (const text of ['', '{', 'null', '"text"', '{"1:a":3}', '[null,1,"text",[]]']) {
      const journal = createJournal(createMemoryStorage(new Map([[key, text]])), key);
      expect(journal.items('ada')).toEqual([]);
      expect(journal.isAsked('a')).toBe(false);
      expect(journal.put(item('a'))).toBe(true);
      expect(idsOf(journal.items('ada'))).toEqual(['a']);
    }
  });

  it('reads past what is no item of a journal', () => {
    const damaged = [{}, { userId: 'ada' }, { ...item('x'), writes: null }, { ...item('x'), name: 1 }];
    const texts = [...damaged, item('a')].map((one, index) => [`${index}:x`, JSON.stringify(one)] as const);
    const all = { ...Object.fromEntries(texts), '9:y': 1, '10:z': '{' };
    const journal = createJournal(createMemoryStorage(new Map([[key, JSON.stringify(all)]])), key);
    expect(journal.isAsked('a')).toBe(true);
    expect(journal.isAsked('b')).toBe(false);
    expect(idsOf(journal.items('ada'))).toEqual(['a']);
    journal.settled('a');
    expect(journal.items('ada')).toEqual([]);
  });

  it('leaves a storage that answers in promises alone, also where that fails', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const asked: string[] = [];
    const failing = (name: string) => (): Promise<never> => {
      asked.push(name);
      return Promise.reject(new Error('The storage fails.'));
    };
    const storage: StoragePort = { getItem: failing('get'), setItem: failing('set'), removeItem: failing('remove') };
    const journal = createJournal(storage, key);
    expect([journal.items('ada'), journal.isAsked('a'), journal.put(item('a'))]).toEqual([[], false, false]);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect([unhandled, asked]).toEqual([[], ['get']]);
  });
});
