import type { Page } from 'playwright-core';
import { english, type Texts } from 'savepoint/elements';
import { french, german, japanese, spanish } from 'savepoint/elements/texts';
import { describe, expect, it } from 'vitest';
import type { Scene } from './elements-page.js';
import { misfits, showAll, slow, take, useElementsPage, violations, widths } from './elements-visit.js';

const open = useElementsPage();

describe.each(['light', 'dark'] as const)('the elements in %s', (colorScheme) => {
  it.each(widths)('break no rule of WCAG 2.2 AA at %i pixels, fit, and can be hit by a finger', slow, async (width) => {
    for (const scene of ['player', 'guest', 'conflict'] as const) {
      const page = await open(scene, { colorScheme, reducedMotion: 'reduce', viewport: { width, height: 740 } });
      await showAll(page, scene);
      await take(page, `${scene}-${width}-${colorScheme}`);
      expect(await violations(page)).toEqual([]);
      expect(await misfits(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      if (scene === 'conflict') {
        await page.locator('savepoint-conflict [part~="merge"]').click();
        await page.locator('savepoint-conflict [part~="chosen"] [part~="undo"]').first().waitFor();
        await take(page, `chosen-${width}-${colorScheme}`);
        expect(await violations(page)).toEqual([]);
        expect(await misfits(page)).toEqual([]);
      }
      await page.context().close();
    }
  });
});

const scenes = ['player', 'guest', 'conflict'] as const satisfies Scene[];

/** Every text that the elements of a page show, and what they tell those who hear the page. */
const shownTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.body.children].flatMap(({ shadowRoot }) => {
      if (shadowRoot === null) return [];
      const texts: string[] = [];
      const nodes = document.createTreeWalker(shadowRoot, NodeFilter.SHOW_TEXT);
      while (nodes.nextNode()) {
        if (nodes.currentNode.parentElement?.localName !== 'style') texts.push(nodes.currentNode.textContent ?? '');
      }
      for (const each of shadowRoot.querySelectorAll('[aria-label]')) texts.push(each.getAttribute('aria-label') ?? '');
      return texts.map((text) => text.trim()).filter((text) => /\p{L}{2}/u.test(text));
    }),
  );

/** What a game and a player have written, and a code. */
const isNoText = (text: string): boolean =>
  /^((Name: )?ada|progress\/main|Coins|Level|[\dA-Z-]+)$|^\d+ coins, level/.test(text);

/** The lines of English whose first character is not at their left, or whose last one is not at their right. */
const turnedTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.body.children].flatMap(({ shadowRoot }) => {
      const turned: string[] = [];
      const nodes = document.createTreeWalker(shadowRoot ?? document.body, NodeFilter.SHOW_TEXT);
      while (nodes.nextNode()) {
        const { currentNode: node } = nodes;
        const text = node.textContent ?? '';
        const spots = Array.from(text, (_, at) => {
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, at + 1);
          return range.getBoundingClientRect();
        }).filter(({ width }) => width > 0);
        const isInOrder = spots.every(({ left, top }, at) => {
          const before = spots[at - 1];
          return before === undefined || before.top !== top || before.left < left;
        });
        if (!isInOrder) turned.push(text);
      }
      return turned;
    }),
  );

const textsOf = (words: Texts): unknown[] =>
  Object.values(words).flatMap((one) => (typeof one === 'object' ? Object.values(one) : one));

describe('the elements', () => {
  it.each([
    ['de', german],
    ['fr', french],
    ['es', spanish],
    ['ja', japanese],
  ] as const)(
    'fit 320 pixels in the language %s, and have no English in them',
    { timeout: 120_000 },
    async (language, words) => {
      const same = textsOf(words).filter((text, index) => text === textsOf(english)[index]);
      for (const scene of scenes) {
        const inEnglish = await open(scene, { viewport: { width: 320, height: 640 } });
        await showAll(inEnglish, scene);
        const before = new Set(await shownTexts(inEnglish));
        await inEnglish.context().close();
        const page = await open(scene, { language, viewport: { width: 320, height: 640 } });
        await showAll(page, scene);
        await take(page, `${scene}-320-${language}`);
        expect(await misfits(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
        const shown = await shownTexts(page);
        expect(shown.length).toBeGreaterThan(10);
        expect(shown.filter((text) => before.has(text) && !isNoText(text) && !same.includes(text))).toEqual([]);
        await page.context().close();
      }
    },
  );

  it.each(['de', 'fr', 'es'])('break no word in the table of a conflict, at 308 pixels: %s', slow, async (language) => {
    // A dialog on its way in would be measured between two pixels.
    const page = await open('conflict', { language, reducedMotion: 'reduce', viewport: { width: 308, height: 640 } });
    const cells = page.locator('savepoint-conflict tr > *');
    // The table comes after the scene is open: without it there would be nothing to measure.
    await expect.poll(() => cells.count()).toBe(18);
    const linesAndWords = cells.evaluateAll((all) =>
      all.map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        const lines = new Set([...range.getClientRects()].map(({ top }) => top));
        return { lines: lines.size, words: (cell.textContent ?? '').split(/\s+/).length };
      }),
    );
    for (const { lines, words } of await linesAndWords) expect(lines).toBeLessThanOrEqual(words);
    expect(await cells.count()).toBe(18);
    await page.context().close();
  });

  it.each(scenes)('read from right to left where the page does: %s', slow, async (scene) => {
    const page = await open(scene, { dir: 'rtl', viewport: { width: 390, height: 740 } });
    await showAll(page, scene);
    await take(page, `${scene}-390-rtl`);
    expect(await misfits(page)).toEqual([]);
    /** Whether what comes first in a row of these is on the right. */
    const isTurned = (row: string, index = 0): Promise<boolean> =>
      page
        .locator(row)
        .nth(index)
        .evaluate(({ children: [first, second] }) =>
          first === undefined || second === undefined
            ? false
            : first.getBoundingClientRect().right > second.getBoundingClientRect().right,
        );
    expect(await isTurned('savepoint-account [part="card"]')).toBe(true);
    if (scene === 'player') {
      expect(await isTurned('savepoint-account [part~="actions"]')).toBe(true);
      expect(await isTurned('savepoint-history li')).toBe(true);
      expect(await isTurned('savepoint-sync li .row')).toBe(true);
    }
    if (scene === 'conflict') expect(await isTurned('savepoint-conflict thead > tr')).toBe(true);
    // The words are English: each text is laid out in its own direction, its numbers and its full stop with it.
    expect(await turnedTexts(page)).toEqual([]);
    /** How far what is in a cell is from the edge where the row begins. */
    const gaps = await page.locator('tbody th > *, li strong > *, [part~="status"] > *').evaluateAll((all) =>
      all.map((each) => {
        const range = document.createRange();
        range.selectNodeContents(each);
        const [place, words] = [each.parentElement, range].map((one) => one?.getBoundingClientRect().right ?? 0);
        return Math.round((place ?? 0) - (words ?? 0));
      }),
    );
    expect(gaps.filter((gap) => gap > 22)).toEqual([]);
    if (scene === 'conflict') expect(gaps.length).toBeGreaterThan(3);
    await page.context().close();
  });

  it.each([
    ['no-preference', true],
    ['reduce', false],
  ] as const)('move nothing where a player prefers that: %s', slow, async (reducedMotion, moves) => {
    const page = await open('conflict', { reducedMotion });
    await showAll(page, 'conflict');
    const moving = await page.evaluate(() =>
      [...document.body.children].flatMap(({ shadowRoot }) =>
        [...(shadowRoot?.querySelectorAll('*') ?? [])].flatMap((each) => {
          const { animationName, transitionDuration } = getComputedStyle(each);
          return animationName === 'none' && /^(0s(, )?)+$/.test(transitionDuration) ? [] : [each.localName];
        }),
      ),
    );
    expect(moving).toEqual(moves ? ['dialog'] : []);
    await page.context().close();
  });
});
