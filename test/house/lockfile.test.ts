import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Locked {
  resolved?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** Whether the lockfile has what `require(name)` would find from `path`: the folder's own, then its parents'. */
function isLocked(packages: Record<string, Locked>, path: string, name: string): boolean {
  const inside = `${path === '' ? '' : `${path}/`}node_modules/${name}`;
  if (packages[inside] !== undefined) return true;
  if (path === '') return false;
  const parent = path.lastIndexOf('/node_modules/');
  return isLocked(packages, parent < 0 ? '' : path.slice(0, parent), name);
}

function needs({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} }: Locked): string[] {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {}), ...peers];
}

describe.each(['package-lock.json', 'test/generated-clients/package-lock.json'])('%s', (file) => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };

  it('names no host that packages come from', () => {
    const remote = Object.entries(packages).filter(([, { link, resolved }]) => link !== true && resolved !== undefined);
    expect(remote.map(([path]) => path)).toEqual([]);
  });

  it('is complete for every platform, as `npm ci` wants it', () => {
    // npm leaves out what it could not find when it wrote the file, without a word; `npm ci` then refuses it.
    const missing = Object.entries(packages).flatMap(([path, locked]) =>
      needs(locked)
        .filter((name) => !isLocked(packages, path, name))
        .map((name) => `${path} needs ${name}`),
    );
    expect(missing).toEqual([]);
  });
});
