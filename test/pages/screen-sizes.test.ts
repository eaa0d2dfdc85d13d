import { type ServedBackend, serve } from 'savepoint/backend/node';
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import type { DrivenPage } from '../support/browsers/driven-browser.js';
import { clientBundle } from '../support/client-bundle.js';
import { createTestService } from '../support/service.js';
import { it, patient } from './game-pages.js';

const html =
  '<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>A game</title>' +
  '<meta name="viewport" content="width=device-width"><style>body{margin:16px;display:grid;gap:16px;max-width:40rem}</style>' +
  '<script src="/elements.js"></script>';

/** A page with all elements, on a service that runs in the page itself. */
let served: ServedBackend;

beforeAll(async () => {
  const { code } = await clientBundle({ entryPoints: ['test/e2e/elements-page.ts'], format: 'iife' });
  const fallback = (request: Request): Response =>
    request.url.endsWith('/elements.js')
      ? new Response(code, { headers: { 'content-type': 'text/javascript; charset=utf-8' } })
      : new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } });
  served = await serve(createTestService().backend, { port: 0, fallback });
});
afterAll(() => served.close());

/** Opens all that can be opened, and says what of the page reaches over the edge or cannot be hit by a finger. */
function misfitsOf(page: DrivenPage): Promise<string[]> {
  return page.run(() => {
    const all = (within: Document | ShadowRoot): HTMLElement[] =>
      [...within.querySelectorAll<HTMLElement>('*')].flatMap((each) => [
        each,
        ...(each.shadowRoot === null ? [] : all(each.shadowRoot)),
      ]);
    for (const each of all(document)) if (each instanceof HTMLDetailsElement) each.open = true;
    return all(document).flatMap((each) => {
      if (!each.matches('button, input, summary, td, th, p, li') || each.closest('.unseen') !== null) return [];
      const { left, right, width, height } = each.getBoundingClientRect();
      if (width <= 1 || getComputedStyle(each).visibility !== 'visible') return [];
      const name = `${each.tagName} ${each.textContent?.trim()} ${width} x ${height}`;
      const isSmall = each.matches('button, input, summary') && (width < 44 || height < 43.9);
      const isOver = left < -0.5 || right > innerWidth + 0.5 || each.scrollWidth > each.clientWidth + 1;
      return [...(isSmall ? [`small: ${name}`] : []), ...(isOver ? [`over: ${name}`] : [])];
    });
  });
}

type Screen = readonly [name: string, width: number, height: number];
const desktop: Screen = ['a desktop, 1440 pixels wide', 1440, 900];
const narrowest: Screen = ["the narrowest window of WebKitGTK's browser, less than 480 pixels wide", 480, 640];

describe('a page with all elements', () => {
  // A window of WebKitGTK's MiniBrowser cannot be made as narrow as a phone.
  const phones: Screen[] = [
    ['a small phone, 320 pixels wide', 320, 568],
    ['a phone, 390 pixels wide', 390, 844],
  ];
  const screens = inject('browser') === 'webkit' ? [narrowest] : phones;

  it.for([...screens, desktop])(
    'fits the screen of %s, and can be hit by a finger',
    patient,
    async (screen, { browser }) => {
      const [, width, height] = screen;
      for (const [scene, element, part] of [
        // The history waits for a page that is seen, and a tab of WebKitWebDriver never is.
        ['player', 'savepoint-account', 'h2'],
        ['conflict', 'savepoint-conflict', 'table'],
      ] as const) {
        const page = await browser.open(served.url);
        await page.resize(width, height);
        await page.run((name) => window.openScene(name), scene);
        const find = (name: string, inside: string): string | undefined =>
          document.querySelector(name)?.shadowRoot?.querySelector<HTMLElement>(inside)?.innerText;
        await expect.poll(() => page.run(find, element, part), { timeout: 20_000 }).toBeTruthy();
        const isRoom = (): Promise<boolean> =>
          page.run(
            (most, isExact) => innerWidth <= most && (!isExact || innerWidth === most),
            width,
            screen !== narrowest,
          );
        await expect.poll(isRoom).toBe(true);
        expect(await misfitsOf(page)).toEqual([]);
        expect(await page.run(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        await page.close();
      }
    },
  );
});
