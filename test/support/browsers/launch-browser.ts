import type { BrowserName, DrivenBrowser, LaunchOptions } from './driven-browser.js';
import { launchByPuppeteer } from './puppeteer-browser.js';
import { launchWebKit } from './webkit-browser.js';

/** Starts a browser for a test to steer. */
export function launchBrowser(name: BrowserName, options: LaunchOptions = {}): Promise<DrivenBrowser> {
  return name === 'webkit' ? launchWebKit(options) : launchByPuppeteer(name, options);
}
