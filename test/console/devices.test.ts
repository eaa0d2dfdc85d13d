import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { here, place, visitConsole } from './console-site.js';

const site = visitConsole();

const device = (page: Page, name: string) => {
  const card = page.getByRole('region', { name });
  return {
    coins: () => card.locator('.coins strong').innerText(),
    status: () => card.locator('.badge').innerText(),
    press: (button: string) => card.getByRole('button', { name: button }).click(),
    offline: card.getByRole('checkbox', { name: 'Offline' }),
    conflict: card.getByRole('group', { name: 'Which save goes on?' }),
    player: () => card.getByRole('link').getAttribute('href'),
  };
};

/** Two devices that have met a conflict, by three clicks. */
async function conflicting() {
  site.expectComplaints(/409/);
  const page = await site.open(`/devices?${place}`);
  const [phone, laptop] = [device(page, 'Phone'), device(page, 'Laptop')];
  await phone.press('Earn 10 coins');
  await laptop.press('Earn 10 coins');
  await expect.poll(() => phone.status()).toBe('synced');
  await laptop.press('Sign in with the name');
  await laptop.conflict.waitFor();
  return { page, phone, laptop };
}

describe('two devices', () => {
  it('meet a conflict in three clicks, which the service has, and which ends as the player chooses', async () => {
    const { phone, laptop } = await conflicting();
    expect((await site.admin.conflicts(here)).conflicts).toHaveLength(1);
    await laptop.conflict.getByRole('button', { name: 'Merge: both count' }).click();
    await expect.poll(() => laptop.coins()).toBe('20');
    expect(await laptop.player()).toBe(await phone.player());
    await phone.press('Look for changes');
    await expect.poll(() => phone.coins()).toBe('20');
    expect((await site.admin.conflicts(here)).conflicts).toEqual([]);
  });

  it('show what each side has, and go on as they were where the player chooses nothing', async () => {
    const { laptop } = await conflicting();
    await laptop.conflict.getByRole('button', { name: 'The name’s: 10 coins' }).waitFor();
    await laptop.conflict.getByRole('button', { name: 'Cancel' }).click();
    await laptop.conflict.waitFor({ state: 'detached' });
    expect(await laptop.coins()).toBe('10');
  });

  it('keep what they earn while they are offline, and send it afterwards', async () => {
    const page = await site.open(`/devices?${place}`);
    const phone = device(page, 'Phone');
    await phone.offline.check();
    await phone.press('Earn 10 coins');
    await phone.press('Earn 10 coins');
    await expect.poll(() => phone.coins()).toBe('20');
    expect(await phone.status()).not.toBe('synced');
    await phone.offline.uncheck();
    await expect.poll(() => phone.status()).toBe('synced');
  });

  it('are there for developers alone', async () => {
    const page = await site.open(`/?${place}`);
    await page.getByRole('link', { name: 'Two devices' }).click();
    await page.getByRole('heading', { name: 'Two devices', level: 1 }).waitFor();
  });
});
