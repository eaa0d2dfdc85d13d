import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { type Browser, chromium } from 'playwright-core';
import { createBackend } from 'savepoint/backend';
import { type ServedBackend, serve } from 'savepoint/backend/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';
import { codeBlocks } from '../support/markdown.js';

const root = new URL('../../', import.meta.url).pathname;
const pages = ['docs/elements.md', 'docs/index.md'] as const;
const [block = '', ofIndex] = pages.map((page) => codeBlocks(readFileSync(root + page, 'utf8'), 'html')[0]);
const [, lines = ''] = /<script type="module">\n([\s\S]*?)\n<\/script>/.exec(block) ?? [];
let browser: Browser;
let service: ServedBackend;

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: browserArgs });
});
afterAll(async () => {
  await browser.close();
  await service?.close();
});

it('the first page and the page of the elements show the same five lines', () => {
  expect(ofIndex).toBe(block);
  expect(lines.split('\n')).toHaveLength(5);
});

it('the five lines give a game accounts, its status, undo and the choice of a conflict', {
  timeout: 60_000,
}, async () => {
  const [, gameId = ''] = /gameId: '([^']+)'/.exec(lines) ?? [];
  const [, baseUrl = ''] = /baseUrl: '([^']+)'/.exec(lines) ?? [];
  const { outputFiles } = await build({
    stdin: { contents: lines, resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    tsconfig: `${root}tsconfig.json`,
  });
  const html = block.replace(/<script[\s\S]*<\/script>/, '<script type="module" src="/game.js"></script>');
  const fallback = (request: Request): Response =>
    request.url.endsWith('/game.js')
      ? new Response(outputFiles[0]?.text.replaceAll(baseUrl, service.url) ?? '', {
          headers: { 'content-type': 'text/javascript; charset=utf-8' },
        })
      : new Response(`<!doctype html>${html}`, { headers: { 'content-type': 'text/html; charset=utf-8' } });
  const game = { id: gameId, privateKeys: ['a private key for one game only'] };
  service = await serve(createBackend({ games: [game], insecureFastPasswordsForTests: true }), { port: 0, fallback });

  /** A device of its own, whose player links the same name. */
  const link = async (): Promise<import('playwright-core').Page> => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(service.url);
    await page.locator('savepoint-sync').getByText('All progress is saved.').first().waitFor();
    const account = page.locator('savepoint-account');
    await account.locator('[part~="input"][part~="name"]').fill('ada');
    await account.locator('[part~="input"][part~="password"]').first().fill('correct horse');
    await account.locator('[part~="link"][part~="form"] [part~="submit"]').click();
    return page;
  };
  const first = await link();
  await first.locator('savepoint-account [part="who"]').getByText('ada').waitFor();
  await first.locator('savepoint-history').getByText('Nothing was set aside yet.').waitFor();
  // The second device has nothing that its player could miss, so that nobody is asked.
  const second = await link();
  await second.locator('savepoint-account [part="who"]').getByText('ada').waitFor();
  expect(await second.locator('savepoint-conflict').count()).toBe(1);
});
