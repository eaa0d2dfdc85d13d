import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { findRecipeEngines, howToInstallRecipeEngines } from '../../scripts/recipe-engines.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Bundles the recipes with their engines: the texts of all files, by path. */
export async function bundleRecipes(engines: readonly string[]): Promise<Map<string, string>> {
  const installed = findRecipeEngines();
  if (installed === null) throw new Error(howToInstallRecipeEngines);
  // A folder of its own below the engines' packages, so that a recipe finds them as it does where it is installed.
  const sources = mkdtempSync(join(installed, 'recipes-'));
  try {
    cpSync(join(root, 'examples/recipes'), sources, { recursive: true });
    const { outputFiles } = await build({
      entryPoints: [join(sources, 'saves.ts'), ...engines.map((engine) => join(sources, engine, 'main.ts'))],
      outbase: sources,
      outdir: '/',
      bundle: true,
      splitting: true,
      format: 'esm',
      write: false,
      alias: { savepoint: join(root, 'src/index.ts') },
      tsconfigRaw: {},
      logLevel: 'error',
    });
    return new Map(outputFiles.map(({ path, text }) => [path.replaceAll('\\', '/').replace(/^[A-Z]:/, ''), text]));
  } finally {
    rmSync(sources, { recursive: true });
  }
}

/** The page of a recipe. What it exports is the page's, so that a test can look at the engine's own objects. */
export function recipePage(engine: string): string {
  return `<style>body { margin: 0 }</style><script type="module">
    import * as saves from '/saves.js';
    import * as recipe from '/${engine}/main.js';
    Object.assign(window, { saves, recipe });
  </script>`;
}

/** How many colours the picture of a page's canvas has. */
export async function coloursOf(page: Page): Promise<number> {
  const png = (await page.locator('canvas').screenshot()).toString('base64');
  return page.evaluate(async (text) => {
    const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, picture.width, picture.height);
    return new Set(new Uint32Array(data.buffer)).size;
  }, png);
}
