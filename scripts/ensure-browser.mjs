// Before the tests: sees to it that there is a Chromium which starts, and says plainly where there is none.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { browserArgs, browsersOnDisk, findBrowser, provenBrowser } from './browser.mjs';

const chosen = process.env.CHROME_PATH;
if (chosen) {
  if (!existsSync(chosen)) fail(`CHROME_PATH names ${chosen}, which does not exist.`);
  const problem = await whyItDoesNotStart(chosen);
  if (problem !== null) fail(`CHROME_PATH names ${chosen}, which does not start: ${problem}`);
  process.exit(0);
}

const found = await firstThatStarts([findBrowser(), ...browsersOnDisk()]);
if (found === null) {
  console.log('No Chromium that starts is on this machine: installing one.');
  const installed = (await installWithPlaywright()) ?? (await installWithApt());
  if (installed === null) {
    fail('Install Chromium or Chrome and set CHROME_PATH to it, or run: npx playwright install --with-deps chromium');
  }
}

async function firstThatStarts(paths) {
  for (const path of new Set(paths.filter((path) => path !== null))) {
    const problem = await whyItDoesNotStart(path);
    if (problem === null) {
      mkdirSync(dirname(provenBrowser), { recursive: true });
      writeFileSync(provenBrowser, path);
      return path;
    }
    console.error(`${path} does not start: ${problem}`);
  }
  return null;
}

async function whyItDoesNotStart(executablePath) {
  try {
    const browser = await chromium.launch({ executablePath, args: browserArgs, timeout: 60_000 });
    await browser.close();
    return null;
  } catch (error) {
    return String(error.message).split('\n')[0];
  }
}

function installWithPlaywright() {
  const cli = join(dirname(createRequire(import.meta.url).resolve('playwright/package.json')), 'cli.js');
  run(process.execPath, [cli, 'install', 'chromium']);
  return firstThatStarts(browsersOnDisk());
}

/** Debian only: on Ubuntu the package of that name is a stub that wants snap. */
function installWithApt() {
  const isDebian = existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
  if (!isDebian || process.getuid?.() !== 0) return null;
  const install = ['install', '-y', '--no-install-recommends', 'chromium'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  if (!run('apt-get', install, env)) {
    run('apt-get', ['update'], env);
    run('apt-get', install, env);
  }
  return firstThatStarts(browsersOnDisk());
}

function run(command, args, env = process.env) {
  return spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], env }).status === 0;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
