import { defineBrowserProvider } from '@vitest/browser';
import type { BrowserName, DrivenBrowser } from './driven-browser.js';
import { launchBrowser } from './launch-browser.js';

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
          const browser = await launchBrowser(project.config.browser.name as BrowserName, { isShown: true });
          opened.push(browser);
          await browser.open(url);
        },
        close: async () => {
          await Promise.all(opened.splice(0).map((browser) => browser.close()));
        },
      };
    },
  });
}
