import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';
import { freePort } from '../../scripts/postgres.mjs';
import { run } from './run.js';

const npmInstall = ['install', '--prefer-offline', '--no-audit', '--no-fund'];

/** Installs a game as its owner does, but for savepoint, which is the packed one. */
export async function install(folder: string, tarball: string): Promise<void> {
  await run('npm', [...npmInstall, tarball], folder);
}

/** Gives a game the packages of another folder, and savepoint as the consumer of the tarball has it. */
export function link(folder: string, packages: string, consumer: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(packages, 'node_modules'))) {
    if (name !== 'savepoint' && name !== '.bin') symlinkSync(join(packages, 'node_modules', name), join(modules, name));
  }
  symlinkSync(join(consumer, 'node_modules/savepoint'), join(modules, 'savepoint'));
  const programs = join(modules, '.bin');
  mkdirSync(programs);
  for (const from of [join(packages, 'node_modules/.bin'), join(consumer, 'node_modules/.bin')]) {
    for (const name of readdirSync(from)) {
      if (!existsSync(join(programs, name))) symlinkSync(join(from, name), join(programs, name));
    }
  }
}

export interface Running {
  /** The game's page. */
  page: string;
  /** The service beside it. */
  service: string;
  output(): string;
  /** Ctrl-C, as a terminal sends it: to the whole group. Gives the exit code. */
  interrupt(): Promise<number | null>;
  kill(): void;
}

/** `npm run dev` of a game, on ports that nobody else has. */
export async function startGame(folder: string): Promise<Running> {
  const ports = await freePorts();
  const file = join(folder, 'package.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('"savepoint dev --', `"savepoint dev --port ${ports.service} --`));
  const game = await startAt(ports, folder, ['npm', 'run', 'dev', '--']);
  // npm and savepoint have read it by now. Vite may read it at any moment, and must never find half of it.
  writeFileSync(`${file}.made`, text);
  renameSync(`${file}.made`, file);
  return game;
}

/** `npx savepoint dev -- vite` where nothing but a page is, on ports that nobody else has. */
export async function startPage(folder: string): Promise<Running> {
  const ports = await freePorts();
  return startAt(ports, folder, ['npx', 'savepoint', 'dev', '--port', String(ports.service), '--', 'vite']);
}

interface Ports {
  page: number;
  service: number;
}

async function freePorts(): Promise<Ports> {
  return { page: await freePort(), service: await freePort() };
}

/** Runs a command that Vite's own options can follow, until it says where the page is. */
async function startAt(ports: Ports, folder: string, [program = '', ...args]: string[]): Promise<Running> {
  const env = { ...process.env, NO_COLOR: '1' };
  const child = spawn(program, [...args, '--port', String(ports.page), '--strictPort'], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      output += piece;
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const page = `http://localhost:${ports.page}/`;
  await vi.waitUntil(() => output.includes(page) || child.exitCode !== null, { timeout: 60_000 });
  expect(output).toContain(page);
  return {
    page,
    service: `http://127.0.0.1:${ports.service}`,
    output: () => output,
    interrupt: () => {
      signalGroup(child, 'SIGINT');
      return ended;
    },
    kill: () => signalGroup(child, 'SIGKILL'),
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // All of them have ended.
  }
}

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: findBrowser() ?? '', args: browserArgs });
}

/** A device of its own, with the game on the screen and a guest signed in. */
export async function openDevice(browser: Browser, url: string): Promise<{ page: Page; errors: string[] }> {
  const page = await (await browser.newContext()).newPage();
  // Several games are built and drawn at once, without a graphics card.
  page.setDefaultTimeout(60_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(url);
  await page.getByText('Account', { exact: true }).click();
  await page.getByRole('button', { name: 'Link name' }).waitFor();
  return { page, errors };
}

/** Width and height of a window, or of the screen of a phone: the first is the smallest. */
const screens = [
  [320, 568],
  [360, 740],
  [390, 844],
  [844, 390],
  [1440, 600],
] as const;

/** The game follows its window, up and down, and the opened panel of the account lies on the screen, in either direction. */
export async function fitOnEveryScreen(browser: Browser, url: string): Promise<void> {
  const { page } = await openDevice(browser, url);
  for (const direction of ['ltr', 'rtl']) {
    await page.evaluate((dir) => document.documentElement.setAttribute('dir', dir), direction);
    await resize(page, 1440, 900);
    for (const [width, height] of screens) {
      await resize(page, width, height);
      for (const part of [
        page.locator('#account details > div').first(),
        page.getByRole('button', { name: 'Link name' }),
      ]) {
        await part.scrollIntoViewIfNeeded();
        const { x, y, width: wide, height: high } = (await part.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
        const edges = { left: x >= 0, top: y >= 0, right: x + wide <= width, bottom: y + high <= height };
        expect({ screen: `${width} x ${height} ${direction}`, ...edges }).toEqual({
          ...{ screen: `${width} x ${height} ${direction}`, left: true, top: true, right: true, bottom: true },
        });
      }
    }
  }
  await page.context().close();
}

/** What the page is high and wide is the window's, no more: nothing scrolls. */
async function resize(page: Page, width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height });
  // Tests that run at once have no `expect.poll` of their own.
  await vi.waitFor(
    async () => {
      const extent = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.scrollHeight,
      ]);
      expect(extent).toEqual([width, height]);
    },
    { timeout: 5_000 },
  );
}

/** Catches so many fireflies: by the keyboard, or where each is a button by that. */
async function catchFireflies(page: Page, count: number): Promise<void> {
  const button = page.getByRole('button', { name: 'A firefly' }).first();
  for (let caught = 0; caught < count; caught += 1) {
    const before = await score(page);
    if ((await button.count()) > 0) await button.press('Enter');
    else await page.locator('canvas').press(' ');
    await vi.waitUntil(async () => (await score(page)) !== before, { timeout: 10_000 });
  }
}

async function score(page: Page): Promise<string> {
  return (await page.locator('#score').textContent()) ?? '';
}

/** Where it does not, says what is shown instead. */
async function showsCaught(page: Page, count: number): Promise<void> {
  // Tests that run at once have no `expect.poll` of their own.
  await vi.waitFor(async () => expect(await score(page)).toContain(`${count} caught`), { timeout: 20_000 });
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill('correct horse');
  await page.getByRole('button', { name: 'Link name' }).click();
}

/** Two devices of one player: the name leads to the first one's save, and the second chooses to merge. */
export async function playOnTwoDevices(browser: Browser, url: string): Promise<void> {
  const first = await openDevice(browser, url);
  await catchFireflies(first.page, 3);
  await signIn(first.page, 'ada');
  await first.page.getByText('Opens on any device.').waitFor();
  const second = await openDevice(browser, url);
  await catchFireflies(second.page, 1);
  await signIn(second.page, 'ada');
  await second.page.getByRole('button', { name: 'Merge both' }).click();
  await showsCaught(second.page, 4);
  await first.page.reload();
  await showsCaught(first.page, 4);
  expect([...first.errors, ...second.errors]).toEqual([]);
  // Whoever is still there draws on, and takes the time of the pages after it.
  await Promise.all([first, second].map(({ page }) => page.context().close()));
}
