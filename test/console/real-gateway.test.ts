import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';
import { demoGame } from '../../src/cli/demo.js';
import { type DevInProcess, startInProcess } from '../cli/in-process.js';

/** The page on `savepoint dev` with SQLite and its own gateway, without a double between them. */
let started: DevInProcess;
let folder: string;
let browser: Browser;
let context: BrowserContext;
let complaints: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'savepoint-dev-'));
  const store = join(folder, 'saves.db');
  started = await startInProcess(['dev', '--port', '0', '--json', '--seed-demo', '--store', store], {
    consoleFolder: inject('consoleFiles'),
  });
  browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: browserArgs });
});
afterAll(async () => {
  await browser.close();
  await started.stop();
  await rm(folder, { recursive: true, force: true });
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
  await page.locator('.cm-content[contenteditable="true"]').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText('{ "coins": 7 }');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').getByText('The entry is saved.').waitFor();
  await page.getByText('Version 1', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Timeline' }).click();
  const kept = page.getByRole('row').filter({ hasText: 'A save was overwritten.' });
  await kept
    .getByRole('button', { name: /^Go back to this/ })
    .first()
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Go back to this' }).click();
  await page.getByRole('status').getByText('The saves are as they were then.').waitFor();
  await page.getByText('Saves were written back.').waitFor();
  const written = page.getByRole('row').filter({ hasText: /progress \/ main.*Version 2/ });
  await written.getByRole('link', { name: 'What it holds' }).click();
  await page.getByText('Version 2', { exact: true }).waitFor();
});

it('shows requests as they come with what was in them, how the service is, and a fault that is planned', async () => {
  const page = await open('/requests');
  await page.getByText('Live').waitFor();
  const ask = () =>
    fetch(`${started.ready.url}/v2/auth/guest`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ game_id: demoGame.id, env: 0, device_id: 'a-device-of-the-test' }),
    });
  expect((await ask()).status).toBe(200);
  const row = page.getByRole('list', { name: 'Requests' }).getByRole('listitem').filter({ hasText: '/v2/auth/guest' });
  await row.first().getByRole('button').click();
  await page.getByText('"device_id": "[redacted]"').waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'The service' }).waitFor();
  await page.getByText('1.2.3').waitFor();
  await page.getByRole('link', { name: 'Faults and clock' }).click();
  await page.getByLabel('What happens').selectOption('Refused with a code');
  await page.getByLabel('Operation').selectOption('signInAsGuest');
  await page.getByRole('button', { name: 'Plan it' }).click();
  await page.getByRole('status').getByText('The fault is planned.').waitFor();
  expect((await ask()).status).toBe(503);
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('All requests are answered as they should be.').waitFor();
  expect((await ask()).status).toBe(200);
});

it('moves the clock, and empties the store', async () => {
  const page = await open('/faults');
  await page.getByRole('button', { name: 'An hour on' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'An hour on' }).click();
  await page.getByText('1 hour ahead').waitFor();
  await page.getByRole('button', { name: 'Empty the store' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Empty the store' }).click();
  await page.getByRole('status').getByText('The store is empty.').waitFor();
  await page.getByRole('link', { name: 'Players' }).click();
  // The seeded ones are there again, and the guest of another test is not.
  await page.getByText('linus', { exact: true }).waitFor();
  await expect.poll(() => page.getByRole('row').count()).toBe(4);
});
