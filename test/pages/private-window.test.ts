import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject } from 'vitest';
import { launchBrowser } from '../support/browsers/launch-browser.js';
import { it, patient } from './game-pages.js';

const browserName = inject('browser');
const how = {
  chromium: 'off the record',
  firefox: 'by permanent private browsing',
  webkit: 'as each session of WebKitWebDriver is one',
}[browserName];
const password = 'correct horse';

describe('a private window', () => {
  it(
    `plays and saves as any other, in two tabs and over a reload, and is another device the next time: ${how}`,
    patient,
    async ({ site, onTestFinished }) => {
      const profile = await mkdtemp(join(tmpdir(), 'savepoint-private-'));
      onTestFinished(() => rm(profile, { recursive: true, force: true, maxRetries: 5 }));
      const options = { isPrivate: true, ...(browserName === 'webkit' ? {} : { profile }) };
      const browser = await launchBrowser(browserName, options);
      const page = await site.openIn(browser);
      expect(await page.start()).toBeNull();
      const { userId } = await page.see({ kind: 'indexedDB', isFailing: false, state: 'guest' });
      await page.collect('first');
      const other = await site.openIn(browser);
      expect(await other.start()).toBeNull();
      await other.see({ userId, coins: 1 });
      await other.collect('second');
      await page.reload();
      expect(await page.start()).toBeNull();
      await page.see({ userId, coins: 2, heard: [], refused: [], complaints: [] });
      await page.flush();
      expect(await site.savedPurse(userId ?? '')).toEqual({ coins: 2, names: ['first', 'second'] });
      expect(await page.run((given) => game.client.auth.withName('ada', given), password)).toMatchObject({
        success: true,
      });
      await browser.close();

      // The profile on the disk is the same one.
      const next = await launchBrowser(browserName, options);
      onTestFinished(() => next.close());
      const again = await site.openIn(next);
      expect(await again.start()).toBeNull();
      expect((await again.look()).userId).not.toBe(userId);
      const named = { method: 'name', username: 'ada', password } as const;
      await again.run((credential) => game.client.auth.switchTo(credential), named);
      await again.see({ userId, coins: 2, complaints: [] });
    },
  );
});
