// Before the tests: sees to it that there is a Chromium which starts, and a Firefox and a WebKit where they can be installed.
// Says plainly what is missing.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { browserArgs, browsersOnDisk, findBrowser, provenBrowser } from './browser.mjs';
import { installDebianPackages } from './debian.mjs';
import { howToInstall, otherBrowsers } from './other-browsers.mjs';

const firefoxPath = process.env.FIREFOX_PATH;
if (firefoxPath && !existsSync(firefoxPath)) fail(`FIREFOX_PATH names ${firefoxPath}, which does not exist.`);
await ensureChromium();
for (const browser of otherBrowsers) ensureOther(browser);

async function ensureChromium() {
  const chosen = process.env.CHROME_PATH;
  if (chosen) {
    if (!existsSync(chosen)) fail(`CHROME_PATH names ${chosen}, which does not exist.`);
    const problem = await whyItDoesNotStart(chosen);
    if (problem !== null) fail(`CHROME_PATH names ${chosen}, which does not start: ${problem}`);
    return;
  }
  const found = await firstThatStarts([findBrowser(), ...browsersOnDisk()]);
  if (found !== null) return;
  console.log('No Chromium that starts is on this machine: installing one.');
  const installed = (await installWithPlaywright()) ?? (await installWithApt());
  if (installed === null) {
    fail('Install Chromium or Chrome and set CHROME_PATH to it, or run: npx playwright install --with-deps chromium');
  }
}

/** CI has to have it. Elsewhere its tests are left out where it cannot be installed. */
function ensureOther(browser) {
  if (browser.find() !== null) return;
  console.log(`No ${browser.title} is on this machine: installing one.`);
  if (installDebianPackages(browser.debianPackages) && browser.find() !== null) return;
  if (process.env.CI) fail(`CI runs the tests in ${browser.title}. ${howToInstall(browser)}`);
  console.log(`The tests in ${browser.title} will be left out. ${howToInstall(browser)}`);
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

function installWithApt() {
  return installDebianPackages(['chromium']) ? firstThatStarts(browsersOnDisk()) : null;
}

function run(command, args) {
  return spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
