import { describe, expect, inject } from 'vitest';
import { launchBrowser } from '../support/browsers/launch-browser.js';
import { it, patient } from './game-pages.js';

const browserName = inject('browser');
const how = {
  chromium: 'by its setting for site data',
  firefox: 'by "block cookies and site data"',
  webkit: 'by its settings for localStorage and databases, the nearest that WebKitGTK has',
}[browserName];

describe('a browser that denies the site its data', () => {
  it(`starts in memory, says so, and saves with the service: ${how}`, patient, async ({ site, onTestFinished }) => {
    const browser = await launchBrowser(browserName, { deniesSiteData: true });
    onTestFinished(() => browser.close());
    const page = await site.openIn(browser);
    // That it is so indeed.
    const stored = await page.run(() => {
      try {
        localStorage.setItem('a', 'b');
        return true;
      } catch {
        return false;
      }
    });
    expect(stored).toBe(false);
    expect(await page.start()).toBeNull();
    const { userId } = await page.see({ kind: 'memory', heard: ['degraded indexedDB memory'], state: 'guest' });
    await page.collect('first');
    await page.flush();
    expect(await site.savedPurse(userId ?? '')).toEqual({ coins: 1, names: ['first'] });
    expect(await page.run(async () => (await game.client.auth.withName('ada', 'correct horse')).success)).toBe(true);
    expect(await page.look()).toMatchObject({ userId, state: 'linked', status: 'synced', refused: [], complaints: [] });

    // Nothing is there at the next start but what the service has, for who knows the name.
    await page.reload();
    expect(await page.start()).toBeNull();
    expect((await page.look()).userId).not.toBe(userId);
    await page.run(() => game.client.auth.switchTo({ method: 'name', username: 'ada', password: 'correct horse' }));
    await page.see({ userId, coins: 1, complaints: [] });
  });
});
