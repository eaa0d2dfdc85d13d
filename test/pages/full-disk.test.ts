import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject } from 'vitest';
import { launchBrowser } from '../support/browsers/launch-browser.js';
import { type GamePage, it, patient } from './game-pages.js';

const browserName = inject('browser');
const mib = 1_048_576;

/** Collects what takes 100 kB each, under keys of their own, until one of them cannot be stored. */
async function fillUp(page: GamePage): Promise<string[]> {
  await page.run(async () => {
    for (let index = 0; index < 200; index += 1) {
      // Of no pattern, so that no browser stores it as less.
      const random = crypto.getRandomValues(new Uint8Array(50_000));
      const name = `${index}-${Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
      const degraded = new Promise<boolean>((resolve) => {
        game.client.events.once('storageDegraded', () => resolve(true));
      });
      if (await Promise.race([game.collect(name, `key-${index}`).then(() => false), degraded])) return;
    }
  });
  const { started, acknowledged } = await page.see({ isFailing: true, status: 'unstored' });
  expect(acknowledged).toBe(started - 1);
  return page.run(() => game.acknowledgedKeys());
}

describe('a disk that is full while the network is off', () => {
  if (browserName === 'webkit') {
    // Its session stores in memory. What it does where a write is refused is in storage-faults.test.ts.
    it('is none that WebKitWebDriver can fill: it says that there is no quota to set', patient, async ({ site }) => {
      const page = await site.open();
      expect(page.limitStorage).toBeUndefined();
      expect(await page.run(() => typeof navigator.storage?.estimate)).toBe('undefined');
    });
    return;
  }

  it('keeps all that was acknowledged, over the end of the page, and sends it later', patient, async ({ site }) => {
    const { control } = site.service.backend;
    const profile = await mkdtemp(join(tmpdir(), 'savepoint-full-'));
    const limit = 3 * mib;
    try {
      const small = await launchBrowser(browserName, { profile, storageLimit: limit / 1_024 });
      const page = await site.openIn(small);
      // Before the database is opened: Chromium remembers for a while how much room there is.
      await page.limitStorage?.(limit);
      expect(await page.start()).toBeNull();
      const { userId } = await page.look();
      control.fail({ route: 'updateEntry', with: 'offline', times: Number.POSITIVE_INFINITY });
      const acknowledged = await fillUp(page);
      expect(acknowledged.length).toBeGreaterThan(5);
      expect(acknowledged.length).toBeLessThan(200);
      expect(await page.look()).toMatchObject({ refused: [], complaints: [], heard: ['degraded indexedDB memory'] });
      await small.kill();

      // Firefox would go on with the old limit, which its profile has kept.
      const roomy = await launchBrowser(browserName, { profile, storageLimit: -1 });
      const again = await site.openIn(roomy);
      expect(await again.start()).toBeNull();
      expect(await again.look()).toMatchObject({ userId, complaints: [] });
      const kept = await again.run(() => game.purse.entries().map(({ key }) => key));
      expect(kept).toEqual(expect.arrayContaining(acknowledged));
      control.restore();
      await again.flush();
      for (const key of acknowledged) expect((await site.savedPurse(userId ?? '', key))?.coins).toBe(1);
      await roomy.close();
    } finally {
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
