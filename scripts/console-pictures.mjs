// Takes the pictures of docs/console.md: every page of the console at 390 and 1440 px, on a service of its own. Run on a build.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { browserArgs, findBrowser } from './browser.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}docs/console/`;
const widths = { 390: 844, 1440: 900 };
/** No picture may have more: one of a window, and one of a whole page. */
const [maxBytesOfWindow, maxBytesOfPage] = [60_000, 100_000];
/** The pages that are shown from top to bottom. A list goes on as it begins. */
const wholePages = ['overview', 'player', 'saves', 'clash', 'conflicts'];

const program = 'dist/cli/savepoint.js';
const service = start(['dev', '--port', '0', '--json', '--seed-demo']);
const { url, consoleUrl, gameId } = await firstLine(service);
const place = `game=${gameId}&env=0`;
const game = `api/v2/admin/games/${gameId}`;
const browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: browserArgs });
try {
  mkdirSync(folder, { recursive: true });
  const page = await browser.newPage({ locale: 'en-GB', colorScheme: 'light', reducedMotion: 'reduce' });
  await page.route('**/console/session', reachableByPhones);
  await page.goto(`${consoleUrl}#/?${place}`);
  const ada = await fill(page);
  for (const [name, path, act] of pagesOf(ada)) {
    await takeBoth(page, { name, address: `${consoleUrl}#${path}${path.includes('?') ? '&' : '?'}${place}`, act });
  }
  await takeSignIn(page);
} finally {
  await browser.close();
  service.kill('SIGTERM');
}

function start(args, env = {}) {
  const stdio = ['ignore', 'pipe', 'ignore'];
  return spawn(process.execPath, [program, ...args], { cwd: root, stdio, env: { ...process.env, ...env } });
}

/** What a service says of itself first. */
async function firstLine({ stdout }) {
  const [text] = await once(stdout.setEncoding('utf8'), 'data');
  return JSON.parse(text.split('\n')[0]);
}

/** What a service with `--host` says: no picture has the address of the machine that took it. */
async function reachableByPhones(route) {
  const response = await route.fetch();
  const session = await response.json();
  if (session.dev != null) session.dev.lanUrls = ['http://192.168.1.20:4873'];
  await route.fulfill({ response, json: session });
}

async function takeBoth(page, { name, address, act }) {
  for (const [width, height] of Object.entries(widths)) {
    await page.setViewportSize({ width: Number(width), height });
    await page.goto('about:blank');
    await page.goto(address);
    await page.locator('h1').first().waitFor();
    await act?.(page);
    await page.waitForFunction(() => document.querySelector('.loading, .starting') === null);
    await page.waitForTimeout(400);
    writeFileSync(`${folder}${name}-${width}.webp`, await picture(page, wholePages.includes(name)));
  }
}

/** Only a service for players asks who somebody is. */
async function takeSignIn(page) {
  const newKey = (kind) => execFileSync(process.execPath, [program, 'new-key', kind], { cwd: root, encoding: 'utf8' });
  const serving = start(['serve', '--port', '0', '--store', 'memory'], {
    SAVEPOINT_GAME_ID: gameId,
    SAVEPOINT_PRIVATE_KEY: randomUUID(),
    SAVEPOINT_OPERATOR_KEY: randomUUID(),
    SAVEPOINT_SIGNING_KEY: newKey('signing').trim(),
  });
  try {
    const said = await firstLine(serving);
    await takeBoth(page, { name: 'sign-in', address: `${said.url}/console/` });
  } finally {
    serving.kill('SIGTERM');
  }
}

function pagesOf(ada) {
  const saves = `/players/${ada}/saves?collection=progress&key=main`;
  return [
    ['overview', '/'],
    ['players', '/players'],
    ['player', `/players/${ada}`],
    ['saves', saves],
    ['editor', saves, (page) => page.getByRole('button', { name: 'Edit' }).click()],
    ['clash', saves, (page) => meetClash(page, ada)],
    ['snapshots', `/players/${ada}/snapshots`],
    ['timeline', `/players/${ada}/timeline`],
    ['changes', `/players/${ada}/changes`],
    ['conflicts', '/conflicts', (page) => page.getByRole('button', { name: 'Compare' }).first().click()],
    ['requests', '/requests', (page) => page.locator('.requests button').first().click()],
    ['audit', '/audit'],
    ['keys', '/keys'],
    ['platforms', '/platforms'],
    ['platform-form', '/platforms', openPlatformForm],
    ['webhooks', '/webhooks'],
    ['limits', '/limits'],
    ['faults', '/faults'],
    ['devices', '/devices', conflict],
  ];
}

async function conflict(page) {
  for (const name of ['Phone', 'Phone', 'Laptop']) {
    await page.getByRole('region', { name }).getByRole('button', { name: 'Earn' }).click();
  }
  await page.getByRole('region', { name: 'Laptop' }).getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('group', { name: 'Which save goes on?' }).waitFor();
}

/** Saves what a device has written meanwhile. */
async function meetClash(page, ada) {
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.locator('.cm-content[contenteditable="true"]').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText('{\n  "coins": 500,\n  "level": 5,\n  "best": 44,\n  "hats": ["straw"]\n}');
  const value = { coins: 180, level: 5, best: 47, hats: ['straw', 'top'], position: { room: 'attic', x: 2, y: 4 } };
  await ask(page, 'PATCH', `${game}/players/${ada}/entries/progress/main?env=0`, { value, version: -1 });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('region', { name: 'It was changed meanwhile' }).waitFor();
}

async function openPlatformForm(page) {
  await page.getByRole('button', { name: 'Add a platform' }).click();
  await page.getByRole('dialog').getByRole('combobox').first().selectOption('telegram');
}

/** Asks the console's gateway, as its page does. */
function ask(page, method, path, body) {
  return page.evaluate(
    async ([verb, address, sent]) => {
      const { csrf } = await (await fetch('/console/session')).json();
      const headers = { 'Savepoint-Console': csrf, 'Content-Type': 'application/json' };
      const answer = await fetch(`/console/${address}`, { method: verb, headers, body: sent && JSON.stringify(sent) });
      if (!answer.ok) throw new Error(`${verb} ${address} was refused: ${await answer.text()}`);
      return answer.status === 204 ? null : answer.json();
    },
    [method, path, body],
  );
}

/** Lets something happen, so that no page is empty. Gives the id of a player. */
async function fill(page) {
  const idOf = async (name) => (await ask(page, 'GET', `${game}/players?env=0&name=${name}`)).players[0].userId;
  const [ada, grace] = [await idOf('ada'), await idOf('grace')];
  const saves = [
    { coins: 150, level: 4, best: 41, hats: ['straw'], position: { room: 'cellar', x: 3, y: 9 } },
    { coins: 175, level: 5, best: 44, hats: ['straw', 'top'], position: { room: 'attic', x: 12, y: 4 } },
  ];
  for (const value of saves) {
    await ask(page, 'PATCH', `${game}/players/${ada}/entries/progress/main?env=0`, { value, version: -1 });
  }
  await ask(page, 'POST', `${game}/players/${grace}/ban?env=0`, { reason: 'sold her account' });
  await ask(page, 'POST', 'api/v2/admin/keys', { name: 'ada of support', scope: 'support' });
  const discord = { clientId: '159799960412356608', accepts: 'accessToken' };
  await ask(page, 'PUT', `${game}/platforms/discord?env=0`, {
    preset: 'discord',
    settings: discord,
    isOn: true,
    version: 0,
  });
  await ask(page, 'PUT', 'dev/faults', { plans: [{ route: null, player: null, fault: 'slow', ms: 800, share: 0.05 }] });
  for (let players = 0; players < 12; players += 1) {
    await fetch(`${url}/v2/auth/guest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ game_id: gameId, env: 0, device_id: `device-of-a-picture-${players}` }),
    });
  }
  await page.goto(`${consoleUrl}#/devices?${place}`);
  await conflict(page);
  return ada;
}

/** The whole page, or what the window shows, as WebP, in the best quality that fits. */
async function picture(page, isWhole) {
  // What hides above the window would lie over the page.
  await page.evaluate(() => scrollTo(0, 0));
  const session = await page.context().newCDPSession(page);
  const maxBytes = isWhole ? maxBytesOfPage : maxBytesOfWindow;
  const { cssContentSize, cssVisualViewport } = await session.send('Page.getLayoutMetrics');
  const height = isWhole ? cssContentSize.height : cssVisualViewport.clientHeight;
  const clip = { x: 0, y: 0, width: cssContentSize.width, height, scale: 1 };
  for (const quality of [85, 70, 50, 30]) {
    const { data } = await session.send('Page.captureScreenshot', {
      ...{ format: 'webp', quality, clip },
      captureBeyondViewport: isWhole,
    });
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length <= maxBytes) return bytes;
  }
  throw new Error(`${page.url()} makes a picture of more than ${maxBytes} bytes.`);
}
