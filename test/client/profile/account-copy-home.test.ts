import { describe, expect, it } from 'vitest';
import { setLocal } from '../../../src/client/profile/entry-record.js';
import type { Home } from '../../../src/client/storage/home.js';
import { createMemoryHome } from '../../../src/client/storage/memory-home.js';
import { until } from '../world.js';
import { createDevice, main, turn, watch } from './copied-device.js';

describe('the copy of an account, where its home is slow or closed,', () => {
  it('settles no edit before the home does', async () => {
    let letGo = (): void => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const inner = createMemoryHome();
    const home: Home = {
      ...inner,
      update: (key, change) => inner.update(key, change).then((text) => gate.then(() => text)),
    };
    const { copy, set } = await createDevice(() => home).open();
    const call = watch(set({ coins: 1 }));
    const all = watch(copy.stored());
    await turn();
    expect([call.isSettled, all.isSettled, copy.record(main)]).toEqual([false, false, undefined]);
    expect([copy.value(main), [...copy.storing], [...copy.unsent]]).toEqual([{ coins: 1 }, [main], []]);
    letGo();
    await until(() => call.isSettled && all.isSettled);
    expect([[...copy.storing], [...copy.unsent]]).toEqual([[], [main]]);
  });

  it('shows what the game sets while the home answers, on top of what comes', async () => {
    const inner = createMemoryHome();
    const home: Home = {
      ...inner,
      update: (key, change) => inner.update(key, change).then((text) => turn().then(() => text)),
    };
    const { copy, add, seen } = await createDevice(() => home).open();
    const read = copy.change(main, 'cloud', () => ({ version: 4, base: { coins: 10 } }));
    await Promise.resolve();
    const call = add(1);
    expect(copy.value(main)).toEqual({ coins: 1 });
    await read;
    expect([copy.value(main), copy.record(main)]).toEqual([{ coins: 11 }, { version: 4, base: { coins: 10 } }]);
    await call;
    expect(copy.value(main)).toEqual({ coins: 11 });
    expect(seen.slice(0, 2).map(([, by]) => by)).toEqual(['game', 'cloud']);
  });

  it('says that it could not read, and leaves no rejection that nobody hears of', async () => {
    const closed = new Error('closed');
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const { copy } = createDevice(() => ({ ...createMemoryHome(), readAll: () => Promise.reject(closed) })).start();
    await turn();
    await turn();
    process.off('unhandledRejection', note);
    await expect(copy.opened).rejects.toBe(closed);
    expect(unhandled).toEqual([]);
  });

  it('rejects an edit where the home was closed before it had it, and goes on showing it', async () => {
    const closed = new Error('closed');
    const home: Home = { ...createMemoryHome(), update: () => Promise.reject(closed) };
    const { copy, set } = await createDevice(() => home).open();
    await expect(set({ coins: 1 })).rejects.toBe(closed);
    await expect(copy.change(main, 'cloud', (record) => record)).rejects.toBe(closed);
    expect([copy.value(main), [...copy.storing]]).toEqual([{ coins: 1 }, [main]]);
  });

  it('reads again what another tab has written, rather than believe what it knows', async () => {
    const device = createDevice(createMemoryHome);
    const { copy, add } = await device.open();
    await add(1);
    const seen: unknown[] = [];
    device.put(
      main,
      setLocal(
        { version: 8, base: { coins: 5 } },
        { id: 'x', value: { coins: 6 } },
        { id: 'b', now: 1, mayHaveSent: () => false },
      ),
    );
    await copy.change(main, 'cloud', (record) => {
      seen.push(record);
      return record;
    });
    expect(seen).toMatchObject([{ version: 8, local: { id: 'x' }, by: 'b' }]);
    expect(copy.value(main)).toEqual({ coins: 6 });
  });
});
