import { defineConfig } from 'vite';

// Phaser alone is larger than what Vite warns of.
export default defineConfig({ base: './', build: { chunkSizeWarningLimit: 2_000 } });
