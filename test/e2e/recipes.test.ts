import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { bundleRecipes, coloursOf, recipePage } from './recipe-site.js';
import { openRoutedSite, type RoutedSite } from './routed-site.js';

/** Each engine, and how the text on its screen is read: of its own objects where it draws text itself. */
const engines = {
  phaser: (page: Page) =>
    page.evaluate(() => (window as unknown as PhaserPage).recipe?.game.scene.scenes[0]?.children.list[0]?.text),
  pixi: (page: Page) => page.evaluate(() => (window as unknown as PixiPage).recipe?.label.text),
  three: textOfPage,
  babylon: textOfPage,
  playcanvas: textOfPage,
};
interface PhaserPage {
  recipe?: { game: { scene: { scenes: { children: { list: { text?: string }[] } }[] } } };
}
interface PixiPage {
  recipe?: { label: { text: string } };
}

function textOfPage(page: Page): Promise<string | null> {
  return page.evaluate(() => document.querySelector('p')?.textContent ?? null);
}

let site: RoutedSite;
beforeAll(async () => {
  site = await openRoutedSite(await bundleRecipes(Object.keys(engines)));
}, 120_000);
afterAll(() => site.close());
afterEach(() => expect(site.complaints()).toEqual([]));

it.each(Object.entries(engines))(
  '%s shows the save, adds to it, says how it stands, and asks in a conflict',
  { timeout: 60_000 },
  async (engine, textOf) => {
    const owner = await site.addPlayer(`ada-${engine}`, 50);
    const page = await site.open(recipePage(engine));
    const see = (text: string) => expect.poll(() => textOf(page), { timeout: 20_000 }).toBe(text);
    await see('0 coins, synced');
    await expect.poll(() => coloursOf(page), { timeout: 20_000 }).toBeGreaterThan(2);

    await page.mouse.click(160, 120);
    await see('1 coins, synced');
    // Beside the coin there is nothing to collect.
    await page.mouse.click(5, 235);
    const writes = () => site.backend.control.requests.filter(({ method }) => method === 'PATCH');
    expect(writes().at(-1)?.body).toMatchObject({ value: { coins: 1 } });

    await page.evaluate(async (name) => {
      const { client } = (window as unknown as { saves: typeof import('../../examples/recipes/saves.js') }).saves;
      void client.auth.withName(name, 'correct horse');
    }, `ada-${engine}`);
    await page.getByRole('button', { name: 'Merge both' }).waitFor();
    await page.getByRole('button', { name: "Take the account's saves (1)" }).click();
    await see('50 coins, synced');
    await page.locator('dialog').waitFor({ state: 'detached' });

    await page.mouse.click(160, 120);
    await see('51 coins, synced');
    expect((await owner.profile.collection('progress').load())[0]?.value).toEqual({ coins: 51 });
  },
);
