import type { Page } from 'playwright-core';
import type { Texts } from '../../console/src/texts/texts.js';
import { type ConsoleSite, here } from './console-site.js';
import { type Filled, fillService, seenRequest } from './filled-service.js';

/** Makes that every page has something to show. */
export async function fillPages(site: ConsoleSite): Promise<Filled> {
  const filled = await fillService(site.backend, site.admin);
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
  return filled;
}

async function edit(page: Page, { saves }: Texts): Promise<void> {
  await page.getByRole('button', { name: saves.edit }).click();
  await page.locator('.cm-content[contenteditable="true"]').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText('{\n  "coins": 190,\n  "level": 5,\n  "hats": ["straw"]\n}');
}

/** Somebody saves what a device has written meanwhile. */
async function meetClash(page: Page, site: ConsoleSite, { ada }: Filled, texts: Texts): Promise<void> {
  site.expectComplaints(/409/);
  const title = texts.changes.updateEntry.title;
  await edit(page, texts);
  const value = { coins: 12, level: 5, hats: ['straw', 'top'], position: { room: 'cellar', x: 3, y: 9 } };
  const at = { collection: 'progress', key: 'main' };
  const players = site.admin.players(here);
  await players.updateEntry(ada, { ...at, value, version: (await players.entry(ada, at)).version });
  await page.getByRole('button', { name: title, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: title, exact: true }).click();
  await page.getByRole('region', { name: texts.clash.title }).waitFor();
}

/** A name, the route, and what is done there before it is looked at. */
export type PageToLookAt = readonly [string, string, ((page: Page) => Promise<void>)?];

/** All pages, and what opens on them, in a language. */
export function pagesToLookAt(site: ConsoleSite, filled: Filled, texts: Texts): readonly PageToLookAt[] {
  const saves = `/players/${filled.ada}/saves?collection=progress&key=main`;
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  return [
    ['overview', '/'],
    ['players', '/players'],
    ['players-banned', '/players?list=banned'],
    ['players-nobody', '/players?by=name&text=nobody'],
    ['player', `/players/${filled.ada}`],
    ['player-saves', `/players/${filled.ada}/saves?collection=progress&key=main`],
    ['player-hostile', `/players/${filled.hostile}/saves?collection=hostile&key=text`],
    ['player-snapshots', `/players/${filled.ada}/snapshots`],
    ['player-timeline', `/players/${filled.ada}/timeline`],
    ['player-changes', `/players/${filled.ada}/changes`],
    ['player-banned', `/players/${filled.grace}`],
    ['conflicts', '/conflicts'],
    ['requests', '/requests'],
    ['audit', '/audit'],
    ['keys', '/keys'],
    ['webhooks', '/webhooks'],
    ['platforms', '/platforms'],
    ['dialog-platform', '/platforms', (page) => press(page, texts.changes.addPlatform.title).click()],
    ['limits', '/limits'],
    ['faults', '/faults'],
    [
      'conflict-sides',
      '/conflicts',
      async (page) => {
        await press(page, texts.conflicts.compare).first().click();
        await page.getByRole('heading', { name: texts.conflicts.sides }).waitFor();
      },
    ],
    [
      'devices',
      '/devices',
      async (page) => {
        site.expectComplaints(/409/);
        for (const name of [texts.devices.phone, texts.devices.laptop]) {
          await page.getByRole('region', { name }).getByRole('button', { name: texts.devices.earn }).click();
        }
        await page
          .getByRole('region', { name: texts.devices.laptop })
          .getByRole('button', { name: texts.devices.signIn })
          .click();
        await page.getByRole('group', { name: texts.devices.conflict }).waitFor();
      },
    ],
    ['nowhere', '/nowhere'],
    ['editor', saves, (page) => edit(page, texts)],
    [
      'dialog-save',
      saves,
      async (page) => {
        await edit(page, texts);
        await press(page, texts.changes.updateEntry.title).click();
      },
    ],
    ['clash', saves, (page) => meetClash(page, site, filled, texts)],
    ['dialog-ban', `/players/${filled.ada}/changes`, (page) => press(page, texts.changes.ban.title).click()],
    [
      'dialog-refused',
      `/players/${filled.ada}`,
      async (page) => {
        site.expectComplaints(/409/);
        await press(page, `${texts.changes.unlink.title}: ${texts.methods.name}`).click();
        await page.getByRole('dialog').getByRole('button', { name: texts.changes.unlink.title }).click();
        await page.getByRole('alert').waitFor();
      },
    ],
    [
      'dialog-key',
      '/keys',
      async (page) => {
        await press(page, texts.changes.makeKey.title).click();
      },
    ],
    [
      'dialog-snapshot',
      `/players/${filled.ada}/snapshots`,
      (page) => press(page, texts.snapshots.compare).last().click(),
    ],
    [
      'menu',
      '/audit',
      async (page) => {
        const menu = page.getByRole('button', { name: texts.shell.menu });
        if (await menu.isVisible()) await menu.click();
        else await page.getByRole('button', { name: /the first key/ }).click();
      },
    ],
  ];
}
