import { readdirSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const unwritten = new Set([
  'node_modules',
  'dist',
  'coverage',
  '.git',
  '.cache',
  '.vite',
  '.savepoint',
  'package-lock.json',
]);
const pictures = new Set(['.png', '.jpg', '.gif', '.webp', '.woff2', '.ico']);

/** Every file that somebody wrote, by its path from the root. */
export function writtenFiles(folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (unwritten.has(entry.name) || pictures.has(extname(entry.name)) || entry.name.endsWith('.tgz')) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? writtenFiles(path) : [relative(root, path)];
  });
}
