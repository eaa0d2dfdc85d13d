// Takes the pictures of the example game in README.md and docs/: docs/game.png, offline.png, conflict.png and undo.png. It is
// played on a service of its own, as `npm start` serves it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { browserArgs, findBrowser } from './browser.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The game alone is taken on a larger screen, and drawn smaller: all of its page is to be seen. */
const screens = {
  game: { viewport: { width: 1600, height: 893 }, deviceScaleFactor: 0.8 },
  devices: { viewport: { width: 1280, height: 846 } },
};

const args = ['scripts/start.mjs', '--port', '0', '--store', 'memory'];
const service = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
const browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: browserArgs });
try {
  const url = await addressOf(service);
  await takeDevices(await open(screens.devices), url);
  await takeFlights(await open(screens.game), url);
} finally {
  await browser.close();
  service.kill('SIGTERM');
}

async function open(screen) {
  const context = await browser.newContext({ ...screen, locale: 'en-GB', reducedMotion: 'reduce' });
  // The guide makes up a name for each round; here it is always the same.
  await context.addInitScript(() => localStorage.setItem('two-devices:name', 'ada'));
  return context.newPage();
}

/** Where the game is, once it has been built and served. */
async function addressOf({ stdout }) {
  stdout.setEncoding('utf8');
  for (let said = ''; ; ) {
    const [more] = await once(stdout, 'data');
    said += more;
    const [, address] = /Play +(http\S+)/.exec(said) ?? [];
    if (address !== undefined) return address;
  }
}

/** Two devices that meet: the choice between their saves, and what is offered after it. */
async function takeDevices(page, url) {
  await page.goto(`${url}two-devices.html`);
  await page.locator('#link-a:enabled').click();
  await page.locator('#sign-in-b:enabled').click();
  const second = page.frameLocator('#frame-b');
  const merge = second.locator('#conflict [part~="merge"]');
  await merge.waitFor();
  // The devices draw on while nothing of this is looked at.
  await page.waitForTimeout(1_000);
  await take(page, 'conflict');
  await merge.click();
  await second.locator('#conflict [part~="undo"]').first().waitFor();
  for (const device of ['a', 'b'])
    await page.frameLocator(`#frame-${device}`).getByText('171', { exact: true }).waitFor();
  await page.waitForTimeout(1_000);
  await take(page, 'undo');
}

/** A third device that plays the same save, in flight: with a network and without one. */
async function takeFlights(page, url) {
  await page.goto(url);
  await page.locator('#account input[name="name"]').fill('ada');
  await page.locator('#account input[name="password"]').fill('fine feathers');
  await page.locator('#account [part~="link"] [part~="submit"]').click();
  await page.locator('#conflict [part~="take"]').click();
  await page.locator('#coins', { hasText: /^171$/ }).waitFor();
  await flyUntilCoins(page, 3);
  await page.locator('#sync [data-status="synced"]').waitFor();
  await take(page, 'game');
  await page.locator('#network').click();
  await flyUntilCoins(page, 4);
  await page.locator('#sync [data-status="offline"]').waitFor();
  await take(page, 'offline');
}

/** Flies to and fro until so many coins have come, and is still in flight; after one that ends before, once more. */
async function flyUntilCoins(page, count) {
  const coins = async () => Number(await page.locator('#coins').textContent());
  const enough = (await coins()) + count;
  const { x, y, width, height } = await page.locator('#canvas').boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  for (let turn = 0; (await coins()) < enough || (await page.locator('#fly').isVisible()); turn += 1) {
    if (await page.locator('#fly').isVisible()) await page.locator('#fly').click();
    await page.mouse.down();
    const across = 0.5 + 0.35 * Math.sin(turn / 4);
    const down = 0.45 + 0.3 * Math.cos(turn / 3);
    await page.mouse.move(x + width * across, y + height * down);
    await page.waitForTimeout(100);
  }
  await page.mouse.up();
}

async function take(page, name) {
  await page.screenshot({ path: `${root}docs/${name}.png` });
}
