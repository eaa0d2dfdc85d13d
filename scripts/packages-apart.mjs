// Packages that a few tests need and `npm install` leaves out, for they are large, or want other versions than this package:
// what a package-lock.json somewhere in the repository names, installed into a folder of .cache beside it.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const files = ['package.json', 'package-lock.json'];

/** `named` is the folder in the repository, `cache` the name of the one in .cache, `title` what they are. */
export function packagesApart({ named, cache, title }) {
  const from = fileURLToPath(new URL(`../${named}/`, import.meta.url));
  const folder = fileURLToPath(new URL(`../.cache/${cache}/`, import.meta.url));

  /**
   * The folder that has them in its node_modules; null where they are not installed, or others than those that are named.
   * @returns {string | null}
   */
  function find() {
    const isThere = files.every((file) => {
      const copy = join(folder, file);
      return existsSync(copy) && readFileSync(copy, 'utf8') === readFileSync(join(from, file), 'utf8');
    });
    return isThere && existsSync(join(folder, 'node_modules', '.package-lock.json')) ? folder : null;
  }

  /** Ends the process with 1 where they cannot be installed. */
  function install() {
    if (find() !== null) return;
    mkdirSync(folder, { recursive: true });
    for (const file of files) copyFileSync(join(from, file), join(folder, file));
    const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
    const { status } = spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' });
    if (status === 0 && find() !== null) return;
    console.error(`${title} could not be installed.`);
    process.exit(1);
  }

  return { find, install };
}
