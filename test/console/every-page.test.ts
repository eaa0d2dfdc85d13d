import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { de } from '../../console/src/texts/de.js';
import { en } from '../../console/src/texts/en.js';
import { axeFindings, overflowOf, place, settled, visitConsole } from './console-site.js';
import type { Filled } from './filled-service.js';
import { fillPages, pagesToLookAt } from './pages-to-look-at.js';

const site = visitConsole();
let filled: Filled;

beforeAll(async () => {
  filled = await fillPages(site);
});

/** The pages are known before there are players; what is of a player is found once there are. */
const nobody: Filled = { ada: '', grace: '', guest: '', hostile: '' };
const names = pagesToLookAt(site, nobody, en).map(([name]) => name);

/** Opens a page in a language and does there what is to be looked at. */
async function openNamed(name: string, texts: typeof en, options: Parameters<typeof site.open>[1]): Promise<Page> {
  const [, path = '', act] = pagesToLookAt(site, filled, texts).find(([one]) => one === name) ?? [];
  const page = await site.open(`${path}${path.includes('?') ? '&' : '?'}${place}`, options);
  await settled(page);
  await act?.(page);
  await settled(page);
  if (name === 'requests') {
    await page.getByText('unavailable').click();
    await page.getByRole('heading', { name: texts.requests.answered }).waitFor();
  }
  return page;
}

/** With SCREENSHOTS, the pictures of all pages are put into that folder, for somebody to look at. */
const pictures = process.env['SCREENSHOTS'];
if (pictures !== undefined) mkdirSync(pictures, { recursive: true });

async function takePicture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

/** Whether the tab that was chosen, where there are tabs, is not out of the window. */
function isCurrentTabInSight(): boolean {
  const chosen = document.querySelector('.tabs [aria-current]')?.getBoundingClientRect();
  return chosen === undefined || (chosen.left >= 0 && chosen.right <= document.documentElement.clientWidth);
}

/** `npm test` has each page in both schemes so, and `npm run prove` both at each width. */
const looksOfTests = [
  { width: 390, colorScheme: 'dark' },
  { width: 1440, colorScheme: 'light' },
] as const;
const allLooks = [390, 1440].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);
const isProof = Boolean(process.env['PROVE']);
const looks = isProof || pictures !== undefined ? allLooks : looksOfTests;

/** What axe finds depends on no language, and hardly on more width: on those pages it looks in `npm run prove`. */
async function axeFindingsToProve(page: Page): Promise<string[]> {
  return isProof ? axeFindings(page) : [];
}

describe(`at ${looks.map(({ width, colorScheme }) => `${width} px in the ${colorScheme}`).join(', ')}`, () => {
  it.each(names)('%s can be read by everybody, and fits', async (name) => {
    const options = { viewport: { width: 390, height: 900 }, colorScheme: 'light', reducedMotion: 'reduce' } as const;
    const page = await openNamed(name, en, options);
    // A page has to follow an operator's system that turns dark in the evening, and a window that is drawn wider.
    for (const { width, colorScheme } of looks) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate(isCurrentTabInSight), `${width} px`).toBe(true);
      await takePicture(page, `${name}-${width}-${colorScheme}`);
      expect(await axeFindings(page), `${width} px, ${colorScheme}`).toEqual([]);
      expect(await overflowOf(page), `${width} px`).toBe(0);
    }
    expect(await page.evaluate(() => 'stolen' in globalThis)).toBe(false);
  });
});

describe('on the widest screens', () => {
  const opened = names.filter((name) => /^dialog-|^editor$|^clash$|^devices$|^conflict-sides$|^webhooks$/.test(name));
  it.each(opened)('%s fits in the dark', async (name) => {
    const page = await openNamed(name, en, { viewport: { width: 1_920, height: 1_080 }, colorScheme: 'dark' });
    await takePicture(page, `${name}-1920-dark`);
    expect(await axeFindingsToProve(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  });
});

describe('in German', () => {
  it.each(names)('%s fits a phone, and has nothing in English', async (name) => {
    const viewport = { width: 390, height: 900 };
    const page = await openNamed(name, de, { viewport, locale: 'de-DE', reducedMotion: 'reduce' });
    await expect.poll(() => page.evaluate(textsInEnglish)).toEqual([]);
    expect(await page.evaluate(isCurrentTabInSight)).toBe(true);
    await takePicture(page, `${name}-390-german`);
    expect(await axeFindingsToProve(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  });
});

/** What the page says in English beside its own language; what the service adds to a refusal is said in German as well. */
function textsInEnglish(): string[] {
  return [...document.querySelectorAll<HTMLElement>('[lang=en]')]
    .filter((element) => element.closest('.problem') === null)
    .map(({ innerText }) => innerText);
}
