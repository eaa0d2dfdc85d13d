import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { build } from 'esbuild';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const root = new URL('../..', import.meta.url).pathname;
const pictures = process.env['SCREENSHOTS'];
const slow = { timeout: 60_000 };
let browser: Browser;
let script = '';

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [`${root}test/e2e/elements-page.ts`],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    tsconfig: `${root}tsconfig.json`,
  });
  script = outputFiles[0]?.text ?? '';
  browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: browserArgs });
}, 60_000);
afterAll(() => browser.close());

async function open(
  scene: 'player' | 'guest' | 'conflict',
  { language = 'en', dir = 'ltr', ...options }: BrowserContextOptions & { language?: string; dir?: string } = {},
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const style = 'body{margin:16px;display:grid;gap:16px;max-width:40rem}';
  const dark = `@media (prefers-color-scheme:dark){body{background:#14141c}}`;
  const body = `<!doctype html><html lang="en" dir="${dir}"><title>game</title><meta name="viewport" content="width=device-width"><style>${style}${dark}</style><h1 hidden>Game</h1><script src="/page.js"></script>`;
  await page.route('**/*', (route) =>
    route.request().url().endsWith('page.js')
      ? route.fulfill({ contentType: 'text/javascript; charset=utf-8', body: script })
      : route.fulfill({ contentType: 'text/html; charset=utf-8', body }),
  );
  await page.goto('http://localhost/');
  await page.evaluate(([name, of]) => window.openScene(name, of), [scene, language] as const);
  return page;
}

/** Opens all that can be opened. */
async function unfoldAll(page: Page): Promise<void> {
  await page.locator('savepoint-account details').first().waitFor();
  await page.locator('details').evaluateAll((all) => {
    for (const details of all) (details as HTMLDetailsElement).open = true;
  });
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations: found } = await page.evaluate(() =>
    (
      window as never as {
        axe: { run(rules: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      }
    ).axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      rules: {
        region: { enabled: false },
        'landmark-one-main': { enabled: false },
        'page-has-heading-one': { enabled: false },
      },
    }),
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** What a finger could not hit, and what reaches over the edge of the screen. */
const misfits = (page: Page): Promise<string[]> =>
  page.locator('button, input, summary, td, th, p, li').evaluateAll((all) =>
    all.flatMap((each) => {
      if (!each.checkVisibility() || each.closest('.unseen') !== null) return [];
      const { left, right, width, height } = each.getBoundingClientRect();
      const name = `${each.tagName} ${each.textContent?.trim()}`;
      const isSmall = each.matches('button, input, summary') && (width < 44 || height < 43.9);
      const isOver = left < -0.5 || right > innerWidth + 0.5 || each.scrollWidth > each.clientWidth + 1;
      return [...(isSmall ? [`small: ${name}`] : []), ...(isOver && width > 1 ? [`over: ${name}`] : [])];
    }),
  );

const take = async (page: Page, name: string): Promise<void> => {
  if (pictures !== undefined)
    await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true, animations: 'disabled' });
};

describe.each(['light', 'dark'] as const)('the elements in %s', (colorScheme) => {
  it.each(pictures === undefined ? [320, 1440] : [320, 390, 1440])(
    'break no rule of WCAG 2.2 AA at %i pixels, fit, and can be hit by a finger',
    slow,
    async (width) => {
      for (const scene of ['player', 'guest', 'conflict'] as const) {
        const page = await open(scene, { colorScheme, reducedMotion: 'reduce', viewport: { width, height: 740 } });
        if (scene === 'player') await page.locator('savepoint-history li').first().waitFor();
        await unfoldAll(page);
        if (scene === 'player') {
          await page.locator('savepoint-account [part~="fold-devices"] li').first().waitFor();
          await page.locator('savepoint-account [part~="fold-recovery"] [part~="make-code"]').click();
          await page.locator('savepoint-account code').waitFor();
          await page.locator('savepoint-account [part~="fold-methods"] [part~="unlink"]').first().click();
          await page.locator('savepoint-account [part~="question"]').waitFor();
        }
        if (scene === 'conflict') await page.locator('savepoint-conflict table').waitFor();
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
    },
  );
});

describe('the elements', () => {
  it.each(['de', 'fr', 'es', 'ja'])(
    'fit 320 pixels in the language %s, and have no English in them',
    slow,
    async (language) => {
      const page = await open('conflict', { language, viewport: { width: 320, height: 640 } });
      await page.locator('savepoint-conflict table').waitFor();
      await take(page, `conflict-320-${language}`);
      expect(await misfits(page)).toEqual([]);
      expect(await page.locator('savepoint-conflict').innerText()).not.toMatch(
        /\b(save|device|Keep|Not now|Last played)\b/,
      );
      await page.context().close();
    },
  );

  it('read from right to left where the page does', slow, async () => {
    const page = await open('conflict', { dir: 'rtl', viewport: { width: 390, height: 740 } });
    await page.locator('savepoint-conflict table').waitFor();
    await take(page, 'conflict-390-rtl');
    expect(await misfits(page)).toEqual([]);
    const [first, last] = await page
      .locator('savepoint-conflict thead > tr > *')
      .evaluateAll((cells) => [cells[0], cells.at(-1)].map((cell) => cell?.getBoundingClientRect().left ?? 0));
    expect(first).toBeGreaterThan(last ?? 0);
    await page.context().close();
  });

  it(
    'carry a choice out by the keyboard alone, keep the focus in the dialog, and are closed by Escape',
    slow,
    async () => {
      const page = await open('conflict');
      const focused = () =>
        page.evaluate(() =>
          document.querySelector('savepoint-conflict')?.shadowRoot?.activeElement?.textContent?.trim(),
        );
      await expect.poll(focused).toBe('Which save do you want?');
      const seen: unknown[] = [];
      for (let step = 0; step < 7; step += 1) {
        await page.keyboard.press('Tab');
        seen.push(await focused());
      }
      expect(seen).toEqual(
        expect.arrayContaining([
          'What differs (1)',
          'Keep this device’s',
          'Take the saved game',
          'Merge both',
          'Not now',
        ]),
      );
      expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('SAVEPOINT-ACCOUNT');
      await page.locator('[part~="take"]').focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => page.title()).toBe('signed in, 1248');
      await page.context().close();

      const second = await open('conflict');
      await second.locator('savepoint-conflict table').waitFor();
      await second.keyboard.press('Escape');
      await expect.poll(() => second.title()).toBe('conflict_cancelled');
      await expect.poll(() => second.locator('savepoint-conflict dialog').isVisible()).toBe(false);
      await second.context().close();
    },
  );

  it('are used by a gamepad: the D-pad moves, A presses, B puts the choice off', slow, async () => {
    const page = await open('conflict');
    await page.locator('savepoint-conflict table').waitFor();
    const frames = () =>
      page.evaluate(
        () =>
          new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))),
      );
    const hold = async (button: number, isPressed: boolean): Promise<void> => {
      await page.evaluate(([which, how]) => window.hold(which, how), [button, isPressed] as const);
      await frames();
    };
    const tap = async (button: number): Promise<void> => {
      await hold(button, true);
      await hold(button, false);
    };
    const focused = () =>
      page.evaluate(() => document.querySelector('savepoint-conflict')?.shadowRoot?.activeElement?.textContent?.trim());
    await frames();
    for (const text of ['What differs (1)', 'Keep this device’s', 'Take the saved game']) {
      await tap(13);
      expect(await focused()).toBe(text);
    }
    await tap(12);
    expect(await focused()).toBe('Keep this device’s');
    await tap(15);
    await tap(0);
    await expect.poll(() => page.title()).toBe('signed in, 1248');
    await page.context().close();

    const second = await open('conflict');
    await second.locator('savepoint-conflict table').waitFor();
    await second.evaluate(() => new Promise((done) => setTimeout(done, 100)));
    await second.evaluate(() => window.hold(1, true));
    await expect.poll(() => second.title()).toBe('conflict_cancelled');
    await second.context().close();
  });

  it('take the button that was held as the dialog opened for no answer', slow, async () => {
    const page = await open('guest');
    await page.evaluate(() => window.hold(1, true));
    await page.evaluate(() => window.openScene('conflict'));
    await page.locator('savepoint-conflict table').waitFor();
    await page.evaluate(
      () =>
        new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))),
    );
    expect(await page.locator('savepoint-conflict dialog').isVisible()).toBe(true);
    await page.context().close();
  });
});
