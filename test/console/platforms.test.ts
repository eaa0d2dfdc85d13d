import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
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

afterEach(async () => {
  for (const { name, version } of await inStore()) await site.admin.removePlatform({ ...here, name, version });
});

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

  it('keeps what was filled in of a new one at Escape, until it is registered', async () => {
    const page = await openPage('/platforms');
    const add = page.getByRole('button', { name: 'Add a platform' });
    const dialog = page.getByRole('dialog');
    await add.click();
    await dialog.getByLabel('Kind').selectOption('Wave');
    await dialog.getByLabel('App', { exact: true }).fill('1234');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await add.click();
    expect(await dialog.getByLabel('App', { exact: true }).inputValue()).toBe('1234');
    await dialog.getByLabel(/^Secret/).fill('of-the-wave');
    await dialog.getByLabel(/^Origins/).fill('https://one.example');
    await dialog.getByRole('button', { name: 'Add a platform' }).click();
    await told(page, 'The platform is registered.');
    await add.click();
    expect(await dialog.getByLabel('App', { exact: true }).count()).toBe(0);
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
    expect((await inStore())[0]).toMatchObject({ settings: { app: '1234' }, secrets: [] });
  });

  it('changes one twice: the form shows what there is now, and keeps what nobody has touched', async () => {
    const settings = { app: '1234', mode: 'live', origins: ['https://one.example'] };
    await site.admin.savePlatform({ ...here, name: 'wave', preset: 'wave', settings });
    const page = await openPage('/platforms');
    const dialog = page.getByRole('dialog');
    const change = page.getByRole('button', { name: 'Change: wave' });
    for (const app of ['1235', '1236']) {
      await change.click();
      expect(await dialog.getByLabel(/^Mode/).inputValue()).toBe('live');
      expect(await dialog.getByLabel(/^Origins/).inputValue()).toBe('https://one.example');
      await dialog.getByLabel('App', { exact: true }).fill(app);
      await dialog.getByRole('button', { name: 'Change' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('row').getByText(app, { exact: true }).waitFor();
      expect((await inStore())[0]).toMatchObject({ settings: { ...settings, app } });
    }
    // What was typed and not sent is forgotten.
    await change.click();
    await dialog.getByLabel('App', { exact: true }).fill('of no use');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await change.click();
    expect(await dialog.getByLabel('App', { exact: true }).inputValue()).toBe('1236');
  });

  it('does not overwrite what another operator has changed, and reads it again', async () => {
    site.expectComplaints(/409/);
    const given = { ...here, name: 'wave', preset: 'wave' } as const;
    const first = await site.admin.savePlatform({ ...given, settings: { app: 'of nobody', mode: 'live' } });
    const page = await openPage('/platforms');
    const dialog = page.getByRole('dialog');
    const second = await site.admin.savePlatform({
      ...given,
      settings: { app: 'of the other', mode: 'test' },
      isOn: false,
      version: first.version,
    });
    await page.getByRole('button', { name: 'Change: wave' }).click();
    expect(await dialog.getByLabel('App', { exact: true }).inputValue()).toBe('of nobody');
    const save = dialog.getByRole('button', { name: 'Change' });
    await dialog.getByLabel('App', { exact: true }).fill('mine');
    await save.click();
    await dialog.getByRole('alert').getByText('Another operator has changed it meanwhile').waitFor();
    expect((await inStore())[0]).toMatchObject({ settings: { app: 'of the other', mode: 'test' }, isOn: false });

    await dialog.getByRole('button', { name: 'Read again' }).click();
    await expect.poll(() => dialog.getByLabel('App', { exact: true }).inputValue()).toBe('of the other');
    expect(await dialog.getByLabel('App', { exact: true }).evaluate((field) => field === document.activeElement)).toBe(
      true,
    );
    expect(await dialog.getByLabel('Players may sign in with it').isChecked()).toBe(false);
    expect(await dialog.getByRole('alert').count()).toBe(0);
    await dialog.getByLabel('App', { exact: true }).fill('mine');
    await save.click();
    await told(page, 'The platform is changed.');
    const [mine] = await inStore();
    expect(mine).toMatchObject({ settings: { app: 'mine', mode: 'test' }, isOn: false });
    expect(mine?.version).toBe(second.version + 1);

    // Neither does a removal take away what nobody here has seen, nor does a change bring back what was removed.
    await page.getByRole('row').getByText('mine', { exact: true }).waitFor();
    const remove = page.getByRole('button', { name: 'Remove: wave' });
    const third = await site.admin.savePlatform({
      ...given,
      settings: { app: 'once more' },
      version: mine?.version ?? 0,
    });
    await remove.click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('alert').getByText('Another operator has changed it meanwhile').waitFor();
    await dialog.getByRole('button', { name: 'Read again' }).click();
    await dialog.getByRole('alert').waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('row').getByText('once more', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change: wave' }).click();
    await site.admin.removePlatform({ ...here, name: 'wave', version: third.version });
    await save.click();
    await dialog.getByRole('alert').getByText('Another operator has removed it').waitFor();
    expect(await inStore()).toEqual([]);
    await dialog.getByRole('button', { name: 'Read again' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Change: wave' }).waitFor({ state: 'detached' });
  });

  it('says of a new one that its name is taken, keeps what was typed, and takes another name', async () => {
    site.expectComplaints(/409/);
    const page = await openPage('/platforms');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add a platform' }).click();
    await site.admin.savePlatform({ ...here, name: 'wave', preset: 'wave', settings: { app: '1' } });
    await dialog.getByLabel('Kind').selectOption('Wave');
    await dialog.getByLabel('App', { exact: true }).fill('1234');
    await dialog.getByRole('button', { name: 'Add a platform' }).click();
    await dialog.getByRole('alert').getByText('There is a platform of this name already').waitFor();
    await dialog.getByLabel(/^Name/).fill('second-wave');
    await dialog.getByRole('button', { name: 'Add a platform' }).click();
    await told(page, 'The platform is registered.');
    expect((await inStore()).map(({ settings }) => settings)).toEqual([{ app: '1234' }, { app: '1' }]);
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
