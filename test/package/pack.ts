import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { packInto } from '../../scripts/packed.mjs';
import { repository, run } from './run.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder with the packed package and its real dependencies installed, as a game would have them. */
    consumer: string;
    tarball: string;
    /** The repository's files as they were packed from, with the build. */
    clone: string;
  }
}

/** Builds, packs and installs the package once for all tests of this folder. */
export async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-package-'));
  const consumer = join(folder, 'consumer');
  const { clone, tarball } = packInto(folder);

  const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  mkdirSync(consumer);
  writeFileSync(join(consumer, 'package.json'), '{ "name": "a-game", "private": true, "type": "module" }\n');
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  const peers = ['msw', 'react', 'svelte', 'vue', '@types/react'];
  await run(
    'npm',
    [...install, tarball, ...peers.map((name) => `${name}@${manifest.devDependencies[name]}`)],
    consumer,
  );

  project.provide('consumer', consumer);
  project.provide('tarball', tarball);
  project.provide('clone', clone);
  return () => rmSync(folder, { recursive: true, force: true });
}
