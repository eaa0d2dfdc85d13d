import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder with the built page of the console. */
    consoleFiles: string;
  }
}

/** Builds the page once for all tests of this folder. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-console-'));
  await build({
    configFile: 'console/vite.config.ts',
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true },
  });
  project.provide('consoleFiles', folder);
  return () => rm(folder, { recursive: true, force: true });
}
