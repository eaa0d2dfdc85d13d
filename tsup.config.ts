import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import { defineConfig } from 'tsup';
import { languageLevel } from './scripts/oldest-browsers.mjs';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  exports: Record<string, string | { default: string }>;
};

/** What `exports` names gets declarations: `./dist/server/index.js` comes from `src/server/index.ts`. */
const named = Object.values(exports)
  .map((target) => /^\.\/dist\/(.+)\.js$/.exec(typeof target === 'string' ? target : target.default)?.[1])
  .filter((name) => name !== undefined);

/** The markup and the styles of the elements, without the white space that no minifier takes out of a template. */
const withoutIndentation = {
  name: 'without-indentation',
  setup(build: Parameters<NonNullable<Plugin['setup']>>[0]): void {
    build.onLoad({ filter: /[\\/]src[\\/]elements[\\/].*\.ts$/ }, async ({ path }) => {
      const text = (await readFile(path, 'utf8')).replace(/\n\s+/g, '\n');
      // These files are texts of CSS and nothing else.
      const isCss = /[\\/-]?styles\.ts$/.test(path) && !path.endsWith('adopt-styles.ts');
      return { contents: isCss ? text.replace(/([{};:,]) +|\s*([{};,])\n+/g, '$1$2') : text, loader: 'ts' };
    });
  },
} satisfies Plugin;

export default defineConfig({
  // One file for each of src, so that a page loads what the client imports, and all entries share every class. In the
  // chunks of a bundle the client's half of a file would bring the service's half, and with it all of zod.
  entry: ['src/**/*.ts'],
  bundle: false,
  format: ['esm'],
  platform: 'neutral',
  target: languageLevel,
  esbuildPlugins: [withoutIndentation],
  // tsup hands the compiler a `baseUrl`, which TypeScript 6 calls deprecated.
  dts: {
    entry: Object.fromEntries(named.map((name) => [name, `src/${name}.ts`])),
    compilerOptions: { ignoreDeprecations: '6.0' },
  },
});
