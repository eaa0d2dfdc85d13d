import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';
import { demoGame } from '../../src/cli/demo.js';
import { type DevInProcess, devInProcess } from '../cli/in-process.js';

let started: DevInProcess;
let browser: Browser;
let context: BrowserContext;
let complaints: string[];

beforeAll(async () => {
  started = await devInProcess('--seed-demo', '--faults', 'slow=0.001');
  browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: browserArgs });
}, 60_000);
afterAll(async () => {
  await browser.close();
  await started.stop();
});
afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

async function open(options: Parameters<Browser['newContext']>[0] = {}, address = started.ready.url) {
  complaints = [];
  context = await browser.newContext(options);
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  context.on('request', (request) => {
    if (request.url() !== `${address}/` && !request.url().startsWith('data:')) complaints.push(request.url());
  });
  const page = await context.newPage();
  await page.goto(`${address}/`);
  return page;
}

describe.each([
  [320, 'light'],
  [320, 'dark'],
  [1440, 'light'],
  [1440, 'dark'],
] as const)('the start page of savepoint dev, %d px wide, %s', (width, colorScheme) => {
  it('fits, and shows this service', async () => {
    const page = await open({ viewport: { width, height: 900 }, colorScheme });
    expect(await page.title()).toBe('savepoint dev: the service is running');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    const outside = await page.locator('main *').evaluateAll((elements) =>
      elements
        .filter((element) => {
          const { right } = element.getBoundingClientRect();
          return right > innerWidth;
        })
        .map(({ outerHTML }) => outerHTML),
    );
    expect(outside).toEqual([]);
    expect(await page.locator('dd').allInnerTexts()).toEqual(
      expect.arrayContaining([started.ready.url, demoGame.id, 'of the requests 0 % answered after 2 s']),
    );
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      colorScheme === 'dark' ? 'rgb(18, 22, 29)' : 'rgb(246, 247, 249)',
    );
  });
});

describe('the code on the start page', () => {
  it('is copied by its button', async () => {
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Copy: In your game' }).click();
    await page.locator('[role=status]', { hasText: 'Copied.' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`gameId: '${demoGame.id}',\n  environment: 0,\n  baseUrl: '${started.ready.url}',`);
  });

  it('is selected where the page may not write to the clipboard', async () => {
    const page = await open();
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
    });
    await page.getByRole('button', { name: 'Copy: In your game' }).click();
    await page.locator('[role=status]', { hasText: 'Selected' }).waitFor();
    expect(await page.evaluate(() => String(getSelection()))).toContain('createClient');
  });

  it('names the address that the page was opened by', async () => {
    const address = started.ready.url.replace('127.0.0.1', 'localhost');
    const page = await open({}, address);
    const codes = await page.locator('[data-addressed]').allInnerTexts();
    expect(codes.filter((code) => !code.includes(address))).toEqual([]);
    expect(codes.filter((code) => code.includes('127.0.0.1'))).toEqual([]);
  });
});
