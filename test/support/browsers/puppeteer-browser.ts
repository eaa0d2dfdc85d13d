import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, {
  type Browser,
  type Frame,
  type Page,
  type LaunchOptions as PuppeteerOptions,
  TimeoutError,
} from 'puppeteer-core';
import { browserArgs, findBrowser } from '../../../scripts/browser.mjs';
import { findFirefox, howToInstall, otherBrowsers } from '../../../scripts/other-browsers.mjs';
import { callExpression, type DrivenBrowser, type DrivenPage, type LaunchOptions } from './driven-browser.js';

/** How long a page may take to load, in ms, before it is asked for once more. */
const loadMs = 20_000;

/** Steers Chromium by its own protocol, and Firefox by WebDriver BiDi. */
export async function launchByPuppeteer(name: 'chromium' | 'firefox', options: LaunchOptions): Promise<DrivenBrowser> {
  const { profile } = options;
  const userDataDir = profile ?? (await mkdtemp(join(tmpdir(), 'savepoint-profile-')));
  const browser = await puppeteer.launch({
    ...(name === 'chromium' ? await chromiumOptions(userDataDir, options) : firefoxOptions(options)),
    userDataDir,
    headless: true,
    // A test says for itself how long it may take.
    protocolTimeout: 0,
  });
  const child = browser.process();
  const ended = new Promise<void>((resolve) => child?.once('exit', () => resolve()));
  // Chromium's private windows are off the record of its profile; with `--incognito` its first ones would not be.
  const isApart = name === 'chromium' && options.isPrivate === true;
  const windows = isApart ? await browser.createBrowserContext() : browser;

  return {
    open: async (url) => {
      const page = await newPage(windows);
      await goTo(page, url);
      return drive(page, name);
    },
    close: async () => {
      await browser.close();
      if (profile === undefined) await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 });
    },
    kill: async () => {
      child?.kill('SIGKILL');
      await ended;
    },
  };
}

/** A busy Firefox says now and then that a page is gone which it has just been asked to make. */
async function newPage(windows: Pick<Browser, 'newPage'>): Promise<Page> {
  try {
    return await windows.newPage();
  } catch (error) {
    if (!String(error).includes('no such frame')) throw error;
    return windows.newPage();
  }
}

/** A busy Firefox does not tell, now and then, that a page has loaded: it is loaded once more. */
async function goTo(page: Page, url: string): Promise<void> {
  try {
    await page.goto(url, { timeout: loadMs });
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    console.warn(`${url} is loaded again: ${error.message}`);
    await page.goto(url, { timeout: loadMs });
  }
}

async function chromiumOptions(
  userDataDir: string,
  { deniesSiteData, blocksThirdParties }: LaunchOptions,
): Promise<PuppeteerOptions> {
  const settings = {
    // What the browser writes where a player chooses "Sites are not allowed to save data on your device".
    ...(deniesSiteData === true ? { default_content_setting_values: { cookies: 2 } } : {}),
    // And where a player chooses "Block third-party cookies".
    ...(blocksThirdParties === true ? { cookie_controls_mode: 1, block_third_party_cookies: true } : {}),
  };
  if (Object.keys(settings).length > 0) {
    await mkdir(join(userDataDir, 'Default'), { recursive: true });
    await writeFile(join(userDataDir, 'Default', 'Preferences'), JSON.stringify({ profile: settings }));
  }
  const args = [
    ...browserArgs,
    // Since version 115 a frame that is blocked has a storage of its own under each site: this is what came before it.
    ...(blocksThirdParties === true ? ['--disable-features=ThirdPartyStoragePartitioning'] : []),
  ];
  return { browser: 'chrome', executablePath: findBrowser() ?? '', args };
}

function firefoxOptions({
  deniesSiteData,
  blocksThirdParties,
  isPrivate,
  storageLimit,
}: LaunchOptions): PuppeteerOptions {
  const executablePath = findFirefox();
  const [firefox] = otherBrowsers;
  if (executablePath === null) throw new Error(firefox === undefined ? '' : howToInstall(firefox));
  const extraPrefsFirefox = {
    // The number stands for "Block cookies and site data: all".
    ...(deniesSiteData === true ? { 'network.cookie.cookieBehavior': 2 } : {}),
    // And this one for "all cross-site cookies".
    ...(blocksThirdParties === true ? { 'network.cookie.cookieBehavior': 1 } : {}),
    ...(isPrivate === true ? { 'browser.privatebrowsing.autostart': true } : {}),
    ...(storageLimit === undefined ? {} : { 'dom.quotaManager.temporaryStorage.fixedLimit': storageLimit }),
  };
  return { browser: 'firefox', executablePath, extraPrefsFirefox };
}

function drive(page: Page, name: 'chromium' | 'firefox'): DrivenPage {
  const driven: DrivenPage = {
    run: async (code, ...args) => JSON.parse((await page.evaluate(callExpression(code, args))) as string),
    goTo: (url) => goTo(page, url),
    close: () => page.close(),
    resize: (width, height) =>
      page.setViewport({ width, height }).catch((error: Error) => {
        // The size has been sent by then, and this Firefox knows no orientation.
        if (!error.message.includes('setScreenOrientationOverride')) throw error;
      }),
    frames: () => {
      const inside = page.frames().filter((frame) => frame !== page.mainFrame());
      // The browser's own page in the place of one that it refuses cannot be read everywhere.
      const read = (frame: Frame) => frame.evaluate('document.body.innerText').catch(() => '');
      return Promise.all(inside.map(async (frame) => String(await read(frame))));
    },
    cookies: async () => (await page.cookies()).map(({ name: of, value }) => `${of}=${value}`).join('; '),
  };
  if (name === 'firefox') return driven;
  return {
    ...driven,
    crash: async () => {
      const session = await page.createCDPSession();
      const crashed = new Promise((resolve) => page.once('error', resolve));
      session.send('Page.crash').catch(() => {});
      await crashed;
      await page.close();
    },
    clearStorage: async () => {
      const session = await page.createCDPSession();
      const { origin } = new URL(page.url());
      await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
      await session.detach();
    },
    limitStorage: async (bytes) => {
      const session = await page.createCDPSession();
      const { origin } = new URL(page.url());
      // It holds as long as the session does, and that ends with the page.
      await session.send('Storage.overrideQuotaForOrigin', { origin, ...(bytes === null ? {} : { quotaSize: bytes }) });
    },
  };
}
