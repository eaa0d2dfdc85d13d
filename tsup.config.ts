import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import { defineConfig, type Options } from 'tsup';
import { languageLevel } from './scripts/oldest-browsers.mjs';

const { exports, bin } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  exports: Record<string, string | { default: string }>;
  bin: { savepoint: string };
};

const nameOf = (file: string): string[] => /^\.\/dist\/(.+)\.js$/.exec(file)?.slice(1) ?? [];

/** Styles without the white space, the last semicolons, and the quotes and zeros that say nothing. */
function minifiedCss(text: string): string {
  const dense = text.replace(/([{};:,>]) +|\s*([{};,])\n+| (?=[{>])/g, '$1$2');
  const unquoted = dense.replace(/(?<=\[[\w-]+~?=)'([\w-]+)'(?=\])/g, '$1');
  return unquoted
    .replaceAll(';}', '}')
    .replaceAll(' !', '!')
    .replace(/(?<=[: ,(])0(?=\.\d)/g, '');
}

/** The markup and the styles of the elements, without the white space that no minifier takes out of a template. */
const withoutIndentation = {
  name: 'without-indentation',
  setup(build: Parameters<NonNullable<Plugin['setup']>>[0]): void {
    build.onLoad({ filter: /[\\/]src[\\/]elements[\\/].*\.ts$/ }, async ({ path }) => {
      const text = (await readFile(path, 'utf8')).replace(/\n\s+/g, '\n');
      // These files are texts of CSS and nothing else.
      const isCss = /[\\/-]?styles\.ts$/.test(path) && !path.endsWith('adopt-styles.ts');
      return {
        contents: isCss ? minifiedCss(text) : text,
        loader: 'ts',
      };
    });
  },
} satisfies Plugin;

/** What `exports` names: `./dist/server/index.js` comes from `src/server/index.ts`. */
const named = Object.values(exports).flatMap((target) => nameOf(typeof target === 'string' ? target : target.default));
const [program = ''] = nameOf(bin.savepoint);

const common: Options = { format: ['esm'], target: languageLevel };

export default defineConfig([
  {
    ...common,
    // One file for each of src, so that a page loads what the client imports, and all entries share every class. In the
    // chunks of a bundle the client's half of a file would bring the service's half, and with it all of zod.
    entry: ['src/**/*.ts', '!src/cli/**', '!src/error-guide.ts'],
    bundle: false,
    platform: 'neutral',
    esbuildPlugins: [withoutIndentation],
    // tsup hands the compiler a `baseUrl`, which TypeScript 6 calls deprecated.
    dts: {
      entry: Object.fromEntries(named.map((name) => [name, `src/${name}.ts`])),
      compilerOptions: { ignoreDeprecations: '6.0' },
    },
  },
  {
    ...common,
    // Node, Bun and Deno take longer to find and read 250 files than to run what is in them: for them each entry is one file
    // and what it shares with others, all of one build, so that the program and all entries still share every class.
    entry: {
      ...Object.fromEntries(named.map((name) => [`node/${name}`, `src/${name}.ts`])),
      [program]: `src/${program}.ts`,
    },
    platform: 'node',
    splitting: true,
    noExternal: ['eventemitter3', 'ky', 'uuid', 'zod'],
    esbuildOptions(options) {
      options.chunkNames = 'node/chunks/[name]-[hash]';
      // esbuild names each bundled file by where it lies: below `node_modules`, not where a link of that name leads to.
      options.preserveSymlinks = true;
    },
    dts: false,
  },
]);
