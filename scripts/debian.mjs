import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * Installs packages where that can be done without asking: on Debian, as root. Says whether they are there now. Not on
 * Ubuntu, whose packages of the same names are stubs that want snap.
 *
 * @param {readonly string[]} packages
 */
export function installDebianPackages(packages) {
  const isDebian = existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
  if (!isDebian || process.getuid?.() !== 0) return false;
  const install = () => run('apt-get', ['install', '-y', '--no-install-recommends', ...packages]);
  return install() || (run('apt-get', ['update']) && install());
}

function run(command, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], env }).status === 0;
}
