import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';
import { demoGame } from '../../src/cli/demo.js';
import { type DevInProcess, startInProcess } from '../cli/in-process.js';

/** The page on `savepoint dev` and its own gateway, without a double between them. */
let started: DevInProcess;
let browser: Browser;
let context: BrowserContext;
let complaints: string[];

beforeAll(async () => {
  started = await startInProcess(['dev', '--port', '0', '--json', '--seed-demo'], {
    consoleFolder: inject('consoleFiles'),
  });
  browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: browserArgs });
});
afterAll(async () => {
  await browser.close();
  await started.stop();
});
afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

async function open(path: string): Promise<Page> {
  complaints = [];
  context = await browser.newContext({ locale: 'en-GB' });
  context.setDefaultTimeout(15_000);
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  const page = await context.newPage();
  await page.goto(`${started.ready.url}/console/#${path}?game=${demoGame.id}&env=0`);
  return page;
}

it('lets whoever develops in without a key, shows the seeded players, and changes a save', async () => {
  const page = await open('/players');
  await page.getByText('ada', { exact: true }).click();
  await page.getByRole('heading', { name: 'ada', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Saves' }).click();
  await page.getByRole('link', { name: /^main/ }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.locator('.cm-content').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText('{ "coins": 7 }');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').getByText('The entry is saved.').waitFor();
  await page.getByText('Version 1', { exact: true }).waitFor();
});

it('makes a key, and revokes it', async () => {
  const page = await open('/keys');
  await page.getByRole('button', { name: 'Make a key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/Whose it is/).fill('alan');
  await dialog.getByRole('button', { name: 'Make a key' }).click();
  await dialog.locator('.secret code').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Revoke: alan' }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('No key was made yet.').waitFor();
});
