import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
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

/** What a clone needs for `npm pack` and `npm start`; a copy, because the build must not race with tests that use `dist`. */
const sources = [
  'package.json',
  'tsconfig.json',
  'tsup.config.ts',
  'scripts/clean.mjs',
  'scripts/build-global.mjs',
  'scripts/oldest-browsers.mjs',
  'scripts/write-openapi.mjs',
  'scripts/registry-readme.mjs',
  'scripts/start.mjs',
  'scripts/game-files.mjs',
  ...['package.json', 'demo.json', 'index.html', 'two-devices.html', 'vite.config.ts', 'src'].map(
    (name) => `examples/web-game/${name}`,
  ),
  ...['package.json', 'index.html', 'vite.config.ts', 'public', 'src'].map((name) => `console/${name}`),
  'src',
  'deploy',
  'docs',
  ...['game-server', 'import-players', 'msw-tests', 'recipes', 'social-verifier'].map((name) => `examples/${name}`),
  'templates',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
];

/**
 * Where the first run of `.ci/run` leaves what it has packed for the runs on other versions of Node: what is built depends
 * on none of them.
 */
const packedBefore = process.env['PACKED_PACKAGE'];

/** Builds and packs the package in a folder, or takes what an earlier run has left. */
async function pack(folder: string): Promise<{ clone: string; tarball: string }> {
  const clone = join(folder, 'clone');
  const isThere = packedBefore !== undefined && existsSync(packedBefore);
  if (isThere) cpSync(packedBefore, folder, { recursive: true, verbatimSymlinks: true });
  else {
    for (const path of sources) cpSync(join(repository, path), join(clone, path), { recursive: true });
    symlinkSync(join(repository, 'node_modules'), join(clone, 'node_modules'), 'dir');
    await run('npm', ['pack', '--pack-destination', folder], clone);
  }
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? 'nothing-was-packed.tgz');
  if (packedBefore !== undefined && !isThere) cpSync(folder, packedBefore, { recursive: true, verbatimSymlinks: true });
  return { clone, tarball };
}

/** Builds, packs and installs the package once for all tests of this folder. */
export async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-package-'));
  const consumer = join(folder, 'consumer');
  const { clone, tarball } = await pack(folder);

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
