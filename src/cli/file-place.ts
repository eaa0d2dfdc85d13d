import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Why no file can be at a path, in words: there is a folder, or none to hold it. Null where one is, or may be made. */
export function whyNoFile(path: string): string | null {
  const folder = dirname(path);
  if (!existsSync(folder)) return `there is no folder ${folder}; make it first (mkdir -p ${folder})`;
  if (!statSync(folder).isDirectory()) return `${folder} is a file, and no folder`;
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return null;
  return `${path} is a folder; give a file, such as ./savepoint.db`;
}
