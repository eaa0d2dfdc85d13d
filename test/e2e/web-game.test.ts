import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  account,
  accountButton,
  accountError,
  accountField,
  coinsOf,
  collectCoins,
  fillAndSend,
  idOf,
  linkName,
  password,
  see,
  seeCoins,
  seeSaved,
  slow,
  textOf,
  visitGame,
  waiting,
  who,
} from './visit.js';

const visit = visitGame();

/** How many colours the picture of the next frame has. */
const colorsOf = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => {
          const canvas = document.querySelector<HTMLCanvasElement>('#canvas');
          if (canvas === null) throw new Error('there is no canvas');
          const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
          copy?.drawImage(canvas, 0, 0);
          const pixels = copy?.getImageData(0, 0, canvas.width, canvas.height).data.buffer;
          resolve(new Set(new Uint32Array(pixels ?? new ArrayBuffer(0))).size);
        });
      }),
  );

describe('the web game', () => {
  it('draws its picture, and flies in it', slow, async () => {
    const page = await (await visit.another({ draws: true })).open();
    await expect.poll(() => colorsOf(page), waiting).toBeGreaterThan(100);
    await seeSaved(page, 'Guest');
    await collectCoins(page);
    await expect.poll(() => colorsOf(page), waiting).toBeGreaterThan(100);
  });

  it('says so where the browser has no WebGL, and has the account all the same', slow, async () => {
    const { context, open } = visit.visitor;
    await context.addInitScript(() => {
      HTMLCanvasElement.prototype.getContext = () => null;
    });
    const page = await open();
    await seeSaved(page, 'Guest');
    await expect.poll(() => page.locator('#overlay').innerText(), waiting).toMatch(/no WebGL/);
    expect(await page.locator('#fly').isVisible()).toBe(false);
    await page.keyboard.press('Space');
    await linkName(page, visit.newName());
  });

  it('saves what a guest collects, and brings it back after a reload and after a sign-out', slow, async () => {
    const page = await visit.visitor.open();
    await seeSaved(page, 'Guest');
    const id = await idOf(page);
    const coins = await collectCoins(page);
    await seeSaved(page, 'Guest');
    await page.reload();
    await seeCoins(page, coins);
    await seeSaved(page, 'Guest');
    expect(await idOf(page)).toBe(id);
    expect(Number(await textOf(page, '#best'))).toBe(coins);

    await page.click(accountButton('sign-out'));
    await see(page, who, 'Signed out');
    await page.keyboard.press('Space');
    await see(page, '#overlay-title', 'Nobody is playing');
    await page.click(accountButton('guest'));
    await seeCoins(page, coins);
    await seeSaved(page, 'Guest');
    expect(await idOf(page)).toBe(id);
  });

  it('links a name that the service can take, and is linked after a reload', slow, async () => {
    const name = visit.newName();
    const page = await visit.visitor.open();
    await seeSaved(page, 'Guest');
    const id = await idOf(page);
    visit.expectFailures(/400/);
    await fillAndSend(page, '  ', password);
    await see(page, accountError, 'Please fill in this field.');
    await fillAndSend(page, name, 'short');
    await see(page, accountError, 'A password has at least 8 characters.');
    await linkName(page, name);
    expect(await idOf(page)).toBe(id);
    await page.reload();
    await seeSaved(page, name);
    expect(await idOf(page)).toBe(id);
  });

  it('keeps the guest and its save when the password of a taken name is wrong', slow, async () => {
    const name = visit.newName();
    const there = await (await visit.another()).open();
    await seeSaved(there, 'Guest');
    await linkName(there, name);

    visit.expectFailures(/401/);
    const page = await visit.visitor.open();
    await seeSaved(page, 'Guest');
    const id = await idOf(page);
    const coins = await collectCoins(page);
    await fillAndSend(page, name, 'not the password');
    await see(page, accountError, 'No save opens with this name and this password. Nothing has changed.');
    expect(await page.inputValue(accountField('name'))).toBe(name);
    await page.reload();
    await seeCoins(page, coins);
    await seeSaved(page, 'Guest');
    expect(await idOf(page)).toBe(id);
  });

  it('switches between two accounts, each with its own save, and stays where the way is wrong', slow, async () => {
    const [first, second] = [visit.newName(), visit.newName()];
    visit.expectFailures(/401/);
    const page = await visit.visitor.open();
    await seeSaved(page, 'Guest');
    const coins = await collectCoins(page);
    await linkName(page, first);
    await page.click(accountButton('sign-out'));
    await see(page, `${account} h3`, 'Sign in with a name');
    await linkName(page, second);
    expect(await coinsOf(page)).toBe(0);

    await page.click(accountButton('switch'));
    await fillAndSend(page, 'nobody-at-all', password);
    await see(page, accountError, 'No save opens with this name and this password.');
    await fillAndSend(page, first, 'not the password');
    await see(page, accountError, 'No save opens with this name and this password.');
    await see(page, who, second);
    await fillAndSend(page, first, password);
    await seeSaved(page, first);
    await seeCoins(page, coins);
  });
});
