import { describe, expect, it } from 'vitest';
import { noGains } from '../../examples/web-game/src/game/progress.js';
import { createSaves, type SaveSlot } from '../../examples/web-game/src/saves.js';

type Value = Record<string, unknown>;

/** A service that keeps one entry; `down` refuses, `deaf` writes and then loses the answer. */
function createSlot(first?: Value) {
  const service = { stored: first, mode: 'up' as 'up' | 'down' | 'deaf', writes: 0 };
  const slot: SaveSlot = {
    async load() {
      if (service.mode === 'down') throw new Error('down');
      return service.stored;
    },
    async update(change) {
      if (service.mode === 'down') throw new Error('down');
      const value = change(service.stored);
      service.stored = value;
      service.writes += 1;
      if (service.mode === 'deaf') throw new Error('the answer was lost');
      return value;
    },
  };
  return { service, slot };
}

function createTab(slot: SaveSlot) {
  const retries: { action: () => void; ms: number }[] = [];
  const saves = createSaves({
    slot,
    onChange: () => {},
    setTimer: (action, ms) => retries.push({ action, ms }),
  });
  return { saves, retries };
}

const coins = (count: number) => ({ ...noGains, coins: count });

describe('the saves of the web game', () => {
  it('shows what is stored with everything since then on top', async () => {
    const { saves } = createTab(createSlot({ coins: 10, level: 2, best: 5 }).slot);
    await saves.open();
    saves.add({ ...coins(3), best: 7 });
    expect(saves.progress).toEqual({ coins: 13, level: 2, best: 7, magnet: 0 });
    expect(saves.state).toBe('unsaved');
    expect(await saves.save()).toBe(true);
    expect(saves.state).toBe('saved');
  });

  it('adds up the coins of two tabs', async () => {
    const { service, slot } = createSlot();
    const [one, two] = [createTab(slot).saves, createTab(slot).saves];
    await one.open();
    await two.open();
    one.add(coins(3));
    two.add(coins(4));
    await one.save();
    await two.save();
    expect(service.stored).toMatchObject({ coins: 7 });
    expect(two.progress.coins).toBe(7);
  });

  it('keeps what it could not save, and tries again later and later', async () => {
    const { service, slot } = createSlot();
    const { saves, retries } = createTab(slot);
    await saves.open();
    service.mode = 'down';
    saves.add(coins(5));
    expect(await saves.save()).toBe(false);
    expect(saves.state).toBe('failed');
    saves.add(coins(2));
    retries.at(-1)?.action();
    await saves.save();
    expect(saves.progress.coins).toBe(7);
    expect(retries.map(({ ms }) => ms)).toEqual([2_000, 4_000]);
    service.mode = 'up';
    retries.at(-1)?.action();
    await saves.save();
    expect(saves.state).toBe('saved');
    expect(service.stored).toMatchObject({ coins: 7 });
  });

  it('counts a batch once, though the answer to its write was lost', async () => {
    const { service, slot } = createSlot();
    const { saves } = createTab(slot);
    await saves.open();
    service.mode = 'deaf';
    saves.add(coins(5));
    expect(await saves.save()).toBe(false);
    service.mode = 'up';
    saves.add(coins(1));
    expect(await saves.save()).toBe(true);
    expect(service.stored).toMatchObject({ coins: 6 });
    expect(saves.progress.coins).toBe(6);
  });

  it('drops what belongs to the account before, even where its answer comes late', async () => {
    let answer: (value: Value) => void = () => {};
    const other: SaveSlot = {
      load: async () => ({ coins: 100, level: 4, best: 50 }),
      update: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    };
    const { saves } = createTab(other);
    await saves.open();
    saves.add(coins(5));
    const before = saves.save();
    await saves.open();
    answer({ coins: 5, level: 1, best: 0 });
    expect(await before).toBe(false);
    expect(saves.progress).toEqual({ coins: 100, level: 4, best: 50, magnet: 0 });
  });

  it('takes no late reading of the account before for the one that plays now', async () => {
    const answers: ((value: Value) => void)[] = [];
    const { saves } = createTab({
      load: () => new Promise((resolve) => answers.push(resolve)),
      update: async (change) => change(undefined),
    });
    const first = saves.open();
    const second = saves.open();
    answers[1]?.({ coins: 7 });
    await second;
    answers[0]?.({ coins: 900 });
    await first;
    expect(saves.progress.coins).toBe(7);
  });

  it('knows nothing of the account until it could be read, and counts coins meanwhile', async () => {
    const { service, slot } = createSlot({ coins: 30, level: 3, best: 9 });
    const { saves } = createTab(slot);
    service.mode = 'down';
    await saves.open();
    expect(saves.state).toBe('failed');
    saves.add(coins(2));
    service.mode = 'up';
    await saves.save();
    expect(saves.progress).toMatchObject({ coins: 32, level: 3 });
  });

  it('never lets a purchase in two tabs make the coins negative', async () => {
    const { service, slot } = createSlot({ coins: 25 });
    const [one, two] = [createTab(slot).saves, createTab(slot).saves];
    await one.open();
    await two.open();
    one.add({ ...coins(-20), magnet: 1 });
    two.add({ ...coins(-20), magnet: 1 });
    await one.save();
    await two.save();
    expect(service.stored).toMatchObject({ coins: 0, magnet: 1 });
  });
});
