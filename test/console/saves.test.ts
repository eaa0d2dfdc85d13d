import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { de } from '../../console/src/texts/de.js';
import { here, place, settled, visitConsole } from './console-site.js';
import { findByName, signInGuest } from './filled-service.js';

const site = visitConsole();
const players = () => site.admin.players(here);

const openSaves = async (userId: string, query = ''): Promise<Page> => {
  const page = await site.open(`/players/${userId}/saves?${query}${place}`);
  await settled(page);
  return page;
};

const main = { collection: 'progress', key: 'main' };
const ofMain = 'collection=progress&key=main&';

/** A guest with an entry. */
async function played(device: string, value: { [name: string]: number } = { coins: 1 }): Promise<string> {
  const { userId } = await signInGuest(site.backend, device);
  await players().updateEntry(userId, { ...main, value, version: -1 });
  return userId;
}

describe('the earlier versions of an entry', () => {
  it('are looked for as far back as somebody wants, and until then it is said how far', async () => {
    const userId = await played('a-device-that-writes-elsewhere');
    await players().updateEntry(userId, { ...main, value: { coins: 2 }, version: 0 });
    const other = { collection: 'settings', key: 'sound' };
    for (let version = -1; version < 21; version += 1) {
      await players().updateEntry(userId, { ...other, value: { volume: version }, version });
    }
    const page = await openSaves(userId, ofMain);
    const earlier = page.getByRole('region', { name: 'Earlier versions' });
    await earlier.getByText('Only the latest 20 of 22 snapshots were looked through.').waitFor();
    expect(await earlier.getByText('No earlier version is kept').count()).toBe(0);
    await earlier.getByRole('button', { name: 'Show more' }).click();
    await earlier.getByRole('table').waitFor();
    await earlier.getByRole('cell', { name: '1', exact: true }).waitFor();
    expect(await earlier.getByText('were looked through').count()).toBe(0);
  });

  it('are none where none is kept', async () => {
    const page = await openSaves(await played('a-device-that-wrote-once'), ofMain);
    await page.getByText('No earlier version is kept').waitFor();
  });
});

describe('the entries', () => {
  it('are read further where there are more than a thousand', async () => {
    const userId = await played('a-device-of-many-entries');
    const page = await openSaves(userId);
    // Pages of one entry, as if there were two hundred times as many.
    for (let count = 0; count < 7; count += 1) {
      await players().updateEntry(userId, { collection: 'many', key: `k${count}`, value: {}, version: -1 });
    }
    await page.route('**/console/api/v2/admin/games/*/players/*/entries?*', (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('limit', '1');
      return route.fallback({ url: url.href });
    });
    await page.getByRole('link', { name: 'Timeline' }).click();
    await page.getByRole('link', { name: 'Saves', exact: true }).click();
    const entries = page.getByRole('navigation', { name: 'Collections and entries' });
    await entries.getByText('These are the first 5.').waitFor();
    await entries.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => entries.getByRole('link').count()).toBe(8);
    await entries.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    expect(await entries.getByText('These are the first').count()).toBe(0);
  });

  it('have none of a name that an address only says, which is told in the reader’s language', async () => {
    site.expectComplaints(/404/);
    const userId = await played('a-device-of-an-old-link');
    const page = await site.open(`/players/${userId}/saves?collection=progress&key=gone&${place}`, { locale: 'de-DE' });
    await page.getByText(de.saves.noEntry).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});

it('bars of how much an account holds are equally long', async () => {
  const page = await site.open(`/players/${await findByName(site.admin, 'ada')}?${place}`);
  await settled(page);
  const bars = page.getByRole('region', { name: 'How much the account holds' }).getByRole('progressbar');
  const widths = await bars.evaluateAll((all) => all.map((bar) => Math.round(bar.getBoundingClientRect().width)));
  expect(new Set(widths).size).toBe(1);
});
