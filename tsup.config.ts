import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

interface Manifest {
  exports: Record<string, string | { default: string }>;
  bin: Record<string, string>;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;

/** What `exports` and `bin` name is what gets built: `./dist/server/index.js` comes from `src/server/index.ts`. */
function entries(files: string[]): Record<string, string> {
  const names = files.map((file) => /^\.\/dist\/(.+)\.js$/.exec(file)?.[1]).filter((name) => name !== undefined);
  return Object.fromEntries(names.map((name) => [name, `src/${name}.ts`]));
}

const library = entries(
  Object.values(manifest.exports).map((target) => (typeof target === 'string' ? target : target.default)),
);
const programs = entries(Object.values(manifest.bin));

export default defineConfig([
  {
    // One build for everything that is imported, and for the program: what two entries share is there once.
    entry: { ...library, ...programs },
    format: ['esm'],
    platform: 'neutral',
    target: 'es2022',
    splitting: true,
    external: [/^node:/],
    removeNodeProtocol: false,
    // tsup hands the compiler a `baseUrl`, which TypeScript 6 calls deprecated.
    dts: { entry: library, compilerOptions: { ignoreDeprecations: '6.0' } },
  },
  {
    entry: { savepoint: 'src/index.ts' },
    format: ['iife'],
    globalName: 'savepoint',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    splitting: false,
    noExternal: [/.*/],
    outExtension: () => ({ js: '.global.js' }),
  },
]);
