// Where Bun is, and with --install how it gets here: its one program, from npm, beside the packages. `npm install` leaves it
// out, for it is nearly 100 MB, and one test needs it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const version = '1.2.23';
const folder = fileURLToPath(new URL('../.cache/bun/', import.meta.url));
/** Without the newer instructions, which not every virtual machine has. */
const program = `@oven/bun-${process.platform}-${process.arch === 'x64' ? 'x64-baseline' : 'aarch64'}`;

export const howToInstallBun = 'Run node scripts/bun.mjs --install, or set BUN_PATH to a Bun from 1.2.23 on.';

/**
 * The path of Bun; null where there is none.
 * @returns {string | null}
 */
export function findBun() {
  const paths = [process.env.BUN_PATH, join(folder, 'node_modules', program, 'bin', 'bun')];
  return paths.find((path) => path && existsSync(path)) ?? null;
}

if (process.argv.includes('--install') && findBun() === null) {
  mkdirSync(folder, { recursive: true });
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `${program}@${version}`];
  spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (findBun() === null) {
    console.error(`Bun could not be installed. ${howToInstallBun}`);
    process.exit(1);
  }
}
