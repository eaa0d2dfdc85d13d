import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

const here = (path: string): string => new URL(path, import.meta.url).pathname;

/** Of the document of limits the page needs those rows of its table that settings change. */
const limitsRows: Plugin = {
  name: 'limits-rows',
  enforce: 'pre',
  load(id) {
    if (!id.endsWith('docs/limits.md?raw')) return null;
    const lines = readFileSync(id.replace('?raw', ''), 'utf8').split('\n');
    return `export default ${JSON.stringify(lines.filter((line) => line.startsWith('| `') && !line.endsWith('| fixed |')).join('\n'))};`;
  },
};

export default defineConfig({
  plugins: [limitsRows],
  root: here('.'),
  base: '/console/',
  build: {
    target: 'es2022',
    outDir: here('../dist/console'),
    emptyOutDir: true,
    // An asset that is inlined would be a data: address, which the page's policy allows to pictures alone.
    assetsInlineLimit: 0,
    // A browser that cannot load modules ahead loads them when they are needed: that is worth no script of its own.
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
  },
});
