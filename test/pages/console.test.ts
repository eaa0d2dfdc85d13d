import { expect, inject } from 'vitest';
import { startInProcess } from '../cli/in-process.js';
import type { DrivenPage } from '../support/browsers/driven-browser.js';
import { launchBrowser } from '../support/browsers/launch-browser.js';
import { it, patient } from './game-pages.js';

const browserName = inject('browser');

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
  'the console of savepoint dev opens by its link once, and makes and ends a conflict',
  patient,
  async ({ onTestFinished }) => {
    const args = ['dev', '--port', '0', '--json', '--seed-demo', '--host', '0.0.0.0'];
    const started = await startInProcess(args, { consoleFolder: inject('consoleFiles') });
    onTestFinished(() => started.stop());
    const browser = await launchBrowser(browserName);
    onTestFinished(() => browser.close());
    const { consoleUrl } = started.ready;
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
