// Where the packages are that the templates of `savepoint init` need, and with --install how they get there: all of them in
// one folder, beside the packages of the repository. `npm install` leaves them out, for only the test of the templates needs
// them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../.cache/template-packages/', import.meta.url));
const templates = fileURLToPath(new URL('../templates/', import.meta.url));

export const howToInstallTemplatePackages = 'Run node scripts/template-packages.mjs --install.';

/** What the templates need, all together, but for savepoint itself. */
function wanted() {
  const dependencies = {};
  for (const name of readdirSync(templates)) {
    const file = join(templates, name, 'package.json');
    if (!existsSync(file)) continue;
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    Object.assign(dependencies, manifest.dependencies, manifest.devDependencies);
  }
  const { savepoint: _, ...others } = dependencies;
  return `${JSON.stringify({ private: true, dependencies: others }, null, 2)}\n`;
}

/**
 * The folder that has them in its node_modules; null where they are not installed, or others than those that are named.
 * @returns {string | null}
 */
export function findTemplatePackages() {
  const manifest = join(folder, 'package.json');
  const isThere = existsSync(manifest) && readFileSync(manifest, 'utf8') === wanted();
  return isThere && existsSync(join(folder, 'node_modules', '.package-lock.json')) ? folder : null;
}

if (process.argv.includes('--install') && findTemplatePackages() === null) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), wanted());
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  const { status } = spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0 || findTemplatePackages() === null) {
    console.error('The packages of the templates could not be installed.');
    process.exit(1);
  }
}
