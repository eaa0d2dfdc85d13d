import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import { createSqliteStore } from 'savepoint/backend/sqlite';
import { expect, inject } from 'vitest';
import { demoGame } from '../../src/cli/demo.js';
import { leaveDeadEvent, startGameBackEnd } from '../cli/console/game-back-end.js';
import { doMainDeeds } from '../cli/console/main-deeds.js';
import { startInProcess } from '../cli/in-process.js';
import type { DrivenPage } from '../support/browsers/driven-browser.js';
import { launchBrowser } from '../support/browsers/launch-browser.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { it, patient } from './game-pages.js';

const browserName = inject('browser');
/** How long a busy machine may take for what is waited for. */
const waiting = { timeout: 15_000 };

/** Presses a button or follows a link of the console, in the part of the page with this name, as soon as it is there. */
function press(page: DrivenPage, text: string, region: string | null = null): Promise<void> {
  return page.run(
    async (wanted: string, within: string | null) => {
      const find = (): HTMLElement | undefined => {
        const from = within === null ? document : document.querySelector(`section[aria-label="${within}"]`);
        const all = [...(from?.querySelectorAll<HTMLElement>('button:not(:disabled), a') ?? [])];
        return all.find(({ textContent }) => textContent?.trim().startsWith(wanted));
      };
      const until = Date.now() + 15_000;
      while (find() === undefined && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
      const found = find();
      if (found === undefined) throw new Error(`There is no ${wanted} in ${document.body.innerText}`);
      found.click();
    },
    text,
    region,
  );
}

const textOf = (page: DrivenPage): Promise<string> => page.run(() => document.body.innerText);

it(
  'the console of savepoint dev opens by its link once, and does on each page what that is for, which running clients see',
  patient,
  async ({ onTestFinished }) => {
    const folder = temporaryFolder();
    const { id: gameId, privateKey } = demoGame;
    const game = { gameId, privateKey, now: Date.now };
    const backEnd = await startGameBackEnd(game);
    onTestFinished(() => backEnd.close());
    const file = join(folder, 'saves.db');
    const store = await createSqliteStore({ file });
    const userId = await leaveDeadEvent({ ...game, store, environment: 0 });
    await store.close();
    const config = join(folder, 'dev.json');
    writeFileSync(
      config,
      JSON.stringify({ games: [{ id: gameId, privateKeys: [privateKey], webhook: backEnd.webhook }] }),
    );
    const own = ['--store', file, '--config', config];
    const args = ['dev', '--port', '0', '--json', '--seed-demo', '--host', '0.0.0.0', ...own];
    const started = await startInProcess(args, { consoleFolder: inject('consoleFiles') });
    onTestFinished(() => started.stop().then(() => rmSync(folder, { recursive: true })));
    const browser = await launchBrowser(browserName);
    onTestFinished(() => browser.close());
    const { url, consoleUrl } = started.ready;
    const page = await browser.open(consoleUrl);
    await press(page, 'Players');
    await expect.poll(() => textOf(page)).toContain('grace');
    expect(await page.run(() => location.href)).not.toContain('link=');

    await press(page, 'Two devices');
    await press(page, 'Earn 10 coins', 'Phone');
    await press(page, 'Earn 10 coins', 'Laptop');
    await press(page, 'Sign in with the name', 'Laptop');
    await press(page, 'Merge', 'Laptop');
    await expect.poll(() => textOf(page)).toMatch(/Laptop\s+20/);

    const untold = { backEnd, userId };
    await doMainDeeds({ page, url, gameId, environment: 0, now: Date.now, isDev: true, untold });

    // The browser has a session now, and the link counts for nobody any more.
    await page.goTo(consoleUrl.replace(/#.*/, ''));
    await expect.poll(() => textOf(page)).toContain('Overview');
    const other = await launchBrowser(browserName);
    onTestFinished(() => other.close());
    const stranger = await other.open(consoleUrl);
    await expect.poll(() => stranger.run(() => document.querySelector('[role=alert]') !== null)).toBe(true);
    expect(await textOf(stranger)).not.toContain('grace');
  },
);

/** What the page's lists of links say is shown, by the routes. */
function currentOf(page: DrivenPage): Promise<string[]> {
  return page.run(() =>
    [...document.querySelectorAll('a[aria-current=page]')].map(
      (link) => link.getAttribute('href')?.replace(/[?].*/, '') ?? '',
    ),
  );
}

/** What axe finds against WCAG 2.2 AA on a page, and by how much it is wider than its window. */
async function misfitsOf(page: DrivenPage): Promise<string[]> {
  return page.run(async () => {
    const { axe: inPage } = globalThis as unknown as { axe: typeof axe };
    const runOnly = { type: 'tag' as const, values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
    const { violations } = await inPage.run(document, { runOnly });
    const { scrollWidth, clientWidth } = document.documentElement;
    return [
      ...violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`)),
      ...(scrollWidth > clientWidth ? [`${scrollWidth - clientWidth} px too wide`] : []),
    ];
  });
}

/** Opens what is behind the operator's name, and chooses how the page looks. */
async function chooseTheme(theme: string): Promise<void> {
  const opener = document.querySelector<HTMLElement>('.preferences > button');
  opener?.click();
  const until = Date.now() + 15_000;
  const find = () => document.querySelector<HTMLSelectElement>('#preferences select');
  while (find() === null && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
  const choice = find();
  if (choice === null) throw new Error('The page lets nobody choose how it looks.');
  choice.value = theme;
  choice.dispatchEvent(new Event('change', { bubbles: true }));
  opener?.click();
  if (document.documentElement.dataset['theme'] !== theme) throw new Error(`The page is not ${theme}.`);
}

/** What a page of the console shows as long as something of it is on its way; empty once all is there. */
function stillLoads(page: DrivenPage): Promise<string> {
  return page.run(() =>
    document.querySelector('.loading, .starting') === null ? '' : `${location.hash} ${document.body.innerText}`,
  );
}

/** What axe finds hardly depends on the browser: beside Chromium it looks at one width, and in `npm run prove` at each. */
const looks = [
  [1_920, 'light'],
  [1_920, 'dark'],
  [480, 'light'],
] as const;
const looked = browserName === 'chromium' || process.env['PROVE'] ? looks : looks.slice(2);

it('the console can be read by everybody and fits, up to 1,920 pixels wide', patient, async ({ onTestFinished }) => {
  const started = await startInProcess(['dev', '--port', '0', '--json', '--seed-demo'], {
    consoleFolder: inject('consoleFiles'),
  });
  onTestFinished(() => started.stop());
  const browser = await launchBrowser(browserName);
  onTestFinished(() => browser.close());
  const page = await browser.open(`${started.ready.url}/console/#/players`);
  // The page's own rules let no text be run as a script; this is the function itself.
  await page.run(new Function(axe.source) as () => void);
  await press(page, 'ada');
  await expect.poll(() => textOf(page)).toContain('How much the account holds');
  const path = await page.run(() => location.hash.replace(/[?].*/, ''));
  const routes = [
    '#/',
    '#/players',
    `${path}/who`,
    `${path}/saves`,
    `${path}/snapshots`,
    `${path}/timeline`,
    `${path}/changes`,
    '#/conflicts',
    ...['requests', 'audit', 'keys', 'webhooks', 'platforms', 'limits', 'faults', 'devices'].map((name) => `#/${name}`),
  ];
  const titles = new Set<string>();
  for (const [width, theme] of looked) {
    await page.resize(width, 1_080);
    await page.run(chooseTheme, theme);
    for (const route of routes) {
      await page.run((to: string) => {
        location.hash = `${to}${location.hash.replace(/^[^?]*/, '')}`;
      }, route);
      await expect.poll(() => currentOf(page), waiting).toContain(route);
      await expect.poll(() => stillLoads(page), waiting).toBe('');
      expect([route, width, theme, await misfitsOf(page)]).toEqual([route, width, theme, []]);
      titles.add(await page.run(() => document.title));
    }
  }
  // Five of the routes are of one player.
  expect(titles.size).toBe(12);
});
