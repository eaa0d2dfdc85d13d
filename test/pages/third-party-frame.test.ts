import { describe, expect, inject } from 'vitest';
import { launchBrowser } from '../support/browsers/launch-browser.js';
import { type GamePage, it, patient } from './game-pages.js';

const browserName = inject('browser');

/** Whether the page may store anything, as the browser says it. */
const mayStore = (page: GamePage): Promise<boolean> =>
  page.run(() => {
    try {
      localStorage.setItem('a', 'b');
      return true;
    } catch {
      return false;
    }
  });

describe('a game in a frame on the page of another site', () => {
  it('finds its player again after a reload, and its worker is the same player', patient, async ({ site, browser }) => {
    const page = await site.openFramedIn(browser);
    expect(await page.run(() => [location.hostname, parent !== window])).toEqual(['127.0.0.1', true]);
    expect(await page.start()).toBeNull();
    const { userId } = await page.see({ kind: 'indexedDB', state: 'guest' });
    await page.collect('first');
    expect(await page.run(() => askWorker({ prefix: 'worker-', count: 1 }))).toMatchObject({
      userId,
      kind: 'indexedDB',
    });
    await page.reload();
    expect(await page.start()).toBeNull();
    await page.see({ userId, coins: 2, complaints: [] });
    await page.flush();
    expect(await site.savedPurse(userId ?? '')).toEqual({ coins: 2, names: ['first', 'worker-0'] });
  });

  if (browserName === 'webkit') {
    it(
      'is none that WebKitGTK can be made to deny its data: it has no setting for it',
      patient,
      async ({ site, browser }) => {
        expect(await mayStore(await site.openFramedIn(browser))).toBe(true);
      },
    );
    return;
  }

  const how = { chromium: 'as it was before version 115', firefox: 'by "block all cross-site cookies"' }[browserName];

  it(
    `plays in memory where the player denies such frames their data, says so, and saves with the service: ${how}`,
    patient,
    async ({ site, onTestFinished }) => {
      const browser = await launchBrowser(browserName, { blocksThirdParties: true });
      onTestFinished(() => browser.close());
      const page = await site.openFramedIn(browser);
      expect(await mayStore(page)).toBe(false);
      expect(await page.start()).toBeNull();
      const { userId } = await page.see({ kind: 'memory', heard: ['degraded indexedDB memory'], state: 'guest' });
      await page.collect('first');
      await page.flush();
      expect(await site.savedPurse(userId ?? '')).toEqual({ coins: 1, names: ['first'] });
      expect(await page.look()).toMatchObject({ userId, status: 'synced', refused: [], complaints: [] });
    },
  );
});
