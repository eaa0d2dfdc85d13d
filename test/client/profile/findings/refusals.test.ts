import { describe, expect, it, vi } from 'vitest';
import { refusals } from '../world/network.js';
import { createStage, custom, holdStage, type Stage } from './stage.js';

holdStage();

/** What may be offered for an entry that waits. */
interface Holding {
  held(): { key: string; code: string }[];
  discard(key: string): Promise<unknown>;
}

const flush = (stage: Stage, page: Parameters<Stage['run']>[0]): Promise<void> =>
  stage.run(page, ({ profile }) => profile.flush());

describe('an entry that is refused', () => {
  it.each(refusals)('holds up no other entry: %s', async (refusal) => {
    const stage = createStage([custom]);
    const page = await stage.start(0);
    stage.service.refusals.set('progress/main', refusal);
    await stage.set(page, { level: 1 });
    await stage.set(page, { level: 2 }, { key: 'other' });
    await stage.turns.pass(300_000);
    expect(await stage.stored(page, { key: 'other' })).toEqual({ level: 2 });
  });

  it('is not asked for again and again while it is refused', async () => {
    const stage = createStage([custom]);
    const page = await stage.start(0);
    stage.service.refusals.set('progress/main', 'bare 403');
    const asked = vi.spyOn(stage.service, 'refusalOf');
    await stage.set(page, { level: 1 });
    await stage.turns.pass(3_600_000);
    expect(asked.mock.calls.length).toBeLessThan(75);
  });

  it.each(['too_large', 'wrong_env'] as const)(
    'is sent when the game sets it again and %s is no more',
    async (refusal) => {
      const stage = createStage([custom]);
      const page = await stage.start(0);
      stage.service.refusals.set('progress/main', refusal);
      await stage.set(page, { level: 1 });
      await stage.turns.pass(10_000);
      stage.service.refusals.clear();
      await stage.set(page, { level: 1 });
      await stage.turns.pass(300_000);
      expect(await stage.stored(page)).toEqual({ level: 1 });
    },
  );

  it('keeps no player from choosing, and none from taking something back', async () => {
    const stage = createStage([custom, custom]);
    const [one, two] = [await stage.start(0), await stage.start(1)];
    const ada = await stage.signIn(one);
    await stage.set(one, { level: 7 });
    await flush(stage, one);
    await stage.backEnd.overwrite(ada, 'progress', { level: 8 });
    stage.service.refusals.set('progress/other', 'too_large');
    for (const page of [one, two]) await stage.set(page, { level: 1 }, { key: 'other' });
    await stage.turns.pass(5_000);
    const [snapshot] = await stage.run(one, ({ account }) => account.snapshots());
    await stage.run(one, ({ account }) => account.restore(snapshot?.id as string));
    expect(await stage.stored(one)).toEqual({ level: 7 });
    await stage.make(two, ({ auth }) => auth.withName('ada', 'correct horse'));
    await stage.run(two, ({ conflict }) => conflict?.resolve('cloud') as Promise<unknown>);
    expect(two.client.auth.userId).toBe(ada);
  });

  it('is not tried again and again where that comes after the player has signed out', async () => {
    const stage = createStage([{ ...custom, delays: [40] }]);
    const page = await stage.start(0);
    stage.devices[0]?.network.set('broken');
    stage.turns.act(page, () => void page.client.profile.collection('progress').set('main', { level: 1 }));
    stage.turns.act(page, () => void page.client.profile.flush().catch(() => {}));
    await stage.turns.turn(10);
    stage.turns.act(page, () => void page.client.auth.signOut());
    await stage.turns.pass(120_000);
    expect(page.client.auth.userId).toBeNull();
    expect(stage.turns.clock.advance(stage.turns.clock.now + 60_000)).toBe(false);
  });
});

describe('what is acknowledged', () => {
  it('is stored where it is nearly as large as it may be', async () => {
    const stage = createStage([custom], { progress: { merge: { coins: 'sum' } } });
    const page = await stage.start(0);
    const made = await stage.set(page, { coins: 1, pad: 'x'.repeat(2_010) });
    await stage.turns.pass(300_000);
    expect(made.error).toBeUndefined();
    expect(await stage.stored(page)).toEqual({ coins: 1, pad: 'x'.repeat(2_010) });
  });

  it('is refused at once where it is one entry too many for the collection', async () => {
    const stage = createStage([custom]);
    const page = await stage.start(0);
    for (const key of ['a', 'b', 'c']) await stage.set(page, { key }, { key });
    await flush(stage, page);
    const made = await stage.set(page, { key: 'd' }, { key: 'd' });
    expect(made.error).toBeDefined();
    expect(stage.get(page, { key: 'd' })).toBeUndefined();
  });

  it('can be discarded where two devices together have written too much', async () => {
    const stage = createStage([custom, custom], { progress: { merge: { items: 'union' } } });
    const one = await stage.start(0);
    await stage.signIn(one);
    const two = await stage.start(1);
    await stage.run(two, ({ auth }) => auth.signOut());
    await stage.signIn(two);
    await stage.set(one, { items: ['a'.repeat(1_500)] });
    await stage.set(two, { items: ['b'.repeat(1_500)] });
    await stage.turns.pass(60_000);
    const held = [one, two].map((page) => page.client.profile.collection('progress') as unknown as Holding);
    const waiting = held.flatMap((room) => room.held().map(({ key, code }) => ({ room, key, code })));
    expect(waiting.map(({ key, code }) => [key, code])).toEqual([['main', 'too_large']]);
    const page = waiting[0]?.room === held[0] ? one : two;
    await stage.run(page, () => waiting[0]?.room.discard('main') as Promise<unknown>);
    expect(page.client.profile.status).toBe('synced');
    expect(stage.get(page)).toEqual(await stage.stored(one));
    const [snapshot] = await stage.run(page, ({ account }) => account.snapshots());
    expect(snapshot?.reason).toBe('mismatch');
  });

  it('lets what waits for it go on where it is discarded', async () => {
    const stage = createStage([custom], { progress: { merge: { items: 'union' } } });
    const page = await stage.start(0);
    stage.service.refusals.set('progress/main', 'wrong_env');
    await stage.set(page, { items: ['a'.repeat(1_500)] });
    await stage.turns.pass(10_000);
    page.kill();
    // Nobody is here yet, and both together are too much for an entry.
    const [device] = stage.devices;
    Object.assign(device?.shelf ?? {}, { condition: 'fails' });
    const again = await stage.start(0);
    await stage.set(again, { items: ['b'.repeat(1_500)] });
    device?.mend();
    await stage.turns.pass(60_000);
    const room = again.client.profile.collection('progress') as unknown as Holding;
    expect(room.held().map(({ code }) => code)).toEqual(['wrong_env']);
    stage.service.refusals.clear();
    await stage.run(again, () => room.discard('main'));
    await stage.turns.pass(60_000);
    expect(await stage.stored(again)).toEqual({ items: ['b'.repeat(1_500)] });
  });

  it('comes back with an account that was deleted before it was sent', async () => {
    const stage = createStage([custom]);
    const page = await stage.start(0);
    await stage.set(page, { level: 1 });
    await flush(stage, page);
    const account = page.client.auth.userId as string;
    stage.service.refusals.set('progress/main', 'internal');
    await stage.set(page, { level: 2 });
    const { recoveryCode } = await stage.run(page, (client) => client.account.delete());
    stage.service.refusals.clear();
    await stage.turns.pass(1_000);
    await stage.run(page, ({ auth }) => auth.switchTo({ method: 'recovery', code: recoveryCode }, { restore: true }));
    expect(page.client.auth.userId).toBe(account);
    await stage.turns.pass(300_000);
    expect(await stage.stored(account)).toEqual({ level: 2 });
  });

  it('is sent when all tabs have left the service alone for as long as it asked', async () => {
    const stage = createStage([custom]);
    const [one, two] = [await stage.start(0, 0), await stage.start(0, 1)];
    await stage.set(one, { level: 0 });
    await flush(stage, one);
    const asked = vi.spyOn(stage.service, 'refusalOf');
    const network = stage.devices[0]?.network;
    network?.set('limited');
    for (let level = 1; level < 30; level += 1) {
      await stage.set(one, { level });
      await stage.turns.pass(1_000);
    }
    expect(asked.mock.calls.filter(([request]) => request.method === 'PATCH').length).toBeLessThan(8);
    network?.set('on');
    await stage.turns.pass(120_000);
    expect(await stage.stored(two)).toEqual({ level: 29 });
  });

  it('is sent within about an hour where the service has asked for a day', async () => {
    const stage = createStage([custom]);
    const page = await stage.start(0);
    stage.devices[0]?.network.set('closed');
    await stage.set(page, { level: 1 });
    await stage.turns.pass(10_000);
    stage.devices[0]?.network.set('on');
    await stage.turns.pass(62 * 60_000);
    expect(await stage.stored(page)).toEqual({ level: 1 });
  });
});
