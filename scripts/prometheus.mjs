import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const howToInstallPrometheus = 'On Debian: apt-get install prometheus.';

/**
 * The programs of Prometheus; null where one of them is not on this machine.
 * @returns {{ prometheus: string, promtool: string } | null}
 */
export function findPrometheus() {
  const folders = ['/usr/bin', '/usr/local/bin', ...(process.env.PATH ?? '').split(':')];
  const find = (name) => folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  const [prometheus, promtool] = [find('prometheus'), find('promtool')];
  return prometheus === undefined || promtool === undefined ? null : { prometheus, promtool };
}
