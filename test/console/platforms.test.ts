import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type PlatformSettings, platformPresets } from '../../src/backend/platforms/index.js';
import { createDoubles } from '../backend/platforms/doubles.js';
import { here, place, settled, visitConsole } from './console-site.js';

const site = visitConsole({
  game: {
    platforms: { surf: { preset: 'wave', settings: { app: 'two', appSecret: 'of-the-surf' } } },
    socialPlatforms: { zoo: (token) => (token === 'ada' ? { id: 'ada' } : null) },
  },
});

async function openPage(path: string): Promise<Page> {
  const page = await site.open(`${path}?${place}`);
  await settled(page);
  return page;
}

const told = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor();
const inStore = async () => (await site.admin.platforms(here)).filter(({ source }) => source === 'store');

describe('platforms', () => {
  it('registers one by the form of its preset, tries a token, changes it and removes it', async () => {
    const page = await openPage('/platforms');
    await page.getByRole('button', { name: 'Add a platform' }).click();
    const dialog = page.getByRole('dialog');
    const add = dialog.getByRole('button', { name: 'Add a platform' });
    await dialog.getByLabel('Kind').selectOption('Wave');
    expect(await add.isDisabled()).toBe(true);
    await dialog.getByLabel('App', { exact: true }).fill('1234');
    await dialog.getByLabel(/^Secret/).fill('of-the-wave');
    await dialog.getByLabel(/^Origins/).fill('https://one.example\n https://two.example ');
    await dialog.getByLabel(/^Mode/).selectOption('live');
    await add.click();
    await told(page, 'The platform is registered.');
    const [platform] = await inStore();
    expect(platform).toMatchObject({
      name: 'wave',
      isOn: true,
      settings: { app: '1234', mode: 'live', origins: ['https://one.example', 'https://two.example'] },
      secrets: ['appSecret'],
    });
    expect(await page.content()).not.toContain('of-the-wave');

    await page.getByRole('button', { name: 'Try a token: wave' }).click();
    await dialog.getByLabel(/^A token/).fill('ada:of-the-wave');
    await dialog.getByRole('button', { name: 'Try a token' }).click();
    await dialog.getByText('The token holds. It is the player').waitFor();
    await dialog.getByText('The secret is that of the app').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: 'Change: wave' }).click();
    await dialog.getByLabel('Players may sign in with it').uncheck();
    await dialog.getByRole('button', { name: 'Change' }).click();
    await told(page, 'The platform is changed.');
    expect((await site.admin.platforms(here)).find(({ name }) => name === 'wave')).toMatchObject({
      isOn: false,
      secrets: ['appSecret'],
    });

    await page.getByRole('button', { name: 'Remove: wave' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await told(page, 'The platform is removed.');
    expect(await inStore()).toEqual([]);
  });

  it('shows what the configuration brings as such: it can be tried, and neither changed nor removed', async () => {
    const page = await openPage('/platforms');
    const row = (name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
    const dialog = page.getByRole('dialog');
    for (const [name, good, step] of [
      ['surf', 'ada:of-the-surf', 'The secret is that of the app'],
      ['zoo', 'ada', 'The code of the configuration accepts the token'],
    ] as const) {
      await row(name).getByText('in the configuration').waitFor();
      expect(await row(name).getByRole('button').allInnerTexts()).toEqual(['Try a token']);
      await row(name).getByRole('button').click();
      await dialog.getByLabel(/^A token/).fill(good);
      await dialog.getByRole('button', { name: 'Try a token' }).click();
      await dialog.getByText('The token holds. It is the player').waitFor();
      await dialog.getByText(step).waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
    }
    expect(await page.content()).not.toContain('of-the-surf');
  });

  it('tries a token by what stands in the form, before anything is saved', async () => {
    site.expectComplaints(/400/);
    const page = await openPage('/platforms');
    await page.getByRole('button', { name: 'Add a platform' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Kind').selectOption('Wave');
    await dialog.getByText('Try a token before saving').click();
    const attempt = dialog.getByRole('button', { name: 'Try a token' });
    await dialog.getByLabel(/^A token/).fill('ada:of-the-wave');
    expect(await attempt.isDisabled()).toBe(true);
    await dialog.getByLabel('App', { exact: true }).fill('1234');
    await dialog.getByLabel(/^Secret/).fill('another');
    await attempt.click();
    await dialog.getByText('The token does not hold.').waitFor();
    await dialog.getByLabel(/^Secret/).fill('of-the-wave');
    await attempt.click();
    await dialog.getByText('The token holds. It is the player').waitFor();
    await dialog.getByLabel('App', { exact: true }).fill('wrong');
    await attempt.click();
    await dialog.getByRole('alert').getByText('invalid_request').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await inStore()).toEqual([]);
  });

  it('takes a secret away that the platform can do without', async () => {
    const settings = { app: '1234', appSecret: 'of-the-wave' };
    await site.admin.savePlatform({ ...here, name: 'wave', preset: 'wave', settings });
    const page = await openPage('/platforms');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Change: wave' }).click();
    await dialog.getByLabel('Take it away: Secret').check();
    await dialog.getByRole('button', { name: 'Change' }).click();
    await told(page, 'The platform is changed.');
    const [saved] = await inStore();
    expect(saved).toMatchObject({ settings: { app: '1234' }, secrets: [] });
    await site.admin.removePlatform({ ...here, name: 'wave', version: saved?.version ?? 0 });
  });

  it('registers a platform of every preset by its form, under a name that it may have', {
    timeout: 60_000,
  }, async () => {
    const doubles = await createDoubles();
    const page = await openPage('/platforms');
    const dialog = page.getByRole('dialog');
    for (const { name, title, fields } of platformPresets) {
      const settings: PlatformSettings = doubles[name]?.settings ?? {};
      await page.getByRole('button', { name: 'Add a platform' }).click();
      await dialog.getByLabel('Kind').selectOption(title);
      for (const { name: field, label, kind } of fields) {
        const value = settings[field];
        if (value === undefined) continue;
        const input = dialog
          .locator('.field', { has: page.getByText(label, { exact: true }) })
          .locator('input, textarea, select');
        if (kind === 'choice') await input.selectOption(String(value));
        else await input.fill([value].flat().join('\n'));
      }
      await dialog.getByRole('button', { name: 'Add a platform' }).click();
      await dialog.waitFor({ state: 'detached' });
      const saved = (await inStore()).find(({ preset }) => preset === name);
      const secrets = fields.filter(({ kind, name: field }) => kind === 'secret' && settings[field] !== undefined);
      expect([name, saved?.secrets]).toEqual([name, secrets.map((field) => field.name)]);
      for (const [field, value] of Object.entries(saved?.settings ?? {})) {
        expect([name, field, [value].flat()]).toEqual([name, field, [settings[field]].flat()]);
      }
    }
    expect(await inStore()).toHaveLength(platformPresets.length);
  });
});
