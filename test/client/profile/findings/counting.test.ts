import type { JsonObject } from 'savepoint';
import { describe, expect, it } from 'vitest';
import type { Device, Page } from '../world/device.js';
import { browser, createStage, custom, holdStage, type Stage } from './stage.js';

holdStage();

type Coins = { coins: number };
const sum = { progress: { merge: { coins: 'sum' } } } as const;
const more = (by: number) => (value: JsonObject | undefined) => ({
  coins: ((value as Coins | undefined)?.coins ?? 0) + by,
});

/** Two devices that play one account, with so many coins. */
async function twoDevices(stage: Stage, coins: number): Promise<[Page, Page]> {
  const one = await stage.start(0);
  await stage.signIn(one);
  await stage.set(one, { coins });
  await flush(stage, one);
  const two = await stage.start(1);
  await stage.run(two, ({ auth }) => auth.signOut());
  await stage.signIn(two);
  await stage.turns.pass(1_000);
  expect(stage.get(two)).toEqual({ coins });
  return [one, two];
}

const flush = (stage: Stage, page: Page): Promise<void> => stage.run(page, ({ profile }) => profile.flush());
const update = (stage: Stage, page: Page, by: number) =>
  stage.make(page, ({ profile }) => profile.collection('progress').update('main', more(by)));

describe('what is counted', () => {
  it('counts once where a page stored and sent it as it was closed, and the next one cannot read localStorage', async () => {
    const stage = createStage([{ ...browser, delays: [0] }, browser], sum);
    const { turns, devices } = stage;
    const [device] = devices as [Device];
    const page = await stage.start(0);
    turns.act(page, () => void page.client.profile.collection('progress').set('main', { coins: 1 }));
    page.raise('pagehide');
    page.show(false);
    await turns.turn(1);
    page.kill({ isCut: false, isLastDone: true });
    device.localShelf.condition = 'fails';
    const next = await stage.start(0);
    await turns.pass(60_000);
    expect([await stage.stored(next), stage.get(next)]).toEqual(Array(2).fill({ coins: 1 }));
  });

  it('counts once where a hidden tab could not store it, what it was made on is sent, and another tab goes on', async () => {
    const stage = createStage([{ ...browser, delays: [0] }], { progress: {} });
    const { turns, devices } = stage;
    const [device] = devices as [Device];
    const hidden = await stage.start(0);
    await update(stage, hidden, 1);
    const other = stage.startSoon(0, 2);
    device.shelf.failing = 1;
    const unstored = await update(stage, hidden, 10);
    hidden.freeze();
    device.shelf.condition = 'fails';
    await update(stage, other, 100);
    await turns.turn(6);
    device.mend();
    hidden.thaw();
    await turns.pass(60_000);
    expect(unstored).toMatchObject({ isSettled: true, error: undefined });
    expect([await stage.stored(other), stage.get(hidden), stage.get(other)]).toEqual(Array(3).fill({ coins: 111 }));
  });

  it.each(['browser', 'with swap', 'at once'] as const)(
    'counts once by four tabs without locks: %s',
    async (storage) => {
      const counts: unknown[] = [];
      for (const delays of [[], [7, 0, 3], [1, 9], [4, 12, 0, 2, 6]]) {
        const stage = createStage([{ storage, hasLocks: false, hasChannel: true, delays }]);
        const tabs = [
          await stage.start(0, 0),
          await stage.start(0, 1),
          await stage.start(0, 2),
          await stage.start(0, 3),
        ];
        for (let round = 0; round < 15; round += 1) {
          for (const tab of tabs) {
            stage.turns.act(tab, () => void tab.client.profile.collection('progress').update('main', more(1)));
            await stage.turns.turn(round % 3);
          }
          if (round % 4 === 3) await stage.turns.pass(250);
        }
        await stage.turns.pass(120_000);
        counts.push(await stage.stored(tabs[0] as Page));
      }
      expect(counts).toEqual(counts.map(() => ({ coins: 60 })));
    },
  );

  it('counts once where a page sends it as it goes, and a worker beside it, which cannot read what it has left', async () => {
    const counts: unknown[] = [];
    for (const [before, after] of [
      [1, 1],
      [1, 2],
      [2, 1],
      [2, 2],
      [3, 1],
    ] as const) {
      const stage = createStage([browser], sum);
      const page = await stage.start(0);
      await stage.startWorker(0);
      stage.turns.act(page, () => void page.client.profile.collection('progress').set('main', { coins: 1 }));
      await stage.turns.turn(before);
      page.raise('pagehide');
      page.show(false);
      await stage.turns.turn(after);
      page.kill({ isLastDone: true });
      await stage.turns.pass(60_000);
      const next = await stage.start(0);
      await stage.turns.pass(60_000);
      counts.push(stage.get(next), await stage.stored(next));
    }
    expect(counts).toEqual(counts.map(() => ({ coins: 1 })));
  });

  it('counts once where a page sends it as it is hidden, the answer is lost, and localStorage is denied from then on', async () => {
    const counts: unknown[] = [];
    for (const dropped of [0, 1, 2, 3]) {
      const stage = createStage([browser], sum);
      const [device] = stage.devices as [Device];
      const page = await stage.start(0);
      stage.turns.act(page, () => void page.client.profile.collection('progress').set('main', { coins: 1 }));
      page.freeze();
      device.network.accidents.push(...Array(dropped).fill('dropped'), 'lost');
      await stage.turns.turn(1);
      device.localShelf.isBlocked = true;
      page.thaw();
      await stage.turns.pass(60_000);
      counts.push(stage.get(page), await stage.stored(page));
    }
    expect(counts).toEqual(counts.map(() => ({ coins: 1 })));
  });

  it('counts once where two devices write an equal value, and the request of one never arrives', async () => {
    const stage = createStage([custom, custom]);
    const [one, two] = await twoDevices(stage, 10);
    stage.devices[0]?.network.set('off');
    await update(stage, one, 1);
    await stage.turns.pass(1_000);
    await update(stage, two, 1);
    await flush(stage, two);
    stage.devices[0]?.network.set('on');
    await stage.turns.pass(120_000);
    expect(await stage.stored(one)).toEqual({ coins: 12 });
  });

  it('counts once where a value of an earlier form is migrated', async () => {
    const migrate = ({ gold, ...value }: JsonObject): JsonObject => (gold === undefined ? value : { coins: gold });
    const stage = createStage([custom, custom], { aged: { merge: { coins: 'sum' }, migrate } });
    const aged = { collection: 'aged' };
    const one = await stage.start(0);
    const ada = await stage.signIn(one);
    for (let gold = 0; gold < 5; gold += 1) await stage.backEnd.add(ada, 'aged', 1);
    const two = await stage.start(1);
    await stage.run(two, ({ auth }) => auth.signOut());
    await stage.signIn(two);
    await stage.run(one, ({ profile }) => profile.collection('aged').load());
    await stage.turns.pass(1_000);
    expect([stage.get(one, aged), stage.get(two, aged)]).toEqual([{ coins: 5 }, { coins: 5 }]);
    await stage.set(one, { coins: 6 }, aged);
    await stage.set(two, { coins: 7 }, aged);
    await flush(stage, one);
    await flush(stage, two);
    expect(await stage.stored(two, aged)).toEqual({ coins: 8 });
  });

  it('counts once beside a back end that writes only what the interface shows', async () => {
    const stage = createStage([custom], { purse: { merge: { coins: 'sum' } } });
    const purse = { collection: 'purse' };
    const page = await stage.start(0);
    const guest = page.client.auth.userId as string;
    await stage.set(page, { coins: 10 }, purse);
    await flush(stage, page);
    for (let count = 0; count < 100; count += 1) await stage.backEnd.add(guest, 'purse', 1);
    await stage.set(page, { coins: 11 }, purse);
    await flush(stage, page);
    expect(await stage.stored(page, purse)).toEqual({ coins: 111 });
  });

  it('counts once where another device has taken back what was counted before', async () => {
    const stage = createStage([custom, custom], sum);
    const [one, two] = await twoDevices(stage, 0);
    await stage.backEnd.overwrite(one.client.auth.userId as string, 'progress', { coins: 0, isOld: true });
    await stage.run(one, ({ profile }) => profile.collection('progress').load());
    for (const coins of [5, 10]) {
      await stage.set(one, { coins });
      await flush(stage, one);
    }
    await stage.run(two, ({ profile }) => profile.collection('progress').load());
    stage.devices[1]?.network.set('off');
    await stage.set(two, { coins: 11 });
    const [snapshot] = await stage.run(one, ({ account }) => account.snapshots());
    await stage.run(one, ({ account }) => account.restore(snapshot?.id as string));
    stage.devices[1]?.network.set('on');
    await stage.turns.pass(120_000);
    expect(await stage.stored(two)).toMatchObject({ coins: 1 });
  });

  it('counts once where two accounts are merged again, in either direction', async () => {
    for (const direction of ['the same', 'the other'] as const) {
      const stage = createStage([custom], sum);
      const page = await stage.start(0);
      const merge = async (username: string): Promise<void> => {
        const met = await stage.make(page, ({ auth }) => auth.withName(username, 'correct horse'));
        await stage.run(page, ({ conflict }) => conflict?.resolve('merge') as Promise<unknown>);
        expect(met.value).toMatchObject({ success: true });
        await stage.turns.pass(1_000);
      };
      await stage.signIn(page, 'ada');
      await stage.set(page, { coins: 100 });
      await flush(stage, page);
      await stage.run(page, ({ auth }) => auth.signOut());
      const bob = await stage.signIn(page, 'bob');
      await stage.set(page, { coins: 10 });
      await flush(stage, page);
      await merge('ada');
      expect(await stage.stored(page)).toMatchObject({ coins: 110 });
      if (direction === 'the same') await stage.run(page, ({ auth }) => auth.signOut());
      if (direction === 'the same') expect(await stage.signIn(page, 'bob')).toBe(bob);
      await merge(direction === 'the same' ? 'ada' : 'bob');
      expect(await stage.stored(page)).toMatchObject({ coins: 110 });
    }
  });

  it('counts once what is set while two accounts are merged, and what came of it cannot be read', async () => {
    const stage = createStage([custom, custom], sum);
    const one = await stage.start(0);
    await stage.signIn(one);
    await stage.set(one, { coins: 1 });
    await flush(stage, one);
    const two = await stage.start(1);
    await stage.set(two, { coins: 1 });
    await flush(stage, two);
    await stage.make(two, ({ auth }) => auth.withName('ada', 'correct horse'));
    stage.turns.act(two, () => void two.client.conflict?.resolve('merge'));
    while (stage.service.jumps.length === 0) await stage.turns.turn();
    stage.devices[1]?.network.set('off');
    stage.turns.act(two, () => void two.client.profile.collection('progress').set('main', { coins: 2 }));
    await stage.turns.pass(1_000);
    stage.devices[1]?.network.set('on');
    await stage.turns.pass(120_000);
    expect(await stage.stored(one)).toMatchObject({ coins: 3 });
  });

  it('counts once where the answer to a write gets lost and another device builds on it', async () => {
    for (const way of ['set', 'update'] as const) {
      const asked: unknown[] = [];
      const onConflict = (conflict: { local: JsonObject }): JsonObject => {
        asked.push(conflict);
        return conflict.local;
      };
      const stage = createStage([custom, custom], { progress: { onConflict } });
      const [one, two] = await twoDevices(stage, 10);
      stage.devices[0]?.network.set('lost');
      if (way === 'set') await stage.set(one, { coins: 11 });
      else await update(stage, one, 1);
      await stage.turns.pass(1_000);
      await stage.run(two, ({ profile }) => profile.collection('progress').load());
      await update(stage, two, 5);
      await flush(stage, two);
      stage.devices[0]?.network.set('on');
      await stage.turns.pass(120_000);
      expect(asked).toEqual([]);
      expect(await stage.stored(one)).toEqual({ coins: 16 });
    }
  });

  it('counts once where a tab that starts while the storage fails sends it beside another tab', async () => {
    const counts: unknown[] = [];
    for (const delays of [[], [2], [3, 1], [0, 6]]) {
      const stage = createStage([{ storage: 'with swap', hasLocks: false, hasChannel: true, delays }], sum);
      const first = await stage.start(0);
      const [device] = stage.devices;
      Object.assign(device?.shelf ?? {}, { condition: 'fails' });
      await stage.set(stage.startSoon(0, 1), { coins: 5 });
      device?.mend();
      await stage.turns.pass(60_000);
      counts.push(await stage.stored(first));
    }
    expect(counts).toEqual(counts.map(() => ({ coins: 5 })));
  });
});
