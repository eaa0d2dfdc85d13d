import { defineConfig } from 'vite';

const here = (path: string): string => new URL(path, import.meta.url).pathname;

export default defineConfig({
  root: here('.'),
  base: '/console/',
  build: {
    target: 'es2022',
    outDir: here('../dist/console'),
    emptyOutDir: true,
    // An asset that is inlined would be a data: address, which the page's policy allows to pictures alone.
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
  },
});
