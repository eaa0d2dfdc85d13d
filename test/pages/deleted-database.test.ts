import { describe, expect, inject } from 'vitest';
import { type GamePage, type GameSite, it, patient } from './game-pages.js';

const browserName = inject('browser');
/** How all is cleared that the site has stored. */
const cleared = {
  chromium: "by the browser's tools",
  firefox: "by a script, localStorage too: Firefox has no protocol for the browser's tools",
  webkit: "by a script, localStorage too: WebKitWebDriver has no protocol for the browser's tools",
}[browserName];
const names = ['first', 'second', 'third', 'fourth'];

function deleteDatabase(): Promise<string> {
  return new Promise((resolve) => {
    const request = indexedDB.deleteDatabase('savepoint');
    for (const type of ['success', 'error', 'blocked']) request.addEventListener(type, () => resolve(type));
  });
}

/** Two tabs of one player, each with a coin that only this device has: the network is off. */
async function twoTabsOffline(site: GameSite): Promise<{ one: GamePage; two: GamePage; userId: string }> {
  const [one, two] = [await site.open(), await site.open()];
  for (const tab of [one, two]) expect(await tab.start()).toBeNull();
  const { userId } = await one.look();
  for (const tab of [one, two]) await tab.run(() => game.client.setNetwork('off'));
  await one.collect('first');
  await two.collect('second');
  await one.see({ coins: 2, userId, kind: 'indexedDB' });
  return { one, two, userId: userId ?? '' };
}

/** Both play on, the device has it all after a reload, and the service once there is a network: each coin counts once. */
async function seeAllKept(site: GameSite, one: GamePage, two: GamePage, userId: string): Promise<void> {
  await one.collect('third');
  await two.collect('fourth');
  for (const tab of [one, two]) await tab.see({ userId, coins: 4, isFailing: false, refused: [], complaints: [] });
  await one.close();
  await two.reload();
  expect(await two.start()).toBeNull();
  await two.see({ userId, coins: 4 });
  await two.run(() => game.client.setNetwork('on'));
  await two.flush();
  const saved = await site.savedPurse(userId);
  expect(saved?.coins).toBe(4);
  expect([...(saved?.names ?? [])].sort()).toEqual([...names].sort());
}

describe('two tabs without a network, whose database is deleted while they play', () => {
  it('lose nothing that was acknowledged: deleted by a script of the site', patient, async ({ site }) => {
    const { one, two, userId } = await twoTabsOffline(site);
    expect(await two.run(deleteDatabase)).toBe('success');
    await seeAllKept(site, one, two, userId);
  });

  it(`lose nothing that was acknowledged: cleared ${cleared}`, patient, async ({ site }) => {
    const { one, two, userId } = await twoTabsOffline(site);
    if (two.clearStorage !== undefined) await two.clearStorage();
    else {
      await two.run(() => localStorage.clear());
      expect(await two.run(deleteDatabase)).toBe('success');
    }
    await seeAllKept(site, one, two, userId);
  });
});
