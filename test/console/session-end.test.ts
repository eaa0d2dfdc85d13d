import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { axeFindings, here, operatorKey, place, settled, visitConsole } from './console-site.js';
import { findByName } from './filled-service.js';
import { writeJson } from './write-json.js';

const site = visitConsole({ mode: 'serve' });
const main = { collection: 'progress', key: 'main' };

async function signIn(page: Page, key = operatorKey): Promise<void> {
  await page.getByLabel('Operator’s key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByLabel('Operator’s key').waitFor({ state: 'detached' });
}

/** Somebody edits a save, and the session ends before it is saved. */
async function editing(typed: object): Promise<{ page: Page; ada: string }> {
  site.expectComplaints(/401/);
  const ada = await findByName(site.admin, 'ada');
  const page = await site.open(`/players/${ada}/saves?collection=progress&key=main&${place}`);
  await signIn(page);
  await settled(page);
  await page.getByRole('button', { name: 'Edit' }).click();
  await writeJson(page, JSON.stringify(typed));
  site.gateway.forgetSessions();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByLabel('Operator’s key').waitFor();
  return { page, ada };
}

it('keeps what was typed while the operator signs in again, and nobody reads or presses what is below', async () => {
  const { page, ada } = await editing({ coins: 4711 });
  await expect.poll(() => page.title()).toBe('Operators’ console · savepoint');
  const save = page.getByText('The player’s devices take it over');
  expect(await save.isVisible()).toBe(true);
  const covered = await page.evaluate(() => {
    const [cancel] = [...document.querySelectorAll('button')].filter(({ textContent }) => textContent === 'Cancel');
    const { x = 0, y = 0 } = cancel?.getBoundingClientRect() ?? {};
    return document.elementFromPoint(x + 2, y + 2)?.closest('.sign-in') !== null;
  });
  expect(covered).toBe(true);
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.getByLabel('Operator’s key').waitFor();
  const asked = site.gateway.asked.length;
  await signIn(page);
  await expect.poll(() => page.title()).toBe('ada · savepoint');
  expect(site.gateway.asked.slice(asked)).toContain('POST /console/session');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').getByText('The entry is saved.').waitFor();
  expect((await site.admin.players(here).entry(ada, main)).value).toEqual({ coins: 4711 });
});

it('shows nothing of what one operator typed to another one who signs in', async () => {
  const { page } = await editing({ note: 'for the early shift' });
  const { key } = await site.admin.makeKey({ name: 'the late shift', scope: 'support' });
  site.gateway.admit({ key, name: 'the late shift', scope: 'support' });
  await signIn(page, key);
  await page.locator('header').getByText('the late shift').waitFor();
  await page.getByRole('button', { name: 'Edit' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await page.content()).not.toContain('early shift');
});

it('reads what the end of the session has kept from the page once somebody is signed in again', async () => {
  site.expectComplaints(/401/);
  const page = await site.open();
  await signIn(page);
  await settled(page);
  site.gateway.forgetSessions();
  await page.evaluate(() => {
    location.hash = '#/audit';
  });
  await page.getByLabel('Operator’s key').waitFor();
  const asked = site.gateway.asked.length;
  await page.waitForTimeout(6_000);
  // Nobody is asked for more as long as nobody is signed in.
  expect(site.gateway.asked.slice(asked)).toEqual([]);
  await signIn(page);
  await page.getByRole('table').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

it('keeps nothing of a page that somebody has signed out of', async () => {
  const page = await site.open(`/players?${place}`);
  await signIn(page);
  await page.getByText('ada', { exact: true }).waitFor();
  await page.getByRole('button', { name: /the first key/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Operator’s key').waitFor();
  // The head names the files of the page by hashes, which may have these letters.
  expect(await page.locator('body').innerHTML()).not.toContain('ada');
});
