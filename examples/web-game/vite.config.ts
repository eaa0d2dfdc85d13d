import { defineConfig } from 'vite';

const here = (path: string): string => new URL(path, import.meta.url).pathname;

export default defineConfig({
  root: here('.'),
  // Works below any path.
  base: './',
  // The package by its name is its source here: the game always shows what the repository holds.
  resolve: {
    alias: [
      { find: /^savepoint$/, replacement: here('../../src/index.ts') },
      { find: /^savepoint\/elements$/, replacement: here('../../src/elements/index.ts') },
    ],
  },
  build: {
    target: 'es2022',
    outDir: here('dist'),
    emptyOutDir: true,
    chunkSizeWarningLimit: 700,
    rolldownOptions: { input: [here('index.html'), here('two-devices.html')] },
  },
});
