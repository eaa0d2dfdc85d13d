import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { place, settled, visitConsole } from './console-site.js';
import { findByName, signInGuest } from './filled-service.js';

const site = visitConsole();

const firstOf = (page: Page) => page.getByRole('row').nth(1).getByRole('link').getAttribute('href');

it('Back from a player leads to the page of the list that the player was found on, also after a reload', async () => {
  for (let index = 0; index < 30; index += 1) await signInGuest(site.backend, `one-of-a-long-list-${index}`);
  const page = await site.open(`/players?${place}`);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Page 2').waitFor();
  await page.getByText('ada', { exact: true }).waitFor();
  const first = await firstOf(page);
  await page.getByText('ada', { exact: true }).click();
  await page.getByRole('heading', { name: 'ada', level: 1 }).waitFor();
  await page.goBack();
  await page.getByText('Page 2').waitFor();
  await expect.poll(() => firstOf(page)).toBe(first);
  await page.reload();
  await page.getByText('Page 2').waitFor();
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByText('Page 1').waitFor();
  // Another list, and another place, begin at their first page.
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('link', { name: 'Seen last' }).click();
  await page.getByText('Page 1').waitFor();
});

it('says how long ago something was by the service’s clock, also after that was moved', async () => {
  const ada = await findByName(site.admin, 'ada');
  const page = await site.open(`/faults?${place}`);
  await page.getByRole('button', { name: '30 days on' }).click();
  await page.getByRole('dialog').getByRole('button', { name: '30 days on' }).click();
  await page.getByText('720 hours ahead').waitFor();
  const { userId } = await signInGuest(site.backend, 'a-device-of-a-later-month');
  await page.goto(`${site.url}/console/#/players/${userId}?${place}`);
  await settled(page);
  const seen = async () => (await page.locator('dd time').nth(1).innerText()).trim();
  await expect.poll(seen).toMatch(/^(now|\d+ seconds? ago)$/);
  await page.goto(`${site.url}/console/#/players/${ada}?${place}`);
  await expect.poll(seen).toBe('last month');
  // A page that is loaded anew knows it, too.
  await page.reload();
  await settled(page);
  await expect.poll(seen).toBe('last month');
});
