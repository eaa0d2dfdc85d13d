import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

/** Without the network flags Chromium keeps calling home, which a closed network refuses. */
export const browserArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const systemPaths = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Where `ensure-browser.mjs` leaves the path of the browser that it saw starting. */
export const provenBrowser = fileURLToPath(new URL('../node_modules/.cache/savepoint/browser', import.meta.url));

/** The browsers on this machine, best first: Playwright's own, then the system's. */
export function browsersOnDisk() {
  return [chromium.executablePath(), ...systemPaths].filter((path) => path && existsSync(path));
}

/** The path of a Chromium that is on this machine, or null. CHROME_PATH comes first, then one that is known to start. */
export function findBrowser() {
  if (process.env.CHROME_PATH) return process.env.CHROME_PATH;
  const proven = existsSync(provenBrowser) ? readFileSync(provenBrowser, 'utf8') : '';
  if (existsSync(proven)) return proven;
  return browsersOnDisk()[0] ?? null;
}
