import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { createClient } from 'savepoint';
import { createAdminClient } from 'savepoint/server';
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';
import { demoGame } from '../../src/cli/demo.js';
import { signingDefaults } from '../../src/protocol/gaps/signing.js';
import { type DevInProcess, startInProcess } from '../cli/in-process.js';

const operatorKey = 'the-operators-key-of-a-real-gateway-0123';

/** The page on `savepoint dev` with SQLite and its own gateway, without a double between them. */
let started: DevInProcess;
let start: (port: string) => Promise<DevInProcess>;
let folder: string;
let browser: Browser;
let context: BrowserContext;
let complaints: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'savepoint-dev-'));
  const store = join(folder, 'saves.db');
  start = (port) =>
    startInProcess(['dev', '--port', port, '--json', '--seed-demo', '--store', store], {
      consoleFolder: inject('consoleFiles'),
      env: { SAVEPOINT_OPERATOR_KEY: operatorKey },
    });
  started = await start('0');
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
  await page.getByRole('heading', { name: 'The service’s metrics' }).waitFor();
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

it('says of a signed request which part of it is wrong, and what to do', async () => {
  const page = await open('/requests');
  await page.getByText('Live').waitFor();
  const body = JSON.stringify({
    game_id: demoGame.id,
    env: 0,
    device_id: 'a-device-of-the-game',
    custom_user_id: 'ada-of-the-game',
  });
  const nonce = () => randomBytes(24).toString('base64url').slice(0, signingDefaults.nonceLength);
  const send = (given: { timestamp?: string; nonce?: string; key?: string; signed?: string } = {}) => {
    const timestamp = given.timestamp ?? String(Date.now());
    const own = given.nonce ?? nonce();
    const signature = createHmac('sha256', given.key ?? demoGame.privateKey)
      .update(`${timestamp}\n${own}\n${given.signed ?? body}\n`)
      .digest('hex');
    const headers = { 'Content-Type': 'application/json', 'Service-Timestamp': timestamp };
    return fetch(`${started.ready.url}/v2/auth/server`, {
      method: 'POST',
      headers: { ...headers, 'Service-Nonce': own, 'Service-Signature': signature },
      body,
    });
  };
  const used = nonce();
  expect((await send({ nonce: used })).status).toBe(200);
  for (const [given, why, part] of [
    [
      { timestamp: String(Math.round(Date.now() / 1000)) },
      'Service-Timestamp looks like seconds',
      'timestampmalformed',
    ],
    [{ nonce: used }, 'This nonce was used before', 'noncereused'],
    [{ signed: JSON.stringify(JSON.parse(body), null, 2) }, 'The body was signed with indentation', 'bodychanged'],
    [{ key: 'another-key-0123456789' }, 'No key of the game gives this signature', 'keywrong'],
  ] as const) {
    expect((await send(given)).status).toBe(401);
    const rows = page.getByRole('list', { name: 'Requests' }).getByRole('listitem');
    const row = rows.filter({ hasText: '/v2/auth/server' }).filter({ hasText: '401' }).first();
    await row.getByRole('button').first().click();
    await row.getByRole('paragraph').getByText(why).waitFor();
    expect((await row.innerText()).replaceAll(/\s/g, '')).toContain(part);
    await page.getByRole('button', { name: 'Clear' }).click();
  }
});

it('goes on changing things in a page that was open while the service was started again', async () => {
  const page = await open('/players');
  await page.getByText('ada', { exact: true }).click();
  await page.getByRole('link', { name: 'Changes' }).click();
  const press = page.getByRole('button', { name: 'Sign out everywhere' });
  await press.waitFor();
  const { port } = new URL(started.ready.url);
  await started.stop();
  started = await start(port);
  await press.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(complaints.filter((text) => !/403|ERR_/.test(text))).toEqual([]);
  complaints = [];
});

it('moves the clock, and empties the store, which a running client notices', async ({ onTestFinished }) => {
  const page = await open('/faults');
  const client = createClient({ gameId: demoGame.id, environment: 0, baseUrl: started.ready.url });
  onTestFinished(() => client.dispose());
  const ready = await client.init();
  const before = (ready.success ? ready.userId : null) ?? '';
  const players = createAdminClient({ key: operatorKey, baseUrl: started.ready.url });
  const until = Date.now() + 1_800_000;
  await players.players({ gameId: demoGame.id, environment: 0 }).ban(before, { reason: 'for half an hour', until });
  const comeBack = async () => {
    await client.auth.signOut();
    const back = await client.auth.asGuest();
    return back.success ? back.userId : back.error.code;
  };
  expect(await comeBack()).toBe('account_banned');
  await page.getByRole('button', { name: 'An hour on' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'An hour on' }).click();
  await page.getByText('1 hour ahead').waitFor();
  expect(await comeBack()).toBe(before);
  await page.getByRole('button', { name: 'Empty the store' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Empty the store' }).click();
  await page.getByRole('status').getByText('The store is empty.').waitFor();
  expect(await comeBack()).not.toBe(before);
  await page.getByRole('link', { name: 'Players' }).click();
  // The seeded ones are there again, and the guest of another test is not; the client has come as a new one.
  await page.getByText('linus', { exact: true }).waitFor();
  await expect.poll(() => page.getByRole('row').count()).toBe(5);
});
