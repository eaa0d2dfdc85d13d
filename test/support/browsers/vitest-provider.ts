import { defineBrowserProvider } from '@vitest/browser';
import type { BrowserName, DrivenBrowser } from './driven-browser.js';
import { launchBrowser } from './launch-browser.js';

/** How often a page is opened, each time in another browser: on a busy machine a start may fail, and says so. */
const mostStarts = 3;

/** Lets Vitest run its pages in browsers that Playwright cannot steer as the system has them. */
export function drivenBrowsers() {
  return defineBrowserProvider({
    name: 'driven',
    supportedBrowser: ['firefox', 'webkit'] satisfies BrowserName[],
    providerFactory: (project) => {
      const opened: DrivenBrowser[] = [];
      return {
        name: 'driven',
        supportsParallelism: false,
        getCommandsContext: () => ({}),
        openPage: async (_session, url) => {
          opened.push(await browserWith(url, project.config.browser.name as BrowserName, mostStarts));
        },
        close: async () => {
          await Promise.all(opened.splice(0).map((browser) => browser.close()));
        },
      };
    },
  });
}

/** Starts a browser that shows a page. */
async function browserWith(url: string, name: BrowserName, starts: number): Promise<DrivenBrowser> {
  let browser: DrivenBrowser | undefined;
  try {
    browser = await launchBrowser(name, { isShown: true });
    await browser.open(url);
    return browser;
  } catch (error) {
    await browser?.close();
    if (starts === 1) throw error;
    console.warn(`${name} is started again: ${error}`);
    return browserWith(url, name, starts - 1);
  }
}
