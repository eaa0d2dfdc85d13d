import type { JsonObject } from 'savepoint';
import { describe, expect, it } from 'vitest';
import type { Device } from '../world/device.js';
import { browser, createStage, custom, holdStage } from './stage.js';

holdStage();

describe('what a device keeps', () => {
  it('is there after a start in which IndexedDB did not open', async () => {
    const { devices, start, set, get, stored, turns } = createStage([browser]);
    const first = await start(0);
    devices[0]?.network.set('off');
    expect((await set(first, { level: 7 })).isSettled).toBe(true);
    first.kill();
    Object.assign(devices[0]?.shelf ?? {}, { isBlocked: true });
    const second = await start(0);
    await set(second, { level: 1 }, { key: 'other' });
    second.kill();
    devices[0]?.mend();
    const third = await start(0);
    expect(get(third)).toEqual({ level: 7 });
    devices[0]?.network.set('on');
    await turns.pass(120_000);
    expect(await stored(third)).toEqual({ level: 7 });
  });

  it('is the account of the player after a start without localStorage', async () => {
    const { devices, start, signIn } = createStage([browser]);
    const first = await start(0);
    const ada = await signIn(first);
    first.kill();
    Object.assign(devices[0]?.localShelf ?? {}, { isBlocked: true });
    const second = await start(0);
    expect([null, ada]).toContain(second.client.auth.userId);
    second.kill();
    devices[0]?.mend();
    expect((await start(0)).client.auth.userId).toBe(ada);
  });

  it.each([
    ['the game has cleared localStorage', 'clear'],
    ['localStorage was full at the first start', 'full'],
  ])('is the account of the player after a start that found no IndexedDB, where %s', async (_, how) => {
    const { devices, start, signIn, set, get, stored, turns } = createStage([browser], { progress: {}, other: {} });
    const [device] = devices as [Device];
    if (how === 'full') device.localShelf.condition = 'full';
    const first = await start(0);
    const ada = await signIn(first);
    device.network.set('off');
    expect((await set(first, { level: 7 })).isSettled).toBe(true);
    first.kill();
    device.mend();
    if (how === 'clear') device.localShelf.texts.clear();
    device.shelf.isBlocked = true;
    device.network.set('on');
    const second = await start(0);
    await turns.pass(3_000);
    expect(second.client.storage.kind).toBe('localStorage');
    expect((await set(second, { coins: 5 }, { collection: 'other' })).isSettled).toBe(true);
    second.kill();
    device.mend();
    const third = await start(0);
    expect(third.client.auth.userId).toBe(ada);
    expect([get(third), get(third, { collection: 'other' })]).toEqual([{ level: 7 }, { coins: 5 }]);
    await turns.pass(120_000);
    expect(await stored(third)).toEqual({ level: 7 });
    expect(await stored(third, { collection: 'other' })).toEqual({ coins: 5 });
    third.kill();
    expect((await start(0)).client.storage.kind).toBe('indexedDB');
  });

  it('counts once what a guest had in localStorage, also where its page lives on', async () => {
    const { devices, start, signIn, set, get, stored, turns, run } = createStage([browser], {
      progress: { merge: { coins: 'sum' } },
    });
    const [device] = devices as [Device];
    const first = await start(0);
    await signIn(first);
    await set(first, { coins: 100 });
    await run(first, ({ profile }) => profile.flush());
    first.kill();
    device.localShelf.texts.clear();
    device.shelf.isBlocked = true;
    const guest = await start(0);
    await turns.pass(3_000);
    await set(guest, { coins: 5 });
    await run(guest, ({ profile }) => profile.flush());
    device.mend();
    const second = await start(0, 1);
    await turns.pass(120_000);
    expect([get(second), await stored(second)]).toEqual([{ coins: 105 }, { coins: 105 }]);
    await set(guest, { coins: 7 });
    await run(guest, ({ profile }) => profile.flush());
    guest.kill();
    second.kill();
    const third = await start(0);
    await turns.pass(120_000);
    expect([get(third), await stored(third)]).toEqual([{ coins: 107 }, { coins: 107 }]);
    third.kill();
    await turns.pass(1_000);
    expect(get(await start(0))).toEqual({ coins: 107 });
  });

  it('is one account for a page and a worker beside it', async () => {
    const { start, startWorker, devices } = createStage([browser]);
    const page = await start(0);
    const guest = page.client.auth.userId;
    const worker = await startWorker(0);
    expect(worker.client.auth.userId).toBe(guest);
    worker.kill();
    page.kill();
    expect((await start(0)).client.auth.userId).toBe(guest);
    expect(devices[0]?.network.deviceIds.size).toBe(1);
  });

  it('is all there after one write that failed', async () => {
    const { devices, start, signIn, set, get } = createStage([custom]);
    const first = await start(0);
    const ada = await signIn(first);
    devices[0]?.network.set('off');
    await set(first, { level: 7 });
    Object.assign(devices[0]?.shelf ?? {}, { failing: 1 });
    await set(first, { level: 1 }, { key: 'other' });
    first.kill();
    const second = await start(0);
    expect(second.client.auth.userId).toBe(ada);
    expect(get(second)).toEqual({ level: 7 });
  });

  it('is all there after a start on a storage that is full', async () => {
    const { devices, start, signIn, set, get } = createStage([custom]);
    const first = await start(0);
    const ada = await signIn(first);
    devices[0]?.network.set('off');
    await set(first, { level: 7 });
    first.kill();
    Object.assign(devices[0]?.shelf ?? {}, { condition: 'full' });
    const second = await start(0);
    expect(get(second)).toEqual({ level: 7 });
    second.kill();
    devices[0]?.mend();
    const third = await start(0);
    expect(third.client.auth.userId).toBe(ada);
    expect(get(third)).toEqual({ level: 7 });
  });

  it('is what was acknowledged, where the storage fails or becomes full while it is offline', async () => {
    for (const condition of ['fails', 'full'] as const) {
      const { devices, start, set, get } = createStage([browser]);
      const first = await start(0);
      devices[0]?.network.set('off');
      const kept: string[] = [];
      for (const key of ['a', 'b', 'c']) {
        // A full disk is full for both of a browser's storages.
        if (key === 'c') Object.assign(devices[0]?.shelf ?? {}, { condition });
        if (key === 'c' && condition === 'full') Object.assign(devices[0]?.localShelf ?? {}, { condition });
        const made = await set(first, { key }, { key });
        if (made.isSettled && made.error === undefined) kept.push(key);
      }
      first.kill();
      devices[0]?.mend();
      const second = await start(0);
      expect(kept).toEqual(expect.arrayContaining(['a', 'b']));
      for (const key of kept) expect(get(second, { key })).toEqual({ key });
    }
  });

  it('is what both tabs were told is kept, where one of them loses its connection or the storage stalls', async () => {
    for (const trouble of ['disconnect', 'stall'] as const) {
      const { devices, start, set, get, turns } = createStage([browser]);
      const [one, two] = [await start(0, 0), await start(0, 1)];
      devices[0]?.network.set('off');
      await set(one, { by: 'one' }, { key: 'one' });
      if (trouble === 'stall') Object.assign(devices[0]?.shelf ?? {}, { condition: 'stalls' });
      else devices[0]?.databases.disconnect(two);
      const made = [await set(two, { by: 'two' }, { key: 'two' }), await set(one, { by: 'one' }, { key: 'more' })];
      await turns.pass(6_000);
      devices[0]?.mend();
      await turns.pass(120_000);
      expect(made.map(({ isSettled }) => isSettled)).toEqual([true, true]);
      one.kill();
      two.kill();
      const next = await start(0);
      expect([get(next, { key: 'one' }), get(next, { key: 'two' }), get(next, { key: 'more' })]).toEqual([
        { by: 'one' },
        { by: 'two' },
        { by: 'one' },
      ]);
    }
  });

  it('is what was set before the account, also where another tab has sent what it had to wait for', async () => {
    let isBroken = true;
    const merge = ({ local }: { local: JsonObject }): JsonObject => {
      if (isBroken) throw new Error('The rule fails.');
      return local;
    };
    const stage = createStage([{ ...browser, hasChannel: false }], { progress: { merge } });
    const { devices, start, startSoon, set, stored, run, turns } = stage;
    const one = await start(0, 0);
    devices[0]?.network.set('off');
    await set(one, { by: 'one' });
    const two = startSoon(0, 1);
    await set(two, { by: 'two' });
    await turns.pass(1_000);
    devices[0]?.network.set('on');
    await run(one, ({ profile }) => profile.flush());
    expect(await stored(one)).toEqual({ by: 'one' });
    isBroken = false;
    await turns.pass(120_000);
    expect(await stored(one)).toEqual({ by: 'two' });
  });
});
