import { expect } from 'vitest';
import { it } from './game-pages.js';

// A browser that a busy machine starts for the first time takes its time.
const timeout = 60_000;

it('the client signs in and saves in a browser that has nothing younger than the oldest', { timeout }, async ({
  site,
}) => {
  const page = await site.open('oldest');
  expect(await page.run(() => leftOfTheYounger)).toEqual([]);
  expect(await page.start()).toBeNull();
  const saved = await page.run(async () => {
    const { signal } = new AbortController();
    const linked = await game.client.auth.withName('ada', 'correct horse', { signal });
    await game.collect('first');
    await game.client.profile.flush({ signal });
    return { isLinked: linked.success, entries: await game.purse.load() };
  });
  const value = { coins: 1, names: ['first'] };
  expect(saved).toEqual({ isLinked: true, entries: [{ key: 'main', value, version: 0 }] });
  const { complaints, userId } = await page.look();
  expect(complaints).toEqual([]);
  expect(await site.savedPurse(userId ?? '')).toEqual(value);
});
