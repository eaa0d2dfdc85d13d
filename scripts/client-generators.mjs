// Where the generators of clients are that other people use, and with --install how they get there: what
// test/generated-clients/package-lock.json names, beside the packages. `npm install` leaves them out, for they want another
// TypeScript than this package, and one test needs them.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../.cache/client-generators/', import.meta.url));
const named = fileURLToPath(new URL('../test/generated-clients/', import.meta.url));
const files = ['package.json', 'package-lock.json'];

export const howToInstallClientGenerators = 'Run node scripts/client-generators.mjs --install.';

/**
 * The folder that has them in its node_modules; null where they are not installed, or others than those that are named.
 * @returns {string | null}
 */
export function findClientGenerators() {
  const isThere = files.every((file) => {
    const copy = join(folder, file);
    return existsSync(copy) && readFileSync(copy, 'utf8') === readFileSync(join(named, file), 'utf8');
  });
  return isThere && existsSync(join(folder, 'node_modules', '.package-lock.json')) ? folder : null;
}

if (process.argv.includes('--install') && findClientGenerators() === null) {
  mkdirSync(folder, { recursive: true });
  for (const file of files) copyFileSync(join(named, file), join(folder, file));
  const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0 || findClientGenerators() === null) {
    console.error('The generators of clients could not be installed.');
    process.exit(1);
  }
}
