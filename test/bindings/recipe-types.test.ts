import { rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { findRecipeEngines } from '../../scripts/recipe-engines.mjs';
import { runNode } from '../package/run.js';

const recipes = fileURLToPath(new URL('../../examples/recipes', import.meta.url));

it("the recipes compile with their engines' own types", { timeout: 180_000 }, async () => {
  // Where `npm install` would put the engines; git leaves it out.
  const packages = join(recipes, 'node_modules');
  rmSync(packages, { force: true });
  symlinkSync(join(findRecipeEngines() ?? '', 'node_modules'), packages, 'dir');
  try {
    const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
    expect(await runNode([compiler, '--noEmit', '--project', recipes], recipes)).toBe('');
  } finally {
    rmSync(packages);
  }
});
