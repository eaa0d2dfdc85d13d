import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, here, overflowOf, place, settled, visitConsole } from './console-site.js';
import { type Filled, fillService, seenRequest } from './filled-service.js';

const site = visitConsole();
let filled: Filled;

beforeAll(async () => {
  filled = await fillService(site.backend, site.admin);
  await site.admin.savePlatform({
    ...here,
    name: 'wave',
    preset: 'wave',
    settings: { app: '1234', appSecret: 'a secret of the wave', origins: ['https://wave.example'] },
  });
  await site.admin.makeKey({ name: 'grace of support', scope: 'support' });
  site.gateway.tell(seenRequest());
  site.gateway.tell(seenRequest({ status: 409, code: 'version_mismatch', ms: 2 }));
  site.gateway.tell(
    seenRequest({ method: 'POST', path: '/v2/auth/guest', route: '/v2/auth/guest', status: 503, code: 'unavailable' }),
  );
});

const saves = () => `/players/${filled.ada}/saves?collection=progress&key=main`;

async function edit(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.locator('.cm-content[contenteditable="true"]').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText('{\n  "coins": 190,\n  "level": 5,\n  "hats": ["straw"]\n}');
}

/** A name, the route, and what is done there before it is looked at. */
type PageToLookAt = readonly [string, () => string, ((page: Page) => Promise<void>)?];

const pages: readonly PageToLookAt[] = [
  ['overview', () => '/'],
  ['players', () => '/players'],
  ['players-banned', () => '/players?list=banned'],
  ['players-nobody', () => '/players?by=name&text=nobody'],
  ['player', () => `/players/${filled.ada}`],
  ['player-saves', () => `/players/${filled.ada}/saves?collection=progress&key=main`],
  ['player-hostile', () => `/players/${filled.hostile}/saves?collection=hostile&key=text`],
  ['player-snapshots', () => `/players/${filled.ada}/snapshots`],
  ['player-timeline', () => `/players/${filled.ada}/timeline`],
  ['player-changes', () => `/players/${filled.ada}/changes`],
  ['player-banned', () => `/players/${filled.grace}`],
  ['conflicts', () => '/conflicts'],
  ['requests', () => '/requests'],
  ['audit', () => '/audit'],
  ['keys', () => '/keys'],
  ['webhooks', () => '/webhooks'],
  ['platforms', () => '/platforms'],
  ['dialog-platform', () => '/platforms', (page) => page.getByRole('button', { name: 'Add a platform' }).click()],
  ['limits', () => '/limits'],
  ['faults', () => '/faults'],
  [
    'conflict-sides',
    () => '/conflicts',
    async (page) => {
      await page.getByRole('button', { name: 'Compare' }).first().click();
      await page.getByRole('heading', { name: 'The saves of both accounts' }).waitFor();
    },
  ],
  [
    'devices',
    () => '/devices',
    async (page) => {
      site.expectComplaints(/409/);
      for (const name of ['Phone', 'Laptop']) {
        await page.getByRole('region', { name }).getByRole('button', { name: 'Earn' }).click();
      }
      await page.getByRole('region', { name: 'Laptop' }).getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('group', { name: 'Which save goes on?' }).waitFor();
    },
  ],
  ['nowhere', () => '/nowhere'],
  ['editor', saves, edit],
  [
    'dialog-save',
    saves,
    async (page) => {
      await edit(page);
      await page.getByRole('button', { name: 'Save' }).click();
    },
  ],
  [
    'dialog-ban',
    () => `/players/${filled.ada}/changes`,
    (page) => page.getByRole('button', { name: 'Ban', exact: true }).click(),
  ],
  [
    'dialog-refused',
    () => `/players/${filled.ada}`,
    async (page) => {
      site.expectComplaints(/409/);
      await page.getByRole('button', { name: 'Unlink: Name' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
      await page.getByRole('alert').waitFor();
    },
  ],
  [
    'dialog-key',
    () => '/keys',
    async (page) => {
      await page.getByRole('button', { name: 'Make a key' }).click();
    },
  ],
  [
    'dialog-snapshot',
    () => `/players/${filled.ada}/snapshots`,
    (page) => page.getByRole('button', { name: 'Compare' }).last().click(),
  ],
  [
    'menu',
    () => '/audit',
    async (page) => {
      const menu = page.getByRole('button', { name: 'Menu' });
      if (await menu.isVisible()) await menu.click();
      else await page.getByRole('button', { name: /the first key/ }).click();
    },
  ],
];

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

describe.each([390, 1440])('%d px wide', (width) => {
  const named = pages.map(([name, path, act]) => ({ name, path, act }));
  it.each(named)('$name can be read by everybody in light and dark, and fits', async ({ name, path, act }) => {
    const withPlace = `${path()}${path().includes('?') ? '&' : '?'}${place}`;
    const viewport = { width, height: 900 };
    const page = await site.open(withPlace, { viewport, colorScheme: 'light', reducedMotion: 'reduce' });
    await settled(page);
    await act?.(page);
    await settled(page);
    if (name === 'requests') {
      await page.getByText('unavailable').click();
      await page.getByRole('heading', { name: 'Answer' }).waitFor();
    }
    expect(await page.evaluate(isCurrentTabInSight)).toBe(true);
    // A page has to follow an operator's system that turns dark in the evening.
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await takePicture(page, `${name}-${width}-${colorScheme}`);
      expect(await axeFindings(page), colorScheme).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
    expect(await page.evaluate(() => 'stolen' in globalThis)).toBe(false);
  });
});
