import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { install, launch, openDevice, playOnTwoDevices, type Running, startGame } from './made-game.js';
import { repository, run } from './run.js';

const base = mkdtempSync(join(tmpdir(), 'savepoint init '));
const folder = join(base, 'my-game');
const program = join(inject('consumer'), 'node_modules/.bin/savepoint');
let browser: Browser;
let game: Running;

beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  game?.kill();
  await browser.close();
  rmSync(base, { recursive: true, force: true });
});

it('from an empty folder to a signed-in player on the screen it takes three commands', {
  timeout: 180_000,
}, async () => {
  const began = performance.now();
  expect(await run(program, ['init', 'my-game'], base)).toContain('npm run dev');
  await install(folder, inject('tarball'));
  game = await startGame(folder);
  const { page, errors } = await openDevice(browser, game.page);
  console.log(`From an empty folder to a signed-in player: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  expect(errors).toEqual([]);
  expect(await page.title()).toBe('my-game');
  expect(game.output()).toContain(`savepoint  ${game.service}   console  ${game.service}/console/`);
});

it('the game plays, and a name on a second device opens the conflict', { timeout: 180_000 }, async () => {
  await playOnTwoDevices(browser, game.page);
});

it('without init it takes a page of less than 30 lines', { timeout: 180_000 }, async () => {
  const lines = /```html\n([\s\S]*?)```/.exec(readFileSync(join(repository, 'docs/init.md'), 'utf8'))?.[1] ?? '';
  console.log(`Without init a signed-in player takes ${lines.trim().split('\n').length} lines`);
  expect(lines.trim().split('\n').length).toBeLessThan(30);
  const own = join(folder, 'own');
  mkdirSync(own);
  writeFileSync(
    join(own, 'index.html'),
    lines.replace('import.meta.env.VITE_SAVEPOINT_URL', JSON.stringify(game.service)),
  );
  const page = await browser.newPage();
  await page.goto(`${game.page}own/index.html`);
  await page.getByText(/^Signed in: [\da-f-]{36}$/).waitFor({ timeout: 60_000 });
  rmSync(own, { recursive: true });
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
