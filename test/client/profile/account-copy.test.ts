import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { confirmWrite, type EntryRecord, nextWrite } from '../../../src/client/profile/entry-record.js';
import type { Home } from '../../../src/client/storage/home.js';
import { createMemoryHome } from '../../../src/client/storage/memory-home.js';
import type { JsonObject } from '../../../src/protocol/messages.js';
import { until } from '../world.js';
import { coinsOf, createDevice, main, prefix, turn, watch } from './copied-device.js';

/** A home that answers late, and asks for each change twice: in vain the first time, or on what it has stored by then. */
function createLateHome(texts: Map<string, string>, isStored: boolean): Home {
  const inner = createMemoryHome(texts);
  return {
    readAll: async (key) => {
      await turn();
      return inner.readAll(key);
    },
    update: async (key, change) => {
      await turn();
      if (isStored) return inner.update(key, (text) => change(change(text)));
      change(texts.get(key) ?? null);
      await turn();
      return inner.update(key, change);
    },
  };
}

const homes: { name: string; open: (texts: Map<string, string>) => Home }[] = [
  { name: 'a home in memory', open: createMemoryHome },
  { name: 'a home that asks twice', open: (texts) => createLateHome(texts, false) },
  { name: 'a home that stores twice', open: (texts) => createLateHome(texts, true) },
];

describe.each(homes)('the copy of an account on $name', ({ open: openHome }) => {
  it('has what the home has, and shows what was set last', async () => {
    const device = createDevice(openHome);
    device.put(main, { version: 3, base: { coins: 1 } });
    device.put('progress\nother', {
      version: 1,
      base: { coins: 1 },
      sent: { id: 's', value: { coins: 2 } },
      local: { id: 'l', value: { coins: 3 } },
    });
    device.texts.set(`${prefix}progress\ndamaged`, '{');
    device.texts.set(`entry:bob:${main}`, JSON.stringify({ version: 1, base: { coins: 9 } }));
    const { copy } = await device.open();
    expect([...copy.names()].sort()).toEqual([main, 'progress\nother']);
    expect([copy.value(main), copy.value('progress\nother')]).toEqual([{ coins: 1 }, { coins: 3 }]);
    expect([copy.value('progress\ndamaged'), copy.value('progress\nnone')]).toEqual([undefined, undefined]);
    expect(copy.record(main)).toEqual({ version: 3, base: { coins: 1 } });
    expect([...copy.unsent]).toEqual(['progress\nother']);
  });

  it('takes what the game sets before it has read the home, on top of what is there', async () => {
    const device = createDevice(openHome);
    device.put(main, { version: 3, base: { coins: 10 } });
    device.put('progress\nother', { version: 3, base: { coins: 1 } });
    const { copy, add } = device.start();
    const call = add(5);
    expect([copy.value(main), copy.value('progress\nother')]).toEqual([{ coins: 5 }, undefined]);
    await Promise.all([copy.opened, call]);
    expect([copy.value(main), copy.value('progress\nother')]).toEqual([{ coins: 15 }, { coins: 1 }]);
    expect(device.record()).toMatchObject({ version: 3, base: { coins: 10 }, local: { value: { coins: 15 } } });
  });

  it('shows what the game sets at once, and settles when the home has it', async () => {
    const device = createDevice(openHome);
    const { copy, set, seen, stored } = await device.open();
    const call = set({ coins: 1 });
    expect([copy.value(main), copy.record(main), [...copy.storing]]).toEqual([{ coins: 1 }, undefined, [main]]);
    expect([seen, stored, [...copy.names()]]).toEqual([[[main, 'game']], [], [main]]);
    expect(device.record()).toBeUndefined();
    await call;
    expect(device.record()).toMatchObject({ version: -1, local: { value: { coins: 1 } } });
    expect(copy.record(main)).toEqual(device.record());
    expect([[...copy.storing], [...copy.unsent], stored]).toEqual([[], [main], [main]]);
    expect(copy.value(main)).toEqual({ coins: 1 });
  });

  it('stores in one step what the game sets in one task, and tells all callers', async () => {
    const device = createDevice(openHome);
    const { copy, set, add } = await device.open();
    await Promise.all([set({ coins: 1 }), add(1), set({ coins: 7 }, 'progress\nother'), add(1)]);
    expect(device.steps.sort()).toEqual([prefix + main, `${prefix}progress\nother`]);
    expect(device.record()).toMatchObject({ version: -1, local: { value: { coins: 3 } } });
    expect(device.record()?.sent).toBeUndefined();
    expect(copy.value(main)).toEqual({ coins: 3 });
  });

  it('stores what is set while it stores, and tells nobody too early', async () => {
    const device = createDevice(openHome);
    const { copy, add } = await device.open();
    const calls = [watch(add(1))];
    for (let more = 0; more < 5; more += 1) {
      await Promise.resolve();
      calls.push(watch(add(1)));
      const coins = coinsOf(device.record()?.local?.value);
      for (const [index, { isSettled }] of calls.entries()) if (isSettled) expect(coins).toBeGreaterThan(index);
    }
    await copy.stored();
    expect(device.record()?.local?.value).toEqual({ coins: 6 });
    expect([copy.value(main), [...copy.storing]]).toEqual([{ coins: 6 }, []]);
    await until(() => calls.every(({ isSettled }) => isSettled));
  });

  it('counts the edits of two tabs that are made in the same moment', async () => {
    const device = createDevice(openHome);
    device.put(main, { version: 3, base: { coins: 10 } });
    const [one, other] = [await device.open(), await device.open()];
    await Promise.all([one.add(1), other.add(1), one.add(1)]);
    await Promise.all([one.copy.sync(), other.copy.sync([main])]);
    expect([one.copy.value(main), other.copy.value(main)]).toEqual([{ coins: 13 }, { coins: 13 }]);
    expect(one.copy.record(main)).toEqual(other.copy.record(main));
  });

  it('makes an update again on what another tab has written', async () => {
    const device = createDevice(openHome);
    const [one, other] = [await device.open(), await device.open()];
    const double = (value: JsonObject | undefined): JsonObject => ({ coins: coinsOf(value) * 2 });
    await one.set({ coins: 5 });
    await other.copy.sync();
    await Promise.all([one.set({ coins: 7 }), other.update(double)]);
    await one.copy.sync();
    expect(other.copy.value(main)).toEqual({ coins: 14 });
    expect(one.copy.value(main)).toEqual({ coins: 14 });
  });

  it('takes the later of two values where no rule says more', async () => {
    const device = createDevice(openHome);
    const [one, other] = [await device.open(), await device.open()];
    await one.set({ level: 1, hat: 'red' });
    await other.set({ level: 2 });
    await one.copy.sync();
    expect([one.copy.value(main), other.copy.value(main)]).toEqual([{ level: 2 }, { level: 2 }]);
  });

  it('takes the value of a function of the game that fails on what another tab has written, and reports it', async () => {
    const device = createDevice(openHome);
    const [one, other] = [await device.open(), await device.open()];
    const defect = new Error('defect');
    const once = (value: JsonObject | undefined): JsonObject => {
      if (value !== undefined) throw defect;
      return { coins: 1 };
    };
    await one.set({ coins: 5 });
    await other.update(once);
    expect(device.record()).toMatchObject({ sent: { value: { coins: 5 } }, local: { value: { coins: 1 } } });
    expect(other.reported.length).toBeGreaterThan(0);
    expect(new Set(other.reported)).toEqual(new Set([defect]));
  });

  it('refuses what is too large together with what another tab has written, and changes nothing', async () => {
    const device = createDevice(openHome);
    const union = { merge: { items: 'union' } } as const;
    const [one, other] = [await device.open(), await device.open()];
    const [first, second] = ['a', 'b'].map((letter) => ({ items: [letter.repeat(100 * 1024)] }) as JsonObject);
    await one.set(first as JsonObject, main, union);
    await expect(other.set(second as JsonObject, main, union)).rejects.toMatchObject({ code: 'too_large' });
    expect([device.record()?.local?.value, other.copy.value(main), [...other.copy.storing]]).toEqual([
      first,
      first,
      [],
    ]);
  });

  it('freezes what another tab has set, and what this one has sent', async () => {
    const device = createDevice(openHome);
    const [one, other] = [await device.open(), await device.open()];
    await one.add(1);
    const first = device.record()?.local;
    await one.add(1);
    expect(device.record()?.sent).toBeUndefined();
    const second = device.record()?.local;
    expect(second).not.toEqual(first);
    await other.add(1);
    expect(device.record()).toMatchObject({ sent: second, local: { value: { coins: 3 } } });
    await other.copy.change(
      main,
      'cloud',
      (record) => record && confirmWrite(record, { id: second?.id ?? '', version: 0, now: 9 }),
    );
    const third = device.record()?.local;
    if (third !== undefined) other.page.sending(third);
    await other.add(1);
    expect(device.record()).toMatchObject({ version: 0, sent: third, local: { value: { coins: 4 } } });
  });

  it('names the unsent entries, the longest unsent first', async () => {
    const device = createDevice(openHome);
    device.put('progress\nc', { version: 1, sent: { id: 'c', value: { n: 1 } }, since: -1 });
    device.put('progress\nb', { version: 1, local: { id: 'b', value: { n: 1 } }, since: -2 });
    device.put('progress\na', { version: 1, base: { n: 1 } });
    const { copy, set } = await device.open();
    expect([...copy.unsent]).toEqual(['progress\nb', 'progress\nc']);
    await set({ n: 2 }, 'progress\na');
    // It was unsent before: another value does not send it to the end of the line.
    await set({ n: 2 }, 'progress\nb');
    expect([...copy.unsent]).toEqual(['progress\nb', 'progress\nc', 'progress\na']);
    const confirm = (name: string) => {
      const id = nextWrite(copy.record(name))?.id ?? '';
      return copy.change(name, 'cloud', (record) => record && confirmWrite(record, { id, version: 2, now: 1_000 }));
    };
    // What was set on top of the one that is confirmed now goes there.
    await confirm('progress\nb');
    expect([...copy.unsent]).toEqual(['progress\nc', 'progress\na', 'progress\nb']);
    await confirm('progress\nc');
    expect([...copy.unsent]).toEqual(['progress\na', 'progress\nb']);
    expect([...(await device.open()).copy.unsent]).toEqual(['progress\na', 'progress\nb']);
  });

  it('says what the record will be, and stores nothing by that', async () => {
    const device = createDevice(openHome);
    device.put(main, { version: 3, base: { coins: 1 } });
    const { copy, add } = await device.open();
    expect(copy.planned(main)).toBeUndefined();
    expect(copy.planned('progress\nnone')).toBeUndefined();
    const call = add(1);
    const planned = copy.planned(main)?.records[0];
    expect(planned).toMatchObject({ version: 3, base: { coins: 1 }, local: { value: { coins: 2 } } });
    expect([copy.record(main)?.local, device.record()?.local]).toEqual([undefined, undefined]);
    await call;
    expect(copy.planned(main)).toBeUndefined();
    expect(device.record()?.local).toEqual(JSON.parse(JSON.stringify(planned?.local)));
  });

  it('changes a record in one step, and says so only where something has changed', async () => {
    const device = createDevice(openHome);
    device.put(main, { version: 3, base: { coins: 1 } });
    const { copy, seen, stored } = await device.open();
    expect(await copy.change(main, 'cloud', (record) => record)).toEqual({ version: 3, base: { coins: 1 } });
    expect([seen, stored]).toEqual([[], []]);
    const next: EntryRecord = { version: 4, base: { coins: 2 } };
    expect(await copy.change(main, 'cloud', () => next)).toEqual(next);
    expect([device.record(), copy.value(main)]).toEqual([next, { coins: 2 }]);
    expect([seen, stored]).toEqual([[[main, 'cloud']], [main]]);
    expect(await copy.change(main, 'game', () => null)).toBeUndefined();
    expect([device.texts.size, copy.value(main), [...copy.names()]]).toEqual([0, undefined, []]);
    expect(await copy.change(main, 'game', (record) => record)).toBeUndefined();
    expect([seen, stored]).toEqual([
      [
        [main, 'cloud'],
        [main, 'game'],
      ],
      [main, main],
    ]);
  });

  it('keeps what the game has set on top of a record that changes', async () => {
    const device = createDevice(openHome);
    device.put(main, { version: 3, base: { coins: 1 } });
    const { copy, add } = await device.open();
    const call = add(1);
    const read = copy.change(main, 'cloud', (record) =>
      nextWrite(record) === undefined ? { version: 4, base: { coins: 10 } } : record,
    );
    expect(copy.value(main)).toEqual({ coins: 2 });
    await Promise.all([call, read]);
    // Whichever was first.
    expect(coinsOf(copy.value(main)) - coinsOf(device.record()?.base)).toBe(1);
  });

  it('takes over what other tabs have written, changed and removed', async () => {
    const device = createDevice(openHome);
    device.put(main, { version: 3, base: { coins: 1 } });
    device.put('progress\nsame', { version: 3, base: { coins: 1 } });
    const [one, other] = [await device.open(), await device.open()];
    await other.set({ coins: 5 }, 'progress\nnew');
    await other.copy.change(main, 'cloud', () => null);
    expect([one.copy.value(main), one.copy.value('progress\nnew')]).toEqual([{ coins: 1 }, undefined]);
    await one.copy.sync(['progress\nnew']);
    expect([one.copy.value(main), one.copy.value('progress\nnew')]).toEqual([{ coins: 1 }, { coins: 5 }]);
    await one.copy.sync();
    expect(one.copy.value(main)).toBeUndefined();
    expect(one.seen).toEqual([
      ['progress\nnew', 'tab'],
      [main, 'tab'],
    ]);
    await one.copy.sync();
    await one.copy.sync(['progress\nsame', 'progress\nnone']);
    expect(one.seen).toHaveLength(2);
    // It has nothing for the other tabs.
    expect(one.stored).toEqual([]);
    expect([...one.copy.unsent]).toEqual(['progress\nnew']);
  });

  it('keeps what the game had changed where another tab has dropped the entry: the service may have it', async () => {
    const device = createDevice(openHome);
    for (const way of ['set', 'update'] as const) {
      device.put(main, { version: 3, base: { coins: 10 } });
      const { copy, add, update } = await device.open();
      device.texts.delete(prefix + main);
      if (way === 'set') await add(1);
      else await update((value) => ({ coins: coinsOf(value) + 1 }));
      expect(device.record()).toMatchObject({ version: -1, base: { coins: 10 }, local: { value: { coins: 11 } } });
      expect(copy.value(main)).toEqual({ coins: 11 });
    }
  });

  it('tells what another tab has made of it where that is not what was set', async () => {
    const device = createDevice(openHome);
    const [one, other] = [await device.open(), await device.open()];
    await one.add(1);
    other.seen.length = 0;
    await other.add(1);
    expect(other.copy.value(main)).toEqual({ coins: 2 });
    expect(other.seen).toEqual([
      [main, 'game'],
      [main, 'tab'],
    ]);
  });

  it('remembers by which updates a write was made, as long as it was made by them alone', async () => {
    const device = createDevice(openHome);
    const { copy, page, update, set } = await device.open();
    const [addOne, double] = [
      (value: JsonObject | undefined): JsonObject => ({ coins: coinsOf(value) + 1 }),
      (value: JsonObject | undefined): JsonObject => ({ coins: coinsOf(value) * 2 }),
    ];
    await update(addOne);
    await Promise.all([update(double), update(addOne)]);
    expect(page.changesOf(copy.record(main)?.local)).toEqual([addOne, double, addOne]);
    await set({ coins: 9 });
    expect(page.changesOf(copy.record(main)?.local)).toBeUndefined();
    await update(addOne);
    expect(page.changesOf(copy.record(main)?.local)).toBeUndefined();
    const local = copy.record(main)?.local;
    if (local !== undefined) page.sending(local);
    await update(addOne);
    expect(page.changesOf(copy.record(main)?.local)).toEqual([addOne]);
  });

  it('keeps what is set before an account with what the game had changed, and never frozen', async () => {
    const device = createDevice(openHome);
    const [one, other] = [await device.open({ userId: null }), await device.open({ userId: null })];
    await one.add(1);
    await other.add(1);
    await one.add(1);
    expect(device.record()).toMatchObject({ version: -1, local: { value: { coins: 3 } } });
    expect([device.record()?.sent, device.record()?.base]).toEqual([undefined, undefined]);
  });

  it('counts every edit of two tabs once, whatever comes between', async () => {
    const action = fc.oneof(
      { weight: 4, arbitrary: fc.record({ does: fc.constant('add' as const), tab: fc.nat(1), coins: fc.integer() }) },
      fc.record({ does: fc.constantFrom('turn', 'sync', 'send', 'stored'), tab: fc.nat(1) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
        const device = createDevice(openHome);
        const tabs = [await device.open(), await device.open()];
        const calls: Promise<unknown>[] = [];
        let coins = 0;
        for (const one of actions) {
          const tab = tabs[one.tab] as (typeof tabs)[number];
          if (one.does === 'add') {
            const before = coinsOf(tab.copy.value(main));
            calls.push(tab.add(one.coins));
            expect(coinsOf(tab.copy.value(main))).toBe(before + one.coins);
            coins += one.coins;
          } else if (one.does === 'turn') await turn();
          else if (one.does === 'stored') await tab.copy.stored();
          else if (one.does === 'sync') calls.push(tab.copy.sync());
          else {
            const next = nextWrite(tab.copy.record(main));
            if (next !== undefined && tab.copy.record(main)?.by === tab.page.id) tab.page.sending(next);
          }
        }
        await Promise.all(calls);
        await Promise.all(tabs.map(({ copy }) => copy.sync()));
        for (const { copy } of tabs) expect(coinsOf(copy.value(main))).toBe(coins);
        expect(tabs.map(({ copy }) => [...copy.storing])).toEqual([[], []]);
      }),
      { numRuns: 60 },
    );
  });
});
