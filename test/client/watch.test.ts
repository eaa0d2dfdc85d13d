import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorld, type World } from './world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.end());

it('an entry that is watched is one frozen object until its value changes, and `get` gives a copy each time', async () => {
  const client = await world.player();
  const progress = client.profile.collection<{ stats: { coins: number } }>('progress');
  const main = progress.watch('main');
  expect(progress.watch('main')).toBe(main);
  const told: unknown[] = [];
  main.subscribe((snapshot) => void told.push(snapshot));
  await progress.set('main', { stats: { coins: 1 } });
  const first = main.getSnapshot();
  expect([Object.isFrozen(first), Object.isFrozen(first?.stats)]).toEqual([true, true]);
  await progress.set('other', { stats: { coins: 9 } });
  await progress.set('main', { stats: { coins: 1 } });
  await client.profile.flush();
  await progress.load();
  expect(main.getSnapshot()).toBe(first);
  const copy = progress.get('main');
  if (copy !== undefined) copy.stats.coins = 5;
  expect([progress.get('main'), main.getSnapshot()]).toEqual([{ stats: { coins: 1 } }, { stats: { coins: 1 } }]);
  await progress.set('main', { stats: { coins: 2 } });
  expect(told).toEqual([undefined, { stats: { coins: 1 } }, { stats: { coins: 2 } }]);
  expect(told[1]).toBe(first);
});

it('the status and who plays are each watched by one object, whose snapshot is the same until it changes', async () => {
  const client = world.client();
  const [status, account] = [client.profile.watchStatus(), client.watchAccount()];
  expect([client.profile.watchStatus(), client.watchAccount()]).toEqual([status, account]);
  const before = account.getSnapshot();
  expect([account.getSnapshot() === before, before.state, status.getSnapshot()]).toEqual([true, 'starting', 'synced']);
  await client.init();
  const after = account.getSnapshot();
  expect([after.state, after.userId]).toEqual(['guest', client.auth.userId]);
  await client.profile.collection('progress').set('main', {});
  await client.profile.flush();
  expect([account.getSnapshot() === after, Object.isFrozen(after), status.getSnapshot()]).toEqual([
    true,
    true,
    'synced',
  ]);
});
