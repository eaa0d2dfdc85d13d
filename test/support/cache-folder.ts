import { fileURLToPath } from 'node:url';

/**
 * A folder for what a test file builds, two folders below the package's root, so that it finds the packages. Test files that
 * run at once each have one of their own, and so have runs on several versions of Node.
 */
export function cacheFolder(name: string): string {
  const run = `node${process.versions.node}-${process.env['VITEST_POOL_ID']}`;
  return fileURLToPath(new URL(`../../.cache/${name}-${run}/`, import.meta.url));
}
