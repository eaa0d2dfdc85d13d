import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type ServedBackend, serve } from 'savepoint/backend/node';
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import type { DrivenPage } from '../support/browsers/driven-browser.js';
import { clientBundle } from '../support/client-bundle.js';
import { createTestService } from '../support/service.js';
import { it, patient } from './game-pages.js';

const html =
  '<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>A game</title>' +
  '<meta name="viewport" content="width=device-width"><style>body{margin:16px;display:grid;gap:16px;max-width:40rem}</style>' +
  '<script src="/axe.js"></script><h1 hidden>A game</h1><script src="/elements.js"></script>';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A window that is narrower than a browser's can be: a frame has a width of its own, by which its page is laid out. */
const framed = (width: number, height: number): string =>
  `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>A frame</title><style>body{margin:0}</style>` +
  `<iframe title="A phone" src="/" style="display:block;border:0;width:${width}px;height:${height}px"></iframe>`;

/** A page with all elements, on a service that runs in the page itself. */
let served: ServedBackend;

beforeAll(async () => {
  const { code } = await clientBundle({ entryPoints: ['test/e2e/elements-page.ts'], format: 'iife' });
  const types = { js: 'text/javascript; charset=utf-8', html: 'text/html; charset=utf-8' };
  const fallback = (request: Request): Response => {
    const { pathname, searchParams } = new URL(request.url);
    const script = { '/elements.js': code, '/axe.js': axe }[pathname];
    const width = Number(searchParams.get('width'));
    const page = width === 0 ? html : framed(width, Number(searchParams.get('height')));
    return new Response(script ?? page, { headers: { 'content-type': script === undefined ? types.html : types.js } });
  };
  served = await serve(createTestService().backend, { port: 0, fallback });
});
afterAll(() => served.close());

/** Opens all that can be opened, and says what of the page reaches over the edge or cannot be hit by a finger. */
function misfitsOf(page: DrivenPage): Promise<string[]> {
  return page.run(() => {
    const game = document.querySelector('iframe')?.contentWindow ?? window;
    const all = (within: Document | ShadowRoot): HTMLElement[] =>
      [...within.querySelectorAll<HTMLElement>('*')].flatMap((each) => [
        each,
        ...(each.shadowRoot === null ? [] : all(each.shadowRoot)),
      ]);
    for (const each of all(game.document)) if (each.localName === 'details') (each as HTMLDetailsElement).open = true;
    return all(game.document).flatMap((each) => {
      if (!each.matches('button, input, summary, td, th, p, li') || each.closest('.unseen') !== null) return [];
      const { left, right, width, height } = each.getBoundingClientRect();
      if (width <= 1 || getComputedStyle(each).visibility !== 'visible') return [];
      const name = `${each.tagName} ${each.textContent?.trim()} ${width} x ${height}`;
      const isSmall = each.matches('button, input, summary') && (width < 44 || height < 43.9);
      const isOver = left < -0.5 || right > game.innerWidth + 0.5 || each.scrollWidth > each.clientWidth + 1;
      return [...(isSmall ? [`small: ${name}`] : []), ...(isOver ? [`over: ${name}`] : [])];
    });
  });
}

/** What breaks a rule of WCAG 2.2 AA, by axe, in this browser. */
function violationsOf(page: DrivenPage): Promise<string[]> {
  return page.run(async () => {
    const game = document.querySelector('iframe')?.contentWindow ?? window;
    const { axe } = game as never as {
      axe: { run(at: Document, rules: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    // While a dialog comes into sight its colours are not its own yet, and a tab that is never seen, as all of
    // WebKitWebDriver's, never gets to the end of an animation by itself.
    const roots = [...game.document.body.children].flatMap(({ shadowRoot }) => shadowRoot ?? []);
    for (const animation of roots.flatMap((each) => each.getAnimations())) animation.finish();
    const { violations } = await axe.run(game.document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
}

type Screen = readonly [name: string, width: number, height: number];
const screens: readonly Screen[] = [
  ['a small phone, 320 pixels wide', 320, 568],
  ['a phone, 390 pixels wide', 390, 844],
  ['a desktop, 1440 pixels wide', 1440, 900],
];

describe('a page with all elements', () => {
  it.for(screens)(
    'fits the screen of %s, can be hit by a finger, and breaks no rule of WCAG 2.2 AA',
    patient,
    async ([, width, height], { browser }) => {
      // A window of WebKitGTK's MiniBrowser is about 450 pixels wide at least.
      const isFramed = inject('browser') === 'webkit' && width < 480;
      for (const [scene, element, part] of [
        // The history waits for a page that is seen, and a tab of WebKitWebDriver never is.
        ['player', 'savepoint-account', 'h2'],
        ['guest', 'savepoint-account', 'form'],
        ['conflict', 'savepoint-conflict', 'table'],
      ] as const) {
        const page = await browser.open(`${served.url}${isFramed ? `/?width=${width}&height=${height}` : ''}`);
        if (!isFramed) await page.resize(width, height);
        const find = (name: string, inside: string): string | undefined =>
          (document.querySelector('iframe')?.contentDocument ?? document)
            .querySelector(name)
            ?.shadowRoot?.querySelector<HTMLElement>(inside)?.innerText;
        const isReady = (): boolean =>
          (document.querySelector('iframe')?.contentWindow ?? window).openScene !== undefined;
        await expect.poll(() => page.run(isReady), { timeout: 20_000 }).toBe(true);
        await page.run((name) => (document.querySelector('iframe')?.contentWindow ?? window).openScene(name), scene);
        await expect.poll(() => page.run(find, element, part), { timeout: 20_000 }).toBeTruthy();
        const widthOf = (): number => (document.querySelector('iframe')?.contentWindow ?? window).innerWidth;
        await expect.poll(() => page.run(widthOf)).toBe(width);
        expect(await misfitsOf(page)).toEqual([]);
        const reach = (): number =>
          (document.querySelector('iframe')?.contentDocument ?? document).documentElement.scrollWidth;
        expect(await page.run(reach)).toBeLessThanOrEqual(width);
        expect(await violationsOf(page)).toEqual([]);
        await page.close();
      }
    },
  );
});
