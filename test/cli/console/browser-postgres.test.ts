import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { createClient } from 'savepoint';
import { createPostgresStore, type PostgresStore } from 'savepoint/backend/postgres';
import { environments } from 'savepoint/server';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserArgs, findBrowser } from '../../../scripts/browser.mjs';
import { startCourier } from '../../../src/backend/webhooks/courier.js';
import type { DrivenPage } from '../../support/browsers/driven-browser.js';
import { launchBrowser } from '../../support/browsers/launch-browser.js';
import { describeOnPostgres } from '../../support/on-postgres.js';
import { testOperatorKey } from '../../support/operators.js';
import { sealingKey } from '../../support/platforms.js';
import { startRelay } from '../../support/tcp-relay.js';
import { runCommand, startInProcess } from '../in-process.js';
import { type GameBackEnd, leaveDeadEvent, startGameBackEnd } from './game-back-end.js';
import { doMainDeeds } from './main-deeds.js';
import { openPage } from './page.js';
import { gameId, privateKey, type ServedConsole, serveConsole } from './served-console.js';

describeOnPostgres('the console of savepoint serve in a browser', (newSchema) => {
  const database = newSchema();
  let folder: string;
  let browser: Browser;
  let served: ServedConsole;
  let store: PostgresStore;
  let backEnd: GameBackEnd;
  const now = (): number => served.backend.control.now();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'savepoint-console-'));
    const outDir = { outDir: folder, emptyOutDir: true };
    await build({ configFile: 'console/vite.config.ts', logLevel: 'error', build: outDir });
    store = await createPostgresStore({ pool: database.pool, schema: database.schema });
    backEnd = await startGameBackEnd({ privateKey, now });
    const games = [{ id: gameId, privateKeys: [privateKey], webhook: backEnd.webhook }];
    served = await serveConsole({ store, folder, sealingKey, games });
    browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: browserArgs });
  });
  afterAll(async () => {
    await browser.close();
    await served.close();
    await backEnd.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('signs an operator in by a key, changes a save that a running client sees, and ends with the key', async () => {
    const admin = openPage(served.url);
    await admin.signIn(testOperatorKey);
    const made = await admin.change('api/v2/admin/keys', { method: 'POST', body: { name: 'grace', scope: 'support' } });
    const { key, id } = made.json();

    const memory = new Map<string, string>();
    const client = createClient({
      gameId,
      environment: environments.Production,
      baseUrl: served.url,
      storage: {
        getItem: (name) => memory.get(name) ?? null,
        setItem: (name, value) => memory.set(name, value),
        removeItem: (name) => memory.delete(name),
      },
    });
    const ready = await client.init();
    const userId = ready.success ? ready.userId : '';
    const progress = client.profile.collection<{ coins: number }>('progress');
    await progress.set('main', { coins: 3 });
    await client.profile.flush();

    const context = await browser.newContext({ locale: 'en-GB' });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    const place = `game=${gameId}&env=2`;
    await page.goto(`${served.url}/console/#/players/${userId}/saves?collection=progress&key=main&${place}`);
    await page.locator('input').fill(`${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.locator('input').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.locator('.cm-content[contenteditable="true"]').click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText('{ "coins": 777 }');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('The entry is saved.').waitFor();

    await progress.load();
    expect(progress.get('main')).toEqual({ coins: 777 });

    await page.getByRole('link', { name: 'Timeline' }).click();
    const kept = page.getByRole('row').filter({ hasText: 'A save was overwritten.' });
    await kept.getByRole('button', { name: /^Go back to this/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Go back to this' }).click();
    await page.getByRole('status').getByText('The saves are as they were then.').waitFor();
    await page.getByText('Saves were written back.').waitFor();
    await progress.load();
    expect(progress.get('main')).toEqual({ coins: 3 });

    expect((await admin.change(`api/v2/admin/keys/${id}`, { method: 'DELETE' })).status).toBe(204);
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(served.errors).toEqual([]);
    await context.close();
    client.dispose();
  });

  /** As the service's operator does on each page what that is for, in a browser that was never here. */
  async function walk(
    name: 'chromium' | 'firefox',
    deeds: Omit<Parameters<typeof doMainDeeds>[0], 'page' | 'gameId' | 'isDev'>,
  ) {
    const driven = await launchBrowser(name);
    try {
      const page = await driven.open(`${deeds.url}/console/`);
      await stealCookie(page, deeds.url);
      await page.run(signInBy, testOperatorKey);
      await doMainDeeds({ page, gameId, isDev: false, ...deeds });
    } finally {
      await driven.close();
    }
  }

  it('does on each page what that is for, which running clients see, in Chromium', async () => {
    // The list of requests shows some of those of each second.
    served.advance(1_000);
    const environment = environments.Stage;
    const userId = await leaveDeadEvent({ store, environment, gameId, privateKey, now });
    // Only now: it would have told of the ban before that was set aside.
    const { webhooks } = served.backend;
    const courier = startCourier({
      games: () => webhooks.games(),
      deliver: (id, signal) => webhooks.deliver(id, signal),
      failed: (error) => served.errors.push(String(error)),
    });
    try {
      await walk('chromium', { url: served.url, environment, now, untold: { backEnd, userId } });
      expect(served.errors).toEqual([]);
    } finally {
      await courier.end();
    }
  }, 90_000);

  it('does so in Firefox on the program as it is started, by its own clock and settings', async ({
    onTestFinished,
  }) => {
    const ownBackEnd = await startGameBackEnd({ privateKey, now: Date.now });
    onTestFinished(() => ownBackEnd.close());
    const environment = environments.Development;
    const userId = await leaveDeadEvent({ store, environment, gameId, privateKey, now: Date.now });
    const config = join(folder, 'serve.json');
    await writeFile(
      config,
      JSON.stringify({ games: [{ id: gameId, privateKeys: [privateKey], webhook: ownBackEnd.webhook }] }),
    );
    const address = new URL(database.url);
    address.searchParams.set('schema', database.schema);
    const program = await startInProcess(['serve', '--port', '0', '--config', config], {
      consoleFolder: folder,
      env: {
        SAVEPOINT_SIGNING_KEY: (await runCommand(['new-key', 'signing'])).out.trim(),
        SAVEPOINT_OPERATOR_KEY: testOperatorKey,
        SAVEPOINT_SEALING_KEY: sealingKey,
        SAVEPOINT_STORE: address.href,
      },
    });
    onTestFinished(() => program.stop());
    const { url } = program.ready;
    await walk('firefox', { url, environment, now: Date.now, untold: { backEnd: ownBackEnd, userId } });
    expect(program.out()).not.toContain('"level":"error"');
  }, 90_000);

  it('says on an open page that PostgreSQL is away, keeps the operator signed in, and goes on once it is back', async ({
    onTestFinished,
  }) => {
    const relay = await startRelay(database.url);
    onTestFinished(() => relay.close());
    const { schema } = database;
    const silent = { connectTimeoutMs: 400, statementTimeoutMs: 400 };
    const store = await createPostgresStore({ connectionString: relay.through(database.url), schema, ...silent });
    onTestFinished(() => store.close());
    const own = await serveConsole({ store, folder });
    onTestFinished(() => own.close());
    const context = await browser.newContext({ locale: 'en-GB' });
    onTestFinished(() => context.close());
    context.setDefaultTimeout(40_000);
    const page = await context.newPage();
    await page.goto(`${own.url}/console/#/players?game=${gameId}&env=2`);
    await page.locator('input').fill(testOperatorKey);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: /^[0-9a-f-]{36}$/ }).click();
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
    relay.silence();
    await page.getByRole('link', { name: 'Timeline' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('unavailable', { exact: true }).waitFor();
    relay.speak();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The account was made.').waitFor();
    await alert.waitFor({ state: 'detached' });
  }, 120_000);
});

/**
 * Whoever has copied the cookie out of the operator's browser is the operator as long as the key counts, and nobody afterwards;
 * and the page asks for a key again.
 */
async function stealCookie(page: DrivenPage, url: string): Promise<void> {
  const admin = openPage(url);
  await admin.signIn(testOperatorKey);
  const made = await admin.change('api/v2/admin/keys', { method: 'POST', body: { name: 'linus', scope: 'support' } });
  const { key, id } = made.json();
  await page.run(signInBy, key);
  await expect.poll(() => page.run(() => document.body.innerText), { timeout: 15_000 }).toContain('Overview');
  const cookie = (await page.cookies?.()) ?? '';
  const stolen = [openPage(url, { cookie }), openPage(url, { cookie })] as const;
  expect((await stolen[0].ask('api/v2/admin/games')).status).toBe(200);
  expect((await admin.change(`api/v2/admin/keys/${id}`, { method: 'DELETE' })).status).toBe(204);
  for (const thief of stolen) {
    expect((await thief.ask('api/v2/admin/games')).status).toBe(401);
    expect((await thief.ask('api/v2/admin/keys', { method: 'POST', body: { name: 'mallory' } })).status).not.toBe(201);
  }
  await page.goTo(`${url}/console/`);
}

/** Shows an operator's key to the page, as soon as that asks for one. */
async function signInBy(key: string): Promise<void> {
  const until = Date.now() + 15_000;
  const find = () => document.querySelector<HTMLInputElement>('input[type=password]');
  while (find() === null && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
  const field = find();
  if (field === null) throw new Error('The page asks for no key.');
  field.value = key;
  field.form?.requestSubmit();
}
