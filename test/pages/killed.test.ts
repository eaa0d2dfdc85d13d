import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, vi } from 'vitest';
import { launchBrowser } from '../support/browsers/launch-browser.js';
import { type GamePage, type GameSite, isProof, it, patient } from './game-pages.js';

const browserName = inject('browser');

/** How often a page is killed in flight, and how often a browser. */
const pageKills = isProof ? 20 : 8;
const browserKills = isProof ? 20 : 1;

/** The coins that pages have told of, before or after they collected them. */
function toldCoins({ told }: GameSite, when: 'started' | 'acknowledged'): string[] {
  return told.filter((path) => path.startsWith(`/${when}?`)).map((path) => path.slice(`/${when}?`.length));
}

/** Plays with three hands at once until so many coins are acknowledged. */
async function playUntil(site: GameSite, page: GamePage, prefix: string, count: number): Promise<void> {
  const before = toldCoins(site, 'acknowledged').length;
  await page.run((one) => {
    for (const hand of ['a', 'b', 'c']) void game.collectForever(`${one}-${hand}-`);
  }, prefix);
  await vi.waitFor(() => expect(toldCoins(site, 'acknowledged').length).toBeGreaterThanOrEqual(before + count), {
    timeout: 30_000,
    interval: 1,
  });
}

/** Each coin counts once, none is lost that was acknowledged, and none is there that nobody has collected. */
function expectAllCounted(site: GameSite, { coins, names }: { coins: number; names: readonly string[] }): void {
  expect(coins).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining(toldCoins(site, 'acknowledged')));
  expect(toldCoins(site, 'started')).toEqual(expect.arrayContaining([...names]));
}

const howKilled =
  browserName === 'chromium'
    ? 'whose process is killed'
    : `that is closed (no protocol kills a page of ${browserName})`;

describe('a page in flight', () => {
  it(
    `${howKilled} loses nothing it has acknowledged, ${pageKills} times of ${pageKills}`,
    patient,
    async ({ site }) => {
      const { control } = site.service.backend;
      let userId: string | null = null;
      for (let kill = 0; kill < pageKills; kill += 1) {
        const page = await site.open();
        expect(await page.start()).toBeNull();
        userId ??= (await page.look()).userId;
        const { purse, ...standing } = await page.run(() => ({ ...game.look(), purse: game.purse.get('main') }));
        expect(standing).toMatchObject({ userId, complaints: [] });
        expectAllCounted(site, purse ?? { coins: 0, names: [] });
        // Some answers get lost, or come after the page is gone.
        if (kill % 3 === 1) control.fail({ route: 'updateEntry', with: 'lost-answer', times: 2 });
        if (kill % 3 === 2) control.fail({ route: 'updateEntry', with: 'slow', times: 1 });
        await playUntil(site, page, String(kill), 1 + ((kill * 7) % 12));
        await (page.crash?.() ?? page.close());
        control.restore();
      }
      const last = await site.open();
      expect(await last.start()).toBeNull();
      await last.flush();
      const saved = await site.savedPurse(userId ?? '');
      expectAllCounted(site, saved ?? { coins: 0, names: [] });
      expect(saved?.coins).toBeGreaterThanOrEqual(pageKills);
      expect((await last.look()).complaints).toEqual([]);
    },
  );
});

describe('a browser that is killed at once after the first start', () => {
  if (browserName === 'webkit') {
    it(
      'forgets the player with all else, for a session of WebKitWebDriver has no profile',
      patient,
      async ({ site }) => {
        const users = [];
        for (const _ of ['before', 'after']) {
          const browser = await launchBrowser(browserName);
          const page = await site.openIn(browser);
          expect(await page.start()).toBeNull();
          users.push((await page.look()).userId);
          await browser.kill();
        }
        expect(users[0]).not.toBe(users[1]);
      },
    );
    return;
  }

  it(`finds the same player again, ${browserKills} times of ${browserKills}`, patient, async ({ site }) => {
    for (let kill = 0; kill < browserKills; kill += 1) {
      const profile = await mkdtemp(join(tmpdir(), 'savepoint-killed-'));
      try {
        const browser = await launchBrowser(browserName, { profile });
        const page = await site.openIn(browser);
        expect(await page.start()).toBeNull();
        const { userId } = await page.look();
        // Some have played, and some have done no more than come.
        if (kill % 2 === 0) {
          await page.collect('first');
          await page.flush();
        }
        await browser.kill();

        const again = await launchBrowser(browserName, { profile });
        const next = await site.openIn(again);
        expect(await next.start()).toBeNull();
        expect(await next.look()).toMatchObject({ userId, coins: kill % 2 === 0 ? 1 : 0, complaints: [] });
        await again.close();
      } finally {
        await rm(profile, { recursive: true, force: true, maxRetries: 5 });
      }
    }
  });
});
