import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const firefoxPaths = [
  '/usr/lib/firefox-esr/firefox-esr',
  '/usr/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
];

/** The path of a Firefox that is on this machine, or null. FIREFOX_PATH comes first. */
export function findFirefox() {
  return process.env.FIREFOX_PATH ?? firefoxPaths.find((path) => existsSync(path)) ?? null;
}

/**
 * What runs WebKit on this machine, or null: the WebDriver of WebKitGTK, the browser that comes with WebKitGTK, and a
 * display for it that nobody sees.
 *
 * @returns {{ driver: string, browser: string, display: string } | null}
 */
export function findWebKit() {
  const [driver, display] = ['/usr/bin/WebKitWebDriver', '/usr/bin/Xvfb'];
  const folders = ['/usr/libexec', '/usr/lib', ...foldersIn('/usr/lib')];
  const browser = folders.map((path) => join(path, 'webkit2gtk-4.1', 'MiniBrowser')).find((path) => existsSync(path));
  return browser !== undefined && existsSync(driver) && existsSync(display) ? { driver, browser, display } : null;
}

function foldersIn(path) {
  return existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : [];
}

/** The browsers beside Chromium that the tests run in; each is left out, with a line that says so, where it is not. */
export const otherBrowsers = [
  { name: 'firefox', title: 'Firefox', find: findFirefox, debianPackages: ['firefox-esr'] },
  { name: 'webkit', title: 'WebKit', find: findWebKit, debianPackages: ['webkit2gtk-driver', 'xvfb'] },
];

/** Says what to do where one of them is missing. */
export function howToInstall({ title, name, debianPackages }) {
  const command = `apt-get install --no-install-recommends ${debianPackages.join(' ')}`;
  const orPath = name === 'firefox' ? ', or set FIREFOX_PATH' : '';
  return `${title} is not on this machine. On Debian: ${command}${orPath}.`;
}
