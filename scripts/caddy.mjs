import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const howToInstallCaddy = 'On Debian: apt-get install caddy.';

/**
 * Caddy's program; null where there is none.
 * @returns {string | null}
 */
export function findCaddy() {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(':')];
  return folders.map((folder) => join(folder, 'caddy')).find((file) => existsSync(file)) ?? null;
}
