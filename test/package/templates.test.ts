import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { findTemplatePackages } from '../../scripts/template-packages.mjs';
import { fitOnEveryScreen, install, launch, link, playOnTwoDevices, type Running, startGame } from './made-game.js';
import { run } from './run.js';

const base = mkdtempSync(join(tmpdir(), 'savepoint-templates-'));
const program = join(inject('consumer'), 'node_modules/.bin/savepoint');
/** `npm run prove` installs each for itself, from the tarball; `npm test` gives them packages that are there already. */
const isProved = process.env['PROVE'] === '1';
const games: Running[] = [];
let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  for (const game of games) game.kill();
  await browser.close();
  rmSync(base, { recursive: true, force: true });
});

const how = isProved ? 'with an install of its own' : 'on packages that are there already';

// vanilla is in init.test.ts, with an install of its own each time.
it.concurrent.each(['phaser', 'react', 'svelte'])(
  `the template %s is made, builds, passes its test, plays in Chromium and fits on every screen, ${how}`,
  { timeout: 180_000 },
  async (template) => {
    const folder = join(base, `a-${template}-game`);
    await run(program, ['init', `a-${template}-game`, '--template', template], base);
    if (isProved) await install(folder, inject('tarball'));
    else link(folder, findTemplatePackages() ?? '', inject('consumer'));
    await run('npm', ['run', 'build'], folder);
    expect(await run('npm', ['test'], folder)).toMatch(/5 passed/);
    const game = await startGame(folder);
    games.push(game);
    await playOnTwoDevices(browser, game.page);
    await fitOnEveryScreen(browser, game.page);
    await game.interrupt();
  },
);
