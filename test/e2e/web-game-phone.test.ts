import type { Frame, Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  choose,
  coinsOf,
  collectCoins,
  conflictDialog,
  fillAndSend,
  linkName,
  type Place,
  password,
  phone,
  see,
  seeCoins,
  seeSaved,
  slow,
  visitGame,
  waiting,
} from './visit.js';

const visit = visitGame();

const openOnPhone = async (width: number, path?: string) => (await visit.another(phone(width))).open(path);

/** What is visible and reaches over the edge of the element to the left or to the right, letters and boxes. */
function sticksOut(inside: Locator): Promise<string[]> {
  return inside.evaluate((within: HTMLElement) => {
    const left = within.getBoundingClientRect().left + within.clientLeft;
    const right = left + within.clientWidth;
    const found: string[] = [];
    const check = (what: string, { left: from, right: to, width }: DOMRect): void => {
      if (width > 1 && (from < left - 0.5 || to > right + 0.5))
        found.push(`${what}: ${from} to ${to} of ${left} to ${right}`);
    };
    for (const each of within.querySelectorAll<HTMLElement>('*')) {
      if (!each.checkVisibility() || each.closest('svg, .unseen') !== null) continue;
      check(`${each.tagName} ${each.id}`, each.getBoundingClientRect());
      for (const node of each.childNodes) {
        if (!(node instanceof Text) || node.data.trim() === '') continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const letters = range.getBoundingClientRect();
        check(node.data.trim(), letters);
        // A cell or a button that its own words do not fit into.
        const box = each.getBoundingClientRect();
        if (each.matches('th, td, button') && (letters.left < box.left || letters.right > box.right)) {
          found.push(`${node.data.trim()} is wider than its ${each.tagName}`);
        }
      }
    }
    if (within.scrollWidth > within.clientWidth)
      found.push(`scrolls to ${within.scrollWidth} of ${within.clientWidth}`);
    return found;
  });
}

/** The page shows all of its width, which a phone would otherwise zoom out to. */
async function expectNothingBesideTheScreen(page: Page, width: number): Promise<void> {
  expect(await sticksOut(page.locator('body'))).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
}

const smallTargets = (place: Place): Promise<string[]> =>
  place.locator('button, summary, input, a').evaluateAll((all) =>
    all.flatMap((each) => {
      const { width, height } = each.getBoundingClientRect();
      if (!each.checkVisibility() || (width >= 24 && height >= 24)) return [];
      return [`${each.id || each.textContent}: ${width} by ${height}`];
    }),
  );

describe('the web game on a phone', () => {
  it.each([320, 390])('shows both sides of a conflict, whole, at %i pixels', slow, async (width) => {
    const name = visit.newName();
    visit.expectFailures(/409/);
    const there = await visit.visitor.open();
    await seeSaved(there, 'Guest');
    await linkName(there, name);

    const page = await openOnPhone(width);
    await seeSaved(page, 'Guest');
    await expectNothingBesideTheScreen(page, width);
    expect(await smallTargets(page)).toEqual([]);
    const coins = await collectCoins(page);
    await fillAndSend(page, name, password);
    const dialog = page.locator(conflictDialog);
    await dialog.waitFor(waiting);
    expect(await sticksOut(dialog)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    for (const cell of await dialog.locator('thead th, tbody td').all()) {
      const box = await cell.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
      // Wide enough for a number of the game.
      expect(box?.width).toBeGreaterThanOrEqual(60);
    }
    expect(await smallTargets(page)).toEqual([]);
    await page.tap(choose.keep);
    await seeSaved(page, name);
    await seeCoins(page, coins);
  });

  it('names no keys, says what a finger does, and does it', slow, async () => {
    const page = await openOnPhone(320);
    await seeSaved(page, 'Guest');
    const keys = /\b(keys?|keyboard|press|click|space|esc|enter|arrows?)\b|[←↑→↓]/i;
    const expectNoKeys = async (): Promise<void> => {
      expect(await page.innerText('body')).not.toMatch(keys);
      expect(await page.locator('kbd:visible').count()).toBe(0);
    };
    await expectNoKeys();
    await see(page, '.hint:visible', 'Hold a finger to the sky');

    await page.tap('#fly');
    await expectNoKeys();
    const sky = await page.locator('#canvas').boundingBox();
    if (sky === null) throw new Error('there is no sky');
    const finger = await page.context().newCDPSession(page);
    const at = { x: sky.x + sky.width * 0.85, y: sky.y + sky.height * 0.78 };
    await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] });
    await expect.poll(() => coinsOf(page), waiting).toBeGreaterThanOrEqual(3);
    await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.tap('#pause');
    await see(page, '#overlay-title', 'Paused');
    expect(await page.locator('#pause').isVisible()).toBe(false);
    await expectNoKeys();
  });

  it('names the keys where there are some, and no finger', slow, async () => {
    const page = await visit.visitor.open();
    await seeSaved(page, 'Guest');
    expect(await page.locator('kbd:visible').count()).toBeGreaterThan(0);
    expect(await page.innerText('body')).not.toContain('finger');
    await page.click('#fly');
    expect(await page.locator('#pause').isVisible()).toBe(false);
  });

  it('stands in the middle of a wide screen', slow, async () => {
    const wide = { viewport: { width: 1600, height: 900 } };
    const page = await (await visit.another(wide)).open();
    await seeSaved(page, 'Guest');
    const box = await page.locator('body').boundingBox();
    expect(box?.x).toBe((1600 - (box?.width ?? 0)) / 2);
  });
});

describe('two devices on one phone', () => {
  const focused = (place: Page | Frame) => place.evaluate(() => document.activeElement?.id);

  it('open the choice in view, with the focus in it, and come back to the guide', slow, async () => {
    visit.expectFailures(/409/);
    const screen = { width: 320, height: 640 };
    const page = await openOnPhone(screen.width, 'two-devices.html');
    await see(page, '#story', 'Two guests');
    await expectNothingBesideTheScreen(page, screen.width);
    expect(await smallTargets(page)).toEqual([]);
    await page.tap('#link-a');
    await see(page, '#story', 'now opens the save of device A');
    const b = page.frame({ url: /device=b/ });
    if (b === null) throw new Error('there is no device b');

    const openChoice = async (): Promise<void> => {
      await page.tap('#sign-in-b');
      await b.locator(conflictDialog).waitFor(waiting);
      await expect.poll(() => focused(page), waiting).toBe('frame-b');
      expect(await b.evaluate(() => document.activeElement?.id)).toBe('conflict');
      // Of a dialog in a frame the box is the one on the page.
      await expect.poll(async () => (await b.locator(conflictDialog).boundingBox())?.y, waiting).toBeLessThan(100);
      const box = await b.locator(conflictDialog).boundingBox();
      expect(box?.y).toBeGreaterThanOrEqual(0);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(screen.height);
      expect(await sticksOut(b.locator(conflictDialog))).toEqual([]);
      expect(await smallTargets(b)).toEqual([]);
    };
    const expectGuide = async (id: string): Promise<void> => {
      await expect.poll(() => focused(page), waiting).toBe(id);
      await expect.poll(() => page.evaluate(() => scrollY), waiting).toBe(0);
    };

    await openChoice();
    await b.tap(choose.later);
    await see(page, '#story', 'Not now: nothing has changed');
    await expectGuide('sign-in-b');
    await openChoice();
    await b.tap(choose.merge);
    await see(page, '#story', 'Both saves are one');
    await expectGuide('story');
  });
});
