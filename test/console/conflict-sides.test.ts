import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { here, place, settled, visitConsole } from './console-site.js';
import { type Filled, fillService } from './filled-service.js';

const site = visitConsole();
let filled: Filled;

beforeAll(async () => {
  filled = await fillService(site.backend, site.admin);
  const players = site.admin.players(here);
  for (const userId of [filled.ada, filled.guest]) {
    for (let count = 0; count < 45; count += 1) {
      const key = `k${String(count).padStart(2, '0')}`;
      await players.updateEntry(userId, { collection: 'both', key, value: { count }, version: -1 });
    }
  }
  await players.updateEntry(filled.guest, { collection: 'both', key: 'k44', value: { count: 99 }, version: 0 });
  // It moves what follows it to the next part of the list, on one side alone.
  await players.updateEntry(filled.guest, { collection: 'alone', key: 'main', value: {}, version: -1 });
});

async function compare(page: Page) {
  await page.getByRole('table', { name: 'Open' }).getByRole('button', { name: 'Compare' }).click();
  return page.getByRole('region', { name: 'The saves of both accounts' });
}

async function openConflicts(): Promise<Page> {
  const page = await site.open(`/conflicts?${place}`);
  await settled(page);
  return page;
}

it.each([429, 500, 'offline'] as const)(
  'a save that cannot be read (%s) is no difference between accounts',
  async (status) => {
    site.expectComplaints(/429|500|Failed to load/);
    const page = await openConflicts();
    await page.route('**/entries/both/k03?*', (route) => {
      if (!route.request().url().includes(filled.guest)) return route.fallback();
      if (status === 'offline') return route.abort();
      const body = {
        type: 'about:blank',
        title: 'Refused.',
        status,
        code: status === 429 ? 'rate_limited' : 'internal_error',
      };
      return route.fulfill({ status, contentType: 'application/problem+json', json: body });
    });
    const sides = await compare(page);
    await sides.getByRole('alert').waitFor({ timeout: 20_000 });
    expect(await sides.getByRole('table').count()).toBe(0);
    await page.unroute('**/entries/both/k03?*');
    await sides.getByRole('button', { name: 'Try again' }).click();
    await sides.getByRole('row', { name: /alone/ }).waitFor();
    expect(await sides.getByRole('row', { name: /both/ }).count()).toBe(0);
  },
  90_000,
);

it('the saves of two accounts are compared as far as somebody wants, and one that the other has later is no difference', async () => {
  site.expectComplaints(/404/);
  const page = await openConflicts();
  const sides = await compare(page);
  await sides.getByText('Compared are the first 40 entries of each account.').waitFor();
  await sides.getByRole('row', { name: /alone/ }).waitFor();
  expect(await sides.getByRole('row', { name: /both/ }).count()).toBe(0);
  await sides.getByRole('button', { name: 'Show more' }).click();
  await sides.getByRole('row', { name: /both\/k44/ }).waitFor();
  await sides.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
  expect(await sides.getByText('Compared are the first').count()).toBe(0);
}, 90_000);
