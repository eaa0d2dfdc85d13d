import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';
import { demoGame } from '../../src/cli/demo.js';
import { createAdminClient } from '../../src/server/index.js';
import { type DevInProcess, startInProcess } from '../cli/in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { fillWithPlayers } from './million-players.js';

/** How long the page may take no notice of its reader once it is there, in ms, on a machine a quarter as fast as this one. */
const longestTask = 100;
const slowerBy = 4;
const operatorKey = 'the-operators-key-of-a-million-players';
const place = `game=${demoGame.id}&env=0`;

const folder = temporaryFolder();
let service: DevInProcess;
let browser: Browser;

beforeAll(async () => {
  const store = join(folder, 'players.db');
  await fillWithPlayers(store, { gameId: demoGame.id, now: Date.now() });
  service = await startInProcess(['dev', '--port', '0', '--json', '--seed-demo', '--store', store], {
    consoleFolder: inject('consoleFiles'),
    env: { SAVEPOINT_OPERATOR_KEY: operatorKey },
  });
  browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: browserArgs });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A page on a slow machine. */
async function open(path: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  page.setDefaultTimeout(60_000);
  await (await page.context().newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: slowerBy });
  await page.goto(`${service.ready.url}/console/#${path}${path.includes('?') ? '&' : '?'}${place}`);
  await quiet(page);
  // What looks for the parts of a page is loaded into it as it first looks: that is none of the page's tasks.
  await page.getByRole('main').count();
  return page;
}

/** Waits until nothing is loaded any more and what was drawn is on the screen. */
async function quiet(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('.loading, .starting') === null);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 300))));
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** How long it took, and for how much of that its thread had a processor, in microseconds. */
  dur?: number;
  tdur?: number;
  args?: { name?: string };
}

/**
 * The longest task of the page's main thread while `act` runs, in ms. It counts while the thread has a processor: other programs
 * of this machine make no task longer.
 */
async function longestWhile(page: Page, act: () => Promise<unknown>): Promise<number> {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', '__metadata'] });
  await act();
  await quiet(page);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const isMain = ({ ph, name, args }: TraceEvent): boolean =>
    ph === 'M' && name === 'thread_name' && args?.name === 'CrRendererMain';
  const main = new Set(traceEvents.filter(isMain).map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = traceEvents.filter(({ name, pid, tid }) => name.endsWith('RunTask') && main.has(`${pid} ${tid}`));
  expect(tasks.length).toBeGreaterThan(0);
  return Math.round(Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000);
}

/** A slow moment of this machine is none of the page's: what was too long is tried again so many times. */
const tries = 3;

/** Does one thing after the other, and says of each how long the longest task took. */
async function walk(path: string, stepsOn: (page: Page) => { readonly [what: string]: () => Promise<unknown> }) {
  const least: { [what: string]: number } = {};
  const tooLong = () => Object.entries(least).filter(([, ms]) => ms > longestTask);
  for (let turn = 0; turn < tries && (turn === 0 || tooLong().length > 0); turn += 1) {
    const page = await open(path);
    for (const [what, step] of Object.entries(stepsOn(page))) {
      least[what] = Math.min(least[what] ?? Number.POSITIVE_INFINITY, await longestWhile(page, step));
    }
    await page.close();
  }
  console.log(`longest tasks at a CPU throttle of ${slowerBy}, in ms: ${JSON.stringify(least, null, 2)}`);
  expect(tooLong()).toEqual([]);
}

async function wheel(page: Page): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await page.mouse.wheel(0, turn < 10 ? 600 : -600);
}

it('pages, scrolls and searches among a million players without a long task', async () => {
  await walk('/players', (page) => ({
    'scroll the list': () => wheel(page),
    'go ten pages on': async () => {
      const shown = () => page.locator('tbody tr').first().textContent();
      const first = await shown();
      for (let pages = 0; pages < 10; pages += 1) {
        await page.getByRole('button', { name: 'Next' }).click();
        await page.getByText(`Page ${pages + 2}`, { exact: true }).waitFor();
        await quiet(page);
      }
      expect(await shown()).not.toBe(first);
    },
    'list who was seen last': () => page.getByRole('link', { name: 'Seen last' }).click(),
    'list the banned': async () => {
      await page.getByRole('link', { name: 'Banned' }).click();
      await page.getByRole('row').nth(20).waitFor();
    },
    'search a name': async () => {
      await page.getByRole('searchbox').pressSequentially('ada');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('ada', { exact: true }).waitFor();
    },
    'open the player': async () => {
      await page.getByText('ada', { exact: true }).click();
      await page.getByRole('heading', { name: 'ada', level: 1 }).waitFor();
    },
    'go to the overview': () => page.getByRole('link', { name: 'Overview' }).click(),
  }));
});

/** Values of about 150 KiB: a text on one line, many members, and much that lies deep. */
const large: { readonly [key: string]: (turn: number) => { [name: string]: unknown } } = {
  line: (turn) => ({ line: `${'x'.repeat(100_000)}${turn}${'y'.repeat(50_000)}` }),
  many: (turn) => Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`k${index}`, index * turn])),
  deep: (turn) => ({
    worlds: Array.from({ length: 30 }, (_, world) => ({
      world,
      items: Array.from({ length: 100 }, (_, item) => ({
        id: `${world}-${item}`,
        count: item % (turn + 2),
        isKept: true,
      })),
    })),
  }),
};

it.each(Object.keys(large))('shows, compares and edits a save of 150 KiB (%s) without a long task', async (key) => {
  const admin = createAdminClient({ key: operatorKey, baseUrl: service.ready.url });
  const players = admin.players({ gameId: demoGame.id, environment: 0 });
  const userId = (await players.find({ name: 'ada' }))[0]?.userId ?? '';
  const make = large[key] ?? (() => ({}));
  await players.updateEntry(userId, { collection: 'large', key, value: make(1), version: -1 });
  await players.updateEntry(userId, { collection: 'large', key, value: make(2), version: 0 });
  await walk(`/players/${userId}/saves`, (page) => ({
    'open and compare': async () => {
      await page
        .getByRole('navigation', { name: 'Entries' })
        .getByRole('link', { name: new RegExp(`^${key}`) })
        .click();
      await page.getByRole('table').waitFor();
    },
    'show more': async () => {
      const more = await page.getByRole('button', { name: /^(Next|Last|Show all)/ }).elementHandles();
      for (const button of more) await button.click();
    },
    'scroll it': () => wheel(page),
    edit: async () => {
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.locator('.cm-line').first().waitFor();
    },
    type: async () => {
      await page.locator('.cm-content').click();
      await page.keyboard.press('ControlOrMeta+Home');
      for (let turn = 0; turn < 20; turn += 1) await page.keyboard.press('Enter');
      await page.keyboard.press('ControlOrMeta+End');
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.type(`,"turn${crypto.randomUUID()}":true`);
    },
    'scroll the editor': () => wheel(page),
    'see what would change': async () => {
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).waitFor();
    },
    save: async () => {
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByText('The entry is saved.').first().waitFor();
    },
  }));
});
