import { existsSync } from 'node:fs';
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

/** The path of a Chromium that is on this machine, or null. CHROME_PATH comes first. */
export function findBrowser() {
  const chosen = process.env.CHROME_PATH;
  if (chosen) return chosen;
  return [chromium.executablePath(), ...systemPaths].find((path) => path && existsSync(path)) ?? null;
}
