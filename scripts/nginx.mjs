import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const howToInstallNginx = 'On Debian: apt-get install nginx-light.';

/**
 * nginx's program; null where there is none.
 * @returns {string | null}
 */
export function findNginx() {
  // Debian's place is on root's path only.
  const folders = ['/usr/sbin', ...(process.env.PATH ?? '').split(':')];
  return folders.map((folder) => join(folder, 'nginx')).find((file) => existsSync(file)) ?? null;
}
