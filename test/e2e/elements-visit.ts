import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { build } from 'esbuild';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';
import type { Scene } from './elements-page.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const root = new URL('../..', import.meta.url).pathname;
const pictures = process.env['SCREENSHOTS'];

/** The names of the elements, each of which has the same to keep. */
export type ElementName = 'account' | 'sync' | 'history' | 'conflict';

/** A test that opens pages. */
export const slow = { timeout: 60_000 };

/** The widths that are looked at; more of them where somebody keeps pictures. */
export const widths = pictures === undefined ? [320, 1440] : [320, 390, 1440];

export interface VisitOptions extends BrowserContextOptions {
  language?: string;
  dir?: string;
  /** Styles of the page, and what else stands in it. */
  html?: string;
  /** Runs before the page's own script. */
  before?: string;
}

export type OpenScene = (scene: Scene, options?: VisitOptions) => Promise<Page>;

/** Starts a browser for the tests of a file; gives what opens elements-page.ts in it, with one of its scenes. */
export function useElementsPage(): OpenScene {
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

  return async (scene, { language = 'en', dir = 'ltr', html = '', before = '', ...options } = {}) => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    const style = 'body{margin:16px;display:grid;gap:16px;max-width:40rem}';
    const dark = `@media (prefers-color-scheme:dark){body{background:#14141c}}`;
    const body = `<!doctype html><html lang="en" dir="${dir}"><title>game</title><meta name="viewport" content="width=device-width"><style>${style}${dark}</style>${html}<h1 hidden>Game</h1><script>${before}</script><script src="/page.js"></script>`;
    await page.route('**/*', (route) =>
      route.request().url().endsWith('page.js')
        ? route.fulfill({ contentType: 'text/javascript; charset=utf-8', body: script })
        : route.fulfill({ contentType: 'text/html; charset=utf-8', body }),
    );
    await page.goto('http://localhost/');
    await openScene(page, scene, language);
    return page;
  };
}

/**
 * Opens a scene in a page. The page is asked again and again: a promise that Chromium's inspector is told to wait for
 * can be given up by it ("garbage collected"), even one that the page holds.
 */
export async function openScene(page: Page, scene: Scene, language = 'en'): Promise<void> {
  await page.evaluate(([name, of]) => window.openScene(name, of), [scene, language] as const);
  await expect.poll(() => page.evaluate(() => window.scene), { timeout: 15_000 }).toBe('open');
}

/** Opens all that can be opened. */
async function unfoldAll(page: Page): Promise<void> {
  await page.locator('savepoint-account details').first().waitFor();
  await page.locator('details').evaluateAll((all) => {
    for (const details of all) (details as HTMLDetailsElement).open = true;
  });
}

/** Waits for all that a scene shows, and opens what can be opened. */
export async function showAll(page: Page, scene: Scene): Promise<void> {
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
}

/** What breaks a rule of WCAG 2.2 AA, by axe. */
export async function violations(page: Page): Promise<string[]> {
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
export const misfits = (page: Page): Promise<string[]> =>
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

/** Keeps a picture, where SCREENSHOTS names a folder for it. */
export async function take(page: Page, name: string): Promise<void> {
  if (pictures !== undefined)
    await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true, animations: 'disabled' });
}

/** What has the focus: in an element of ours, what it says; in the page, that of the page. */
export const focused = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => {
    const outer = document.activeElement;
    const inner = outer?.shadowRoot?.activeElement ?? outer;
    const label = inner?.getAttribute('aria-label') ?? inner?.closest('label')?.textContent;
    return (label || inner?.textContent)?.trim();
  });

/** Lets the page draw three times, so that a gamepad is read. */
const frames = (page: Page): Promise<unknown> =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))),
  );

/** A gamepad that is pressed by its buttons' numbers. */
export function gamepadOf(page: Page) {
  const hold = async (button: number, isPressed: boolean): Promise<void> => {
    await page.evaluate(([which, how]) => window.hold(which, how), [button, isPressed] as const);
    await frames(page);
  };
  return {
    hold,
    frames: () => frames(page),
    async tap(button: number): Promise<void> {
      await hold(button, true);
      await hold(button, false);
    },
  };
}
