// The file for a plain <script> tag: global `savepoint`, self-contained. Built by Vite, whose minifier makes the smallest.
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { oldestBrowsers } from './oldest-browsers.mjs';

const path = (to) => fileURLToPath(new URL(`../${to}`, import.meta.url));

await build({
  configFile: false,
  logLevel: 'warn',
  root: path('.'),
  publicDir: false,
  build: {
    outDir: path('dist'),
    emptyOutDir: false,
    target: oldestBrowsers,
    lib: { entry: path('src/index.ts'), name: 'savepoint', formats: ['iife'], fileName: () => 'savepoint.global.js' },
  },
});
