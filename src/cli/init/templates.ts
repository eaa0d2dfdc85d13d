import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** What a game can be written with, the first by default. Each has a folder of its name in `templates/`. */
export const templates = {
  vanilla: 'TypeScript and a canvas, nothing else',
  phaser: 'the engine Phaser',
  react: 'React',
  svelte: 'Svelte',
} as const;

export type TemplateName = keyof typeof templates;

export const templateNames = Object.keys(templates) as TemplateName[];
export const usualTemplate: TemplateName = 'vanilla';

export function isTemplate(name: string): name is TemplateName {
  return Object.hasOwn(templates, name);
}

/** What all games have alike, whatever they are written with. */
const commonFolder = 'common';

/** The files of a game by their path, as they are written: those of its template, and of what all have alike. */
export async function filesOf(
  template: TemplateName,
  { folder, name, version }: { folder: string; name: string; version: string },
): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const part of [commonFolder, template]) {
    const root = join(folder, part);
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = relative(root, join(entry.parentPath, entry.name));
      files.set(writtenPath(path), filledIn(await readFile(join(root, path), 'utf8'), { name, version }));
    }
  }
  return files;
}

/** The packages that a game of this template is built with. */
export async function packagesOf(template: TemplateName, folder: string): Promise<string[]> {
  const manifest = JSON.parse(await readFile(join(folder, template, 'package.json'), 'utf8')) as {
    dependencies: object;
    devDependencies: object;
  };
  return Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
}

/** npm leaves a file `.gitignore` out of a package, so that the template has it by another name. */
function writtenPath(path: string): string {
  return path === 'gitignore' ? '.gitignore' : path;
}

function filledIn(text: string, { name, version }: { name: string; version: string }): string {
  return text.replaceAll('__NAME__', () => name).replaceAll('__SAVEPOINT_VERSION__', () => version);
}
