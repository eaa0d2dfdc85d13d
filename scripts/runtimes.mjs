// Where the runtimes and test environments are that docs/runtimes.md tells of, and with --install how they get there: from npm,
// in one folder beside the packages. `npm install` leaves them out, for they are 700 MB, and only one test needs them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../.cache/runtimes/', import.meta.url));

const machine = `${process.platform}-${process.arch}`;
const denoMachine = machine === 'linux-x64' || machine === 'linux-arm64' ? `${machine}-glibc` : machine;

/** By the name under which it is found. Each program is the one of this machine. */
const dependencies = {
  node20: `npm:node-${machine}@20.20.2`,
  node22: `npm:node-${machine}@22.23.3`,
  node24: `npm:node-${machine}@24.21.0`,
  deno: `npm:@deno/${denoMachine}@2.9.6`,
  miniflare: '4.20260426.0',
  'edge-runtime': '4.0.1',
  jest: '30.5.2',
  '@happy-dom/jest-environment': '20.14.5',
  'jest-environment-jsdom': '30.5.2',
  'jest-fixed-jsdom': '0.0.11',
  jsdom: '29.1.1',
  'happy-dom': '20.14.5',
  vite: '8.3.8',
  vitest: '4.1.12',
};

export const howToInstallRuntimes = 'Run node scripts/runtimes.mjs --install.';

const wanted = `${JSON.stringify({ private: true, type: 'module', dependencies }, null, 2)}\n`;

/**
 * The folder that has them in its node_modules; null where they are not installed, or others than those that are named.
 * @returns {string | null}
 */
export function findRuntimes() {
  const manifest = join(folder, 'package.json');
  const isThere = existsSync(manifest) && readFileSync(manifest, 'utf8') === wanted;
  return isThere && existsSync(join(folder, 'node_modules', '.package-lock.json')) ? folder : null;
}

if (process.argv.includes('--install') && findRuntimes() === null) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), wanted);
  // esbuild, which vite brings, and workerd find their programs without their scripts.
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  const { status } = spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0 || findRuntimes() === null) {
    console.error('The runtimes could not be installed.');
    process.exit(1);
  }
}
