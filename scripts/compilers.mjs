// Where the versions of TypeScript are that read the package's declarations, beside the one that it is built with, and with
// --install how they get there: from npm, in one folder beside the packages.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../.cache/compilers/', import.meta.url));
const versions = ['5.4.5', '5.9.3', '7.0.2'];

export const howToInstallCompilers = 'Run node scripts/compilers.mjs --install.';

const compilerOf = (version) => join(folder, 'node_modules', `typescript-${version}`, 'bin/tsc');

/**
 * Each version with its program; null where one of them is not installed.
 * @returns {{ version: string, compiler: string }[] | null}
 */
export function findCompilers() {
  const all = versions.map((version) => ({ version, compiler: compilerOf(version) }));
  return all.every(({ compiler }) => existsSync(compiler)) ? all : null;
}

if (process.argv.includes('--install') && findCompilers() === null) {
  mkdirSync(folder, { recursive: true });
  const dependencies = Object.fromEntries(versions.map((one) => [`typescript-${one}`, `npm:typescript@${one}`]));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ private: true, dependencies }, null, 2)}\n`);
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (findCompilers() === null) {
    console.error('The compilers could not be installed.');
    process.exit(1);
  }
}
