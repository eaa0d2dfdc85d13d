import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { codeBlocks } from '../support/markdown.js';
import {
  fitOnEveryScreen,
  install,
  launch,
  openDevice,
  playOnTwoDevices,
  type Running,
  startGame,
  startPage,
} from './made-game.js';
import { repository, run } from './run.js';

const base = mkdtempSync(join(tmpdir(), 'savepoint init '));
const folder = join(base, 'my-game');
const program = join(inject('consumer'), 'node_modules/.bin/savepoint');
let browser: Browser;
let game: Running;

/** Where a newcomer's terminal is. */
let place = base;

const guide = readFileSync(join(repository, 'docs/init.md'), 'utf8');
const [withInit = '', withoutInit = ''] = codeBlocks(guide, 'sh');
const [ownPage = ''] = codeBlocks(guide, 'html');

/** The lines of a block for a terminal, without what they remark. */
function commandsOf(block: string): string[] {
  return block
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +#.*$/, ''));
}

/** Types the guide's commands one after the other. Where it says savepoint, that is the packed one. */
async function carryOut(commands: string[]): Promise<Running> {
  for (const command of commands) {
    const [npx, name, verb, ...more] = command.split(' ');
    if (command === 'npm run dev') return startGame(place);
    if (command === 'npx savepoint dev -- vite') return startPage(place);
    if (npx === 'cd') place = join(place, name ?? '');
    else if (npx === 'npx' && name === 'savepoint') await run(program, [verb ?? '', ...more], place);
    else if (command === 'npm install') await install(place, inject('tarball'));
    // These the game has installed already, into a folder of its own.
    else if (command === 'npm install savepoint vite')
      symlinkSync(join(folder, 'node_modules'), join(place, 'node_modules'));
    else throw new Error(`Nobody knows how the test carries out: ${command}`);
  }
  throw new Error('None of the commands starts the page.');
}

const secondsSince = (began: number): number => Number(((performance.now() - began) / 1_000).toFixed(1));

beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  game?.kill();
  await browser.close();
  rmSync(base, { recursive: true, force: true });
});

it('from an empty folder to a signed-in player on the screen it takes three commands and less than a minute', {
  timeout: 180_000,
}, async () => {
  const commands = commandsOf(withInit);
  expect(commands.filter((command) => !command.startsWith('cd '))).toHaveLength(3);
  const began = performance.now();
  game = await carryOut(commands);
  const { page, errors } = await openDevice(browser, game.page);
  const seconds = secondsSince(began);
  console.log(`From an empty folder to a signed-in player: ${seconds} s, ${commands.length} lines`);
  expect(seconds).toBeLessThan(60);
  expect(errors).toEqual([]);
  expect(await page.title()).toBe('my-game');
  expect(game.output()).toContain(`savepoint  ${game.service}   console  ${game.service}/console/`);
});

it('the game plays, and a name on a second device opens the conflict', { timeout: 180_000 }, async () => {
  await playOnTwoDevices(browser, game.page);
});

it('the game and its account fit on every screen, from the smallest phone on', { timeout: 180_000 }, async () => {
  await fitOnEveryScreen(browser, game.page);
});

it('without init it takes less than 30 lines, in the page and at the terminal', { timeout: 180_000 }, async () => {
  const commands = commandsOf(withoutInit);
  const lines = commands.length + ownPage.trim().split('\n').length;
  expect(ownPage).toContain('client.init()');
  expect(lines).toBeLessThan(30);
  place = join(base, 'own');
  mkdirSync(place);
  writeFileSync(join(place, 'index.html'), ownPage);
  const began = performance.now();
  const own = await carryOut(commands);
  try {
    const page = await (await browser.newContext()).newPage();
    await page.goto(own.page);
    await page.getByText(/^Signed in: [\da-f-]{36}$/).waitFor({ timeout: 60_000 });
    console.log(`Without init, to a signed-in player: ${secondsSince(began)} s, ${lines} lines`);
  } finally {
    own.kill();
  }
});

it('Ctrl-C ends the page and the service together', async () => {
  await game.interrupt();
  for (const url of [game.page, game.service]) await expect(fetch(url)).rejects.toThrow();
});

it('its test passes, with faults and a conflict', { timeout: 180_000 }, async () => {
  expect(await run('npm', ['test'], folder)).toMatch(/5 passed/);
});

it('it builds, and is checked by the compiler', { timeout: 180_000 }, async () => {
  await run('npm', ['run', 'build'], folder);
  expect(readdirSync(join(folder, 'dist'))).toEqual(expect.arrayContaining(['assets', 'index.html']));
});
