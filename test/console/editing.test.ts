import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { here, place, settled, visitConsole } from './console-site.js';
import { signInGuest } from './filled-service.js';
import { writeJson } from './write-json.js';

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

const edit = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('button', { name: 'Edit' }).click();
  await writeJson(page, text);
};

describe('what is being written', () => {
  it('takes no member twice: the first would be lost', async () => {
    const page = await openSaves(await played('a-device-of-twins'), ofMain);
    await edit(page, '{ "coins": 1, "a:": "\\"b\\":", "in": [{ "x": 1 }, { "x": 2 }] }');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.getByRole('button', { name: 'Save' }).isEnabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await writeJson(page, '{ "coins": 1, "in": { "co\\u0069ns": 2, "b": {}, "coins": 3 } }');
    await page.getByRole('alert').getByText('“coins” is there twice').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  });

  it('is taken from the moment on in which the text is there: what was written before would be lost', async () => {
    const page = await openSaves(await played('a-device-of-slow-tasks', { coins: 77 }), ofMain);
    await page.evaluate(() => {
      const soon = globalThis.setTimeout;
      const later = (task: () => void, ms = 0) => soon(task, ms === 0 ? 300 : ms);
      Object.assign(globalThis, { setTimeout: later });
    });
    await page.getByRole('button', { name: 'Edit' }).click();
    const atFirst = await page.waitForFunction(() => {
      const content = document.querySelector('.editor')?.shadowRoot?.querySelector('[contenteditable="true"]');
      return content == null ? null : `written: ${content.textContent}`;
    });
    expect(await atFirst.jsonValue()).toContain('77');
  });

  it('is there again after another tab of the player, Back and another entry, and is gone once it was cancelled', async () => {
    const userId = await played('a-device-that-is-edited');
    await players().updateEntry(userId, { collection: 'progress', key: 'other', value: {}, version: -1 });
    const page = await openSaves(userId, ofMain);
    await edit(page, '{ "coins": 77 }');
    await page.getByRole('link', { name: 'Timeline' }).click();
    await page.getByText('The account was made.').waitFor();
    await page.goBack();
    const written = page.locator('.cm-content[contenteditable="true"]');
    await expect.poll(() => written.innerText()).toContain('"coins": 77');
    await page.getByRole('link', { name: /^other/ }).click();
    await page.getByRole('heading', { name: 'progress / other' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    await page.getByLabel('Environment').selectOption('Stage');
    await page.getByLabel('Environment').selectOption('Development');
    await page.goto(page.url().replace(/#.*/, `#/players/${userId}/saves?${ofMain}${place}`));
    await expect.poll(() => written.innerText()).toContain('"coins": 77');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Timeline' }).click();
    await page.getByText('The account was made.').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Edit' }).waitFor();
  });

  it('is asked for before the page is loaded anew, and only as long as there is something', async () => {
    const page = await openSaves(await played('a-device-of-a-reload'), ofMain);
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    await edit(page, '{ "coins": 78 }');
    // The page hears of it after a pause, or once the editor is left.
    await page.keyboard.press('Tab');
    await page.evaluate(() => location.reload());
    await expect.poll(() => asked).toEqual(['beforeunload']);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    expect(asked).toEqual(['beforeunload']);
  });

  it('is compared with what another has written meanwhile, and not sent again before somebody has decided', async () => {
    site.expectComplaints(/409/);
    const userId = await played('a-device-of-two-operators');
    const page = await openSaves(userId, ofMain);
    await edit(page, '{ "coins": 10 }');
    await players().updateEntry(userId, { ...main, value: { coins: 20 }, version: 0 });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const clash = page.getByRole('region', { name: 'It was changed meanwhile' });
    await clash.getByRole('cell', { name: '20' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await clash.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    const [table, button] = [clash.locator('.table-frame'), clash.getByRole('button').first()];
    const [above, below] = [await table.boundingBox(), await button.boundingBox()];
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
    const edges = await clash.boundingBox();
    expect((above?.x ?? 0) + (above?.width ?? 0)).toBeLessThanOrEqual((edges?.x ?? 0) + (edges?.width ?? 0));
    expect((await players().entry(userId, main)).value).toEqual({ coins: 20 });
  });
});
